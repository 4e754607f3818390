package expr

import (
	"iter"
	"strings"
	"sync"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Hints that several families below have.
const (
	noCounters  = "Read saltsql.statements, or the metrics that --metrics serves: what is not counted is NULL in pg_stat_database and its kin."
	ofOperators = "PostgreSQL's operators, casts, types and indexes are made of it: write the operator or the cast."
	noNumbers   = "Transactions have no numbers: use gen_random_uuid() or a sequence to tell them apart."
)

// instead says what to do instead of calling functions that Postgres, Phoenix or another
// database has and saltsql has not: family by family, the names with blanks between them. A
// * stands for the rest of a name. What is registered is never looked for here.
var instead = []struct{ hint, names string }{
	{"There is no text search: use LIKE, ~ or starts_with.",
		`to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery array_to_tsvector json_to_tsvector
		jsonb_to_tsvector tsvector_* tsquery_* tsvectorsend tsquerysend ts_* setweight strip numnode querytree get_current_ts_config
		regconfigsend regdictionarysend`},
	{"There are no ranges: keep the two ends in two columns, and compare them, or use OVERLAPS.",
		`int4range* int8range* numrange* tsrange* tstzrange* daterange* int4multirange int8multirange nummultirange tsmultirange
		tstzmultirange datemultirange multirange* range_* isempty lower_inc lower_inf upper_inc upper_inf`},
	{"Read pg_stat_activity, which shows what it would.", `pg_stat_get_activity pg_stat_get_backend_*`},
	{"There are no geometric types: keep coordinates in columns of double precision, and compute with them.",
		`point point_* box box_* bound_box circle circle_* line line_* lseg lseg_* path path_* polygon poly_* area center diagonal
		diameter height width radius npoints slope isclosed isopen ishorizontal isvertical isparallel isperp pclose popen`},
	{"Keep network addresses as text, or as bytea to compare them by their bits; inet is there to be shown only.",
		`abbrev broadcast cidr_send hostmask inet_merge inet_same_family netmask network set_masklen cidr macaddr macaddr8 macaddr_*
		macaddr8_*`},
	{"Keep XML as text, and take it apart in the program.",
		`xml* xpath xpath_exists cursor_to_xml* database_to_xml* query_to_xml* schema_to_xml* table_to_xml*`},
	{"There are no bit strings: use bytea, with get_bit and set_bit, or an integer.", `bit bit_send bittypmodin varbit varbit_*`},
	{"Use numeric(19, 2), and to_char to show it.", `money cash_*`},
	{"Use timestamptz, or time with a column for the zone.", `timetz timetz_send timetztypmodin`},
	{"Keep the bytes in a bytea column, in parts of a few MB.", `lo_* loread lowrite`},
	{noNumbers, `txid_* xid8* pg_current_xact_id* pg_current_snapshot pg_snapshot_* pg_visible_in_snapshot pg_xact_*
		pg_last_committed_xact pg_get_multixact_members mxid_age pg_prepared_xact pg_stat_get_snapshot_timestamp`},
	{"The store writes its own log: see backup.md for copies, and poll a table for its changes.",
		`pg_current_wal_* pg_last_wal_* pg_switch_wal pg_wal_* pg_walfile_* pg_lsn pg_get_wal_* pg_stat_get_wal* pg_create_restore_point
		pg_backup_* pg_start_backup pg_stop_backup pg_promote pg_stat_get_archiver`},
	{"There is no logical replication: poll a table for its changes, or use the change streams of the store.",
		`pg_replication_* pg_logical_* pg_create_logical_replication_slot pg_create_physical_replication_slot
		pg_copy_logical_replication_slot pg_copy_physical_replication_slot pg_drop_replication_slot pg_get_replication_slots
		pg_show_replication_origin_status pg_get_publication_tables pg_get_replica_identity_index pg_stat_get_replication_slot
		pg_stat_get_subscription* pg_stat_reset_replication_slot pg_stat_reset_subscription_stats`},
	{"Files of the server are out of reach of SQL: COPY FROM STDIN and COPY TO STDOUT move data.",
		`pg_ls_* pg_read_* pg_stat_file pg_rotate_logfile* pg_current_logfile pg_filenode_relation`},
	{"Settings of the server are its flags, or in its --config file, which SIGHUP has it read again.",
		`pg_show_all_file_settings`},
	{"There is no instance of PostgreSQL below: pg_settings shows what this server goes by.", `pg_control_* pg_get_shmem_allocations`},
	{"See what memory is taken in the metrics that --metrics serves.", `pg_get_backend_memory_contexts pg_log_backend_memory_contexts`},
	{noCounters, `pg_stat_get_* pg_stat_have_stats pg_stat_clear_snapshot pg_stat_force_next_flush`},
	{"Counters of statements begin anew with pg_stat_statements_reset(); the others go on as long as the server does.", `pg_stat_reset*`},
	{"Only PostgreSQL's own upgrade calls it: move data by pg_dump, or with COPY.", `binary_upgrade_*`},
	{"There are no functions of users: compute in the statement, in a view, or in the program.",
		`plpgsql_* fmgr_* postgresql_fdw_validator pg_event_trigger_*`},
	{"Foreign servers are not there: copy the rows with COPY, or with saltsql push.", `has_foreign_data_wrapper_privilege has_server_privilege`},
	{"Indexes are kept with each write, with nothing left to tidy up.", `brin_* gin_* amvalidate pg_indexam_progress_phasename`},
	{"There are no partitions: SALT_BUCKETS spreads a table's rows.", `satisfies_hash_partition`},
	{"Values are stored as they are: the store compresses blocks of rows.", `pg_column_compression`},
	{"There is one extension, which is always there.", `pg_extension_*`},
	{"Text compares by bytes, collation \"C\", which is always there.", `pg_import_system_collations`},
	{"See statistics of columns in pg_stats.", `pg_mcv_list_items pg_get_statisticsobjdef_expressions`},
	{"OIDs are given by the server; use a sequence to number rows.", `pg_nextoid pg_stop_making_pinned_objects`},
	{"The catalogs refer to each other as PostgreSQL's manual says.", `pg_get_catalog_foreign_keys`},
	{"Read pg_locks for who holds and who waits.", `pg_safe_snapshot_blocking_pids`},
	{"Read pg_settings, which has what is known of each.", `pg_settings_get_flags`},
	{"Read rows by their key's columns.", `currtid2`},
	{"Give rights by GRANT, and read them with aclexplode.", `makeaclitem`},
	{"The collation of text is \"C\", by whatever name: values compare by bytes.", `pg_collation_for`},
	{"Look the object up in its catalog: pg_class, pg_type, pg_namespace or pg_constraint.",
		`pg_get_object_address pg_identify_object pg_identify_object_as_address`},
	{"Text is UTF8: use translate() to replace letters by plain ones.", `to_ascii`},
	// PostgreSQL's own names for what operators, casts and other functions do.
	{"Use + 1.", `numeric_inc int4inc`},
	{"Use sum().", `int8_sum`},
	{"Use ||.", `nameconcatoid`},
	// Those of pgcrypto that are not built in.
	{"Hash and encrypt in the program: digest, hmac, gen_random_bytes and gen_random_uuid are what there is of pgcrypto.",
		`crypt gen_salt encrypt decrypt encrypt_iv decrypt_iv pgp_* armor dearmor`},
	{"Use LIKE with ESCAPE, or ~.", `similar_escape`},
	// Phoenix's own.
	{"Keep the time in a column: DEFAULT now().", `phoenix_row_timestamp`},
	{"Name the key's columns.", `rowkey_bytes_string`},
	{"Use octet_length of the columns, or pg_table_size of the table.", `row_size raw_row_size pg_column_size`},
	{"See saltsql.buckets for how rows are spread.", `partition_id`},
	{"EXPLAIN shows the spans that are read.", `scan_start_key scan_end_key total_segments`},
	{"Text compares by bytes: order by lower(x), or keep a column with the key to order by.", `collation_key`},
	{"Use localtime, or now().", `current_time`},
	{"Write DESC for the column in the key, or ORDER BY … DESC.", `invert`},
	{"Use ->> with the field's name.", `json_value`},
	{"Use -> with the field's name.", `json_query`},
	{"Use ? with the field's name, on jsonb.", `json_exists`},
	{"Use jsonb_set.", `json_modify`},
	{"Keep the document in a jsonb column, and use -> and ->>.", `bson_*`},
	{"Use count(DISTINCT x), which is exact.", `approx_count_distinct`},
	{"Use (array_agg(x ORDER BY y))[1:n].", `first_values`},
	{"Use (array_agg(x ORDER BY y DESC))[1:n].", `last_values`},
	{"Use (x)[n], which counts from 1 too.", `array_elem`},
	{"Use substr, which takes bytea.", `subbinary`},
	{"Use encode(x, 'hex') or encode(x, 'base64').", `encode_binary`},
	{"Use decode(x, 'hex') or decode(x, 'base64').", `decode_binary`},
}

// refused has the names in full, and those that end in *, which go by their order.
var refused = sync.OnceValue(func() (r struct {
	named map[string]string
	open  []struct{ prefix, hint string }
}) {
	r.named = map[string]string{}
	for name, hint := range Refused() {
		if prefix, open := strings.CutSuffix(name, "*"); open {
			r.open = append(r.open, struct{ prefix, hint string }{prefix, hint})
		} else {
			r.named[name] = hint
		}
	}
	return r
})

// Refused lists the functions that are refused, a * standing for the rest of a name, with what
// to do instead.
func Refused() iter.Seq2[string, string] {
	return func(yield func(name, hint string) bool) {
		for _, f := range instead {
			for _, name := range strings.Fields(f.names) {
				if !yield(name, f.hint) {
					return
				}
			}
		}
	}
}

// postgresHas says that PostgreSQL's pg_proc has a function of that name.
var postgresHas = func(string) bool { return false }

// RegisterPostgres names PostgreSQL's functions: what of them is neither here nor in the
// families above is what its own operators, casts and types are made of.
func RegisterPostgres(has func(name string) bool) { postgresHas = has }

// planned are the set-returning functions that have plan nodes of their own.
var planned = map[string]bool{}

// RegisterPlanned names one of them.
func RegisterPlanned(name string) { planned[name] = true }

// IsFunction says that there is something to call by that name.
func IsFunction(name string) bool {
	return planned[name] || len(funcs[name]) > 0 || len(sets[name]) > 0 || len(aggs[name]) > 0 || len(withins[name]) > 0 || len(windows[name]) > 0 || hypothetical[name]
}

// UnsupportedFunction is the 0A000 of such a function; nil for any other name.
func UnsupportedFunction(name string, pos int) error {
	hint := insteadOf(name)
	if IsInternal(name) {
		hint = ofOperators
	}
	if hint == "" || IsFunction(name) {
		return nil
	}
	return sqlerr.Unsupported("function "+name+" is not supported", hint).At(pos)
}

// IsInternal says that PostgreSQL has a function of that name of which nothing more is known.
func IsInternal(name string) bool {
	return !IsFunction(name) && insteadOf(name) == "" && postgresHas(name)
}

// insteadOf is what to do instead of a function of the families; "" for others.
func insteadOf(name string) string {
	r := refused()
	if hint, ok := r.named[name]; ok {
		return hint
	}
	for _, p := range r.open {
		if strings.HasPrefix(name, p.prefix) {
			return p.hint
		}
	}
	return ""
}
