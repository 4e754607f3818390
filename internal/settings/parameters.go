package settings

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/datetime"
)

// Parameter defines a run-time parameter. Check turns the value given into the one kept, or
// says why not. A nil Check takes any text; ReadOnly parameters are only shown.
type Parameter struct {
	Name    string // as shown; looked up without regard to case
	Default string
	Doc     string
	Check   func(name, value string) (string, error)
	// Over is Check for a value that may leave parts as they are.
	Over     func(now, value string) (string, error)
	ReadOnly bool
	// Context is pg_settings.context of what the server was told, and sessions are shown: postmaster
	// changes when it starts again, sighup by SIGHUP. A session of no server has no such parameter.
	Context string
	// Acts says that SET does something and keeps no value: the parameter is shown as its Default,
	// and in no list of parameters.
	Acts bool
	// Secret parameters are shown to superusers and members of pg_read_all_settings alone: 42501.
	Secret bool
	// Superuser parameters are set by superusers alone: 42501.
	Superuser bool
	Report    bool // told to the client by ParameterStatus when it changes
	// Options are the values that it takes, where they are words; Check follows from them.
	Options []string
	// Type is pg_settings.vartype, where it is neither a word nor a text, and Unit what a
	// bare number means: "ms", "s", "B", "kB" or "8kB".
	Type, Unit string
	fixed      bool // it takes no value but Default
}

// What a store that servers share has for all of them: ALTER SYSTEM changes it.
const (
	Lease          = "saltsql.lease"
	CatalogRefresh = "saltsql.catalog_refresh"
)

// serverVersion is the PostgreSQL version whose behaviour is the reference.
const serverVersion = "15.0"

var parameters = byName(fixedParameters, []Parameter{
	{Name: "application_name", Doc: "Sets the application name to be reported in logs.", Report: true},
	{Name: "authentication_timeout", Context: "sighup", Check: duration, Type: "integer", Unit: "s", Doc: "Shows the maximum allowed time to complete client authentication: --auth-timeout."},
	{Name: "backslash_quote", Default: "safe_encoding", Options: []string{"safe_encoding", "on", "off"}, Doc: `Sets whether "\'" is allowed in string literals.`},
	{Name: "bytea_output", Default: "hex", Options: []string{"hex", "escape"}, Doc: "Sets the output format for bytea."},
	{Name: "check_function_bodies", Default: "on", Check: boolean, Type: "bool", Doc: "Check routine bodies during CREATE."},
	{Name: "client_encoding", Default: "UTF8", Check: utf8Only, Doc: "Sets the client's character set encoding.", Report: true},
	{Name: "client_min_messages", Default: "notice", Options: []string{"debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error"}, Doc: "Sets the message levels that are sent to the client."},
	{Name: "config_file", Context: "postmaster", Secret: true, Doc: "Shows the server's configuration file: --config."},
	{Name: "data_directory", Context: "postmaster", Secret: true, Doc: "Shows the folder of an embedded store: that of --store."},
	{Name: "DateStyle", Default: "ISO, MDY", Check: dateStyle, Over: dateStyleOver, Doc: "Sets the display format for date and time values.", Report: true},
	{Name: "default_table_access_method", Default: "heap", Options: []string{"heap", "saltsql"}, Doc: "Sets the default table access method for new tables."},
	{Name: "default_tablespace", Options: []string{""}, Doc: "Sets the default tablespace to create tables in."},
	{Name: "default_transaction_deferrable", Default: "off", Check: boolean, Type: "bool", Doc: "Sets the default deferrable status of new transactions."},
	{Name: "default_transaction_isolation", Default: "read committed", Check: isolation, Doc: "Sets the transaction isolation level of each new transaction."},
	{Name: "default_transaction_read_only", Default: "off", Check: boolean, Type: "bool", Doc: "Sets the default read-only status of new transactions.", Report: true},
	{Name: "escape_string_warning", Default: "on", Check: boolean, Type: "bool", Doc: "Warn about backslash escapes in ordinary string literals."},
	{Name: "extra_float_digits", Default: "1", Check: integer(-15, 3), Type: "integer", Doc: "Sets the number of digits displayed for floating-point values."},
	{Name: "hba_file", Context: "sighup", Secret: true, Doc: "Shows the file of rules for who may connect and how: --hba-file."},
	{Name: "idle_in_transaction_session_timeout", Default: "0", Check: duration, Type: "integer", Unit: "ms", Doc: "Sets the maximum allowed idle time between queries, when in a transaction."},
	{Name: "idle_session_timeout", Default: "0", Check: duration, Type: "integer", Unit: "ms", Doc: "Sets the maximum allowed idle time between queries, when not in a transaction."},
	{Name: "in_hot_standby", Default: "off", ReadOnly: true, Doc: "Shows whether hot standby is currently active.", Report: true},
	{Name: "integer_datetimes", Default: "on", ReadOnly: true, Doc: "Shows whether datetimes are integer based.", Report: true},
	{Name: "IntervalStyle", Default: "postgres", Options: datetime.SpanStyles[:], Doc: "Sets the display format for interval values.", Report: true},
	{Name: "is_superuser", Default: "on", ReadOnly: true, Doc: "Shows whether the current user is a superuser.", Report: true},
	{Name: "jit", Default: "off", Options: []string{"off"}, Doc: "Allow JIT compilation (there is none)."},
	{Name: "lc_collate", Default: "C", ReadOnly: true, Doc: "Shows the collation order locale: text compares by bytes, which is key order."},
	{Name: "lc_ctype", Default: "C.UTF-8", ReadOnly: true, Doc: "Shows the character classification locale."},
	{Name: "lc_messages", Default: "C", Options: []string{"C", "POSIX", "en_US.UTF-8", ""}, Superuser: true, Doc: "Sets the language in which messages are displayed."},
	{Name: "lc_monetary", Default: "C", Options: []string{"C", "POSIX", "en_US.UTF-8"}, Doc: "Sets the locale for formatting monetary amounts."},
	{Name: "lc_numeric", Default: "C", Options: []string{"C", "POSIX", "en_US.UTF-8"}, Doc: "Sets the locale for formatting numbers."},
	{Name: "lc_time", Default: "C", Options: []string{"C", "POSIX", "en_US.UTF-8"}, Doc: "Sets the locale for formatting date and time values."},
	{Name: "listen_addresses", Context: "postmaster", Doc: "Shows the addresses that the server listens on: that of --listen, or those of the sockets handed over."},
	{Name: "lock_timeout", Default: "0", Check: duration, Type: "integer", Unit: "ms", Doc: "Sets the maximum allowed duration of any wait for a lock."},
	{Name: "log_min_duration_statement", Default: "-1", Check: orNever(duration), Type: "integer", Unit: "ms", Superuser: true, Doc: "Sets the minimum execution time above which statements are logged, without their constants; -1 logs none."},
	{Name: "max_connections", Context: "postmaster", Type: "integer", Doc: "Shows the maximum number of concurrent connections: --max-connections."},
	{Name: "max_identifier_length", Default: "63", ReadOnly: true, Doc: "Shows the maximum identifier length."},
	{Name: "max_index_keys", Default: "32", ReadOnly: true, Doc: "Shows the maximum number of index keys."},
	{Name: "password_encryption", Default: "scram-sha-256", Options: []string{"scram-sha-256"}, Doc: "Chooses the algorithm for encrypting passwords."},
	{Name: "pg_stat_statements.max", Context: "postmaster", Type: "integer", Doc: "Shows the maximum number of statements tracked by pg_stat_statements: --statements."},
	{Name: "pg_stat_statements.track", Default: "top", Options: []string{"top", "all", "none"}, Superuser: true, Doc: "Sets whether statements are counted, for pg_stat_statements and the metrics."},
	{Name: "plan_cache_mode", Default: "auto", Options: []string{"auto", "force_generic_plan", "force_custom_plan"}, Doc: "Controls the planner's selection of custom or generic plan."},
	{Name: "port", Context: "postmaster", Type: "integer", Doc: "Shows the port that the server listens on: that of --listen."},
	{Name: "row_security", Default: "on", Check: boolean, Type: "bool", Doc: "Enable row security."},
	{Name: "search_path", Default: `"$user", public`, Doc: "Sets the schema search order for names that are not schema-qualified."},
	{Name: "seed", Default: "unavailable", Check: seed, Acts: true, Type: "real", Doc: "Sets the seed for random-number generation."},
	{Name: "server_encoding", Default: "UTF8", ReadOnly: true, Doc: "Shows the server (database) character set encoding.", Report: true},
	{Name: "server_version", Default: serverVersion, ReadOnly: true, Doc: "Shows the PostgreSQL version whose behaviour is followed.", Report: true},
	{Name: "server_version_num", Default: "150000", ReadOnly: true, Doc: "Shows the server version as an integer."},
	{Name: "session_authorization", ReadOnly: true, Doc: "Shows the session user name.", Report: true},
	{Name: "session_replication_role", Default: "origin", Options: []string{"origin", "replica", "local"}, Superuser: true,
		Doc: "Sets the session's behavior for triggers and rewrite rules (there are none, and foreign keys are not enforced)."},
	{Name: "ssl", Context: "postmaster", Type: "bool", Doc: "Shows whether the server takes encrypted connections: by --tls-cert."},
	{Name: "ssl_ca_file", Context: "sighup", Doc: "Shows the file of the authorities of clients' certificates: --tls-ca."},
	{Name: "ssl_cert_file", Context: "sighup", Doc: "Shows the file of the server's certificate: --tls-cert."},
	{Name: "ssl_key_file", Context: "sighup", Doc: "Shows the file of the certificate's key: --tls-key."},
	{Name: "standard_conforming_strings", Default: "on", Options: []string{"on"}, Doc: `Causes '...' strings to treat backslashes literally.`, Report: true},
	{Name: "statement_timeout", Default: "0", Check: duration, Type: "integer", Unit: "ms", Doc: "Sets the maximum allowed duration of any statement."},
	{Name: "synchronous_commit", Default: "on", Options: []string{"local", "remote_write", "remote_apply", "on", "off"},
		Doc: "Sets the current transaction's synchronization level: with off, COMMIT does not wait for an embedded store's disk."},
	{Name: "synchronize_seqscans", Default: "on", Check: boolean, Type: "bool", Doc: "Enable synchronized sequential scans (scans here never share a position)."},
	{Name: "TimeZone", Default: "UTC", Check: timeZone, Doc: "Sets the time zone for displaying and interpreting time stamps.", Report: true},
	{Name: "transaction_deferrable", Default: "off", Check: boolean, Type: "bool", Doc: "Whether to defer a read-only serializable transaction."},
	{Name: "transaction_isolation", Default: "read committed", Check: isolation, Doc: "Sets the current transaction's isolation level."},
	{Name: "transaction_read_only", Default: "off", Check: boolean, Type: "bool", Doc: "Sets the current transaction's read-only status."},
	{Name: "unix_socket_directories", Context: "postmaster", Secret: true, Doc: "Shows the folders of the server's Unix sockets: --socket-dir."},
	{Name: "work_mem", Default: "64MB", Check: bytesSize, Type: "integer", Unit: "kB", Doc: "Sets the memory one statement may use for sorting and hashing before it spills to disk."},
	{Name: "xmloption", Default: "content", Options: []string{"content", "document"}, Doc: "Sets whether XML data is to be considered as documents or content fragments."},

	{Name: "saltsql.rules", Default: "on", Check: boolean, Type: "bool", Doc: "For tests: off runs every query as full scans, filters and sorts."},
	{Name: CatalogRefresh, Context: "postmaster", Check: duration, Type: "integer", Unit: "ms", Doc: "Shows how often the servers of a store look for changes of its catalog. ALTER SYSTEM changes it."},
	{Name: Lease, Context: "postmaster", Check: duration, Type: "integer", Unit: "ms", Doc: "Shows after what time without a sign a server of the store is taken for dead. ALTER SYSTEM changes it."},
	{Name: "saltsql.full_scan", Default: "on", Options: []string{"on", "notice", "off"}, Doc: "Sets whether statements may read whole tables: on, notice (and say so) or off."},
	{Name: "saltsql.heat_keys", Default: "on", Check: boolean, Type: "bool", Superuser: true, Doc: "Samples the keys that statements read and write, for saltsql.hot_keys and key ranges of heat maps; off keeps none."},
	{Name: "saltsql.heat_memory", Context: "postmaster", Type: "integer", Unit: "B", Doc: "Shows how much memory the counters of saltsql.bucket_skew and saltsql.heatmap may take; 0 counts nothing: --heat-memory."},
	{Name: "saltsql.default_transactional", Default: "off", Check: boolean, Type: "bool", Doc: "Makes new tables with TRANSACTIONAL = true where CREATE TABLE does not say, and VERSIONS is 1."},
	{Name: "saltsql.hints", Check: hintList, Doc: "Sets hints for every statement: SERIAL, FORWARD_SCAN, RANGE_SCAN, SKIP_SCAN, NO_INDEX, USE_INDEX_OVER_DATA_TABLE, NO_STAR_JOIN, USE_SORT_MERGE_JOIN, HASH_AGGREGATE."},
	{Name: "saltsql.join_order", Default: "cost", Options: []string{"cost", "written"}, Doc: "Sets in which order relations are joined: cost chooses, or written keeps the statement's order."},
	{Name: "saltsql.max_statement_memory", Default: "0", Check: orZero(bytesSize), Type: "integer", Unit: "kB", Doc: "Sets how much memory one statement may hold, of all kinds; 0 is half of what all statements may."},
	{Name: "saltsql.advice_nodes", Default: "8", Check: integer(1, 81), Type: "integer", Doc: "Sets for how many nodes of a cluster saltsql.what_if and saltsql.advice reckon."},
	{Name: "saltsql.backfill_rows_per_second", Default: "0", Check: integer(0, 1<<31-1), Type: "integer", Doc: "Sets how many rows a change of a table that serves copies in a second; 0 is no limit."},
	{Name: "saltsql.max_scan_rows", Default: "0", Check: integer(0, 1<<62), Type: "integer", Doc: "Sets how many rows one statement may read, by scans and by keys; 0 is no limit."},
	{Name: "saltsql.max_streams", Default: "0", Check: integer(0, 1024), Type: "integer", Doc: "Sets how many scans of one statement may run at once; 0 leaves it to the store."},
	{Name: "saltsql.reloptions", Default: "on", Check: boolean, Type: "bool", Doc: "Shows options that PostgreSQL does not know in pg_class.reloptions and pg_get_indexdef; off for a dump that a PostgreSQL is to read."},
	{Name: "saltsql.require_primary_key", Default: "off", Check: boolean, Type: "bool", Doc: "Refuses tables without a primary key, which have a hidden one."},
	{Name: "saltsql.skip_undecodable", Default: "off", Check: boolean, Type: "bool", Doc: "Leaves out rows whose bytes are no values of their columns, and says how many; off makes the first one an error."},
	{Name: "saltsql.max_transaction_size", Default: "1GB", Check: bytesSize, Type: "integer", Unit: "kB", Doc: "Sets how many bytes of writes a transaction may hold before it commits."},
})

// byName checks the values of fixed parameters by their defaults, and of others as they say.
func byName(fixed, list []Parameter) map[string]*Parameter {
	m := make(map[string]*Parameter, len(fixed)+len(list))
	for i := range fixed {
		p := &fixed[i]
		p.Check, p.fixed = p.onlyDefault, true
		m[strings.ToLower(p.Name)] = p
	}
	for i := range list {
		p := &list[i]
		p.ReadOnly = p.ReadOnly || p.Context != ""
		if p.Options != nil {
			p.Check = oneOf(p.Options...)
		}
		m[strings.ToLower(p.Name)] = p
	}
	return m
}

// Find gives the parameter of that name, in whatever case; nil if there is none.
func Find(name string) *Parameter {
	if p := parameters[name]; p != nil {
		return p
	}
	return parameters[strings.ToLower(name)]
}

// All lists the parameters in the order of SHOW ALL.
func All() []*Parameter {
	list := slices.Collect(maps.Values(parameters))
	slices.SortFunc(list, func(a, b *Parameter) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return list
}

// Reported lists the parameters that clients are told of, in order.
var Reported = slices.DeleteFunc(All(), func(p *Parameter) bool { return !p.Report })

// Kind is pg_settings.vartype.
func (p *Parameter) Kind() string {
	switch {
	case p.Type != "":
		return p.Type
	case p.Options != nil:
		return "enum"
	}
	return "string"
}

// Bare gives a value without its unit, as pg_settings shows it.
func (p *Parameter) Bare(value string) string {
	switch p.Unit {
	case "ms":
		if d, err := ParseDuration(value); err == nil {
			return strconv.FormatInt(d.Milliseconds(), 10)
		}
	case "s":
		if d, err := ParseDuration(value); err == nil { // no time at all is 0
			return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
		}
	case "kB":
		if n, err := ParseBytes(value); err == nil {
			return strconv.FormatInt(n>>10, 10)
		}
	case "8kB":
		if n, err := ParseBytes(value); err == nil {
			return strconv.FormatInt(n>>13, 10)
		}
	}
	return value
}

// Refused says why SET and RESET of a ReadOnly parameter fail: 55P02.
func (p *Parameter) Refused() error {
	what := ""
	switch p.Context {
	case "postmaster":
		what = " without restarting the server"
	case "sighup":
		what = " now"
	}
	return sqlerr.New(sqlerr.CantChangeRuntimeParam, "parameter %q cannot be changed%s", p.Name, what)
}
