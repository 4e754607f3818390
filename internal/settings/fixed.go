package settings

import (
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// fixedParameters are those of PostgreSQL whose default describes this server, too, or is about what
// it does not have. They are shown, and SET takes the default, which changes nothing; it refuses any
// other value that PostgreSQL might obey. They follow PostgreSQL's pg_settings, in its order.
var fixedParameters = []Parameter{
	{Name: "array_nulls", Default: "on", Type: "bool", Doc: "Enable input of NULL elements in arrays."},
	{Name: "backend_flush_after", Default: "0", Type: "integer", Unit: "8kB", Doc: "Number of pages after which previously performed writes are flushed to disk."},
	{Name: "client_connection_check_interval", Default: "0", Type: "integer", Unit: "ms", Doc: "Sets the time interval between checks for disconnection while running queries."},
	{Name: "commit_delay", Default: "0", Type: "integer", Superuser: true, Doc: "Sets the delay in microseconds between transaction commit and flushing WAL to disk."},
	{Name: "commit_siblings", Default: "5", Type: "integer", Doc: "Sets the minimum number of concurrent open transactions required before performing commit_delay."},
	{Name: "compute_query_id", Default: "auto", Options: []string{"auto", "regress", "on", "off"}, Superuser: true, Doc: "Enables in-core computation of query identifiers."},
	{Name: "constraint_exclusion", Default: "partition", Options: []string{"partition", "on", "off"}, Doc: "Enables the planner to use constraints to optimize queries."},
	{Name: "cpu_index_tuple_cost", Default: "0.005", Type: "real", Doc: "Sets the planner's estimate of the cost of processing each index entry during an index scan."},
	{Name: "cpu_operator_cost", Default: "0.0025", Type: "real", Doc: "Sets the planner's estimate of the cost of processing each operator or function call."},
	{Name: "cpu_tuple_cost", Default: "0.01", Type: "real", Doc: "Sets the planner's estimate of the cost of processing each tuple (row)."},
	{Name: "cursor_tuple_fraction", Default: "0.1", Type: "real", Doc: "Sets the planner's estimate of the fraction of a cursor's rows that will be retrieved."},
	{Name: "debug_pretty_print", Default: "on", Type: "bool", Doc: "Indents parse and plan tree displays."},
	{Name: "debug_print_parse", Default: "off", Type: "bool", Doc: "Logs each query's parse tree."},
	{Name: "debug_print_plan", Default: "off", Type: "bool", Doc: "Logs each query's execution plan."},
	{Name: "debug_print_rewritten", Default: "off", Type: "bool", Doc: "Logs each query's rewritten parse tree."},
	{Name: "default_statistics_target", Default: "100", Type: "integer", Doc: "Sets the default statistics target."},
	{Name: "default_text_search_config", Default: "pg_catalog.simple", Doc: "Sets default text search configuration."},
	{Name: "default_toast_compression", Default: "pglz", Options: []string{"pglz", "lz4"}, Doc: "Sets the default compression method for compressible values."},
	{Name: "dynamic_library_path", Default: "$libdir", Superuser: true, Doc: "Sets the path for dynamically loadable modules."},
	{Name: "effective_cache_size", Default: "4GB", Type: "integer", Unit: "8kB", Doc: "Sets the planner's assumption about the total size of the data caches."},
	{Name: "effective_io_concurrency", Default: "1", Type: "integer", Doc: "Number of simultaneous requests that can be handled efficiently by the disk subsystem."},
	{Name: "enable_async_append", Default: "on", Type: "bool", Doc: "Enables the planner's use of async append plans."},
	{Name: "enable_bitmapscan", Default: "on", Type: "bool", Doc: "Enables the planner's use of bitmap-scan plans."},
	{Name: "enable_gathermerge", Default: "on", Type: "bool", Doc: "Enables the planner's use of gather merge plans."},
	{Name: "enable_hashagg", Default: "on", Type: "bool", Doc: "Enables the planner's use of hashed aggregation plans."},
	{Name: "enable_hashjoin", Default: "on", Type: "bool", Doc: "Enables the planner's use of hash join plans."},
	{Name: "enable_incremental_sort", Default: "on", Type: "bool", Doc: "Enables the planner's use of incremental sort steps."},
	{Name: "enable_indexonlyscan", Default: "on", Type: "bool", Doc: "Enables the planner's use of index-only-scan plans."},
	{Name: "enable_indexscan", Default: "on", Type: "bool", Doc: "Enables the planner's use of index-scan plans."},
	{Name: "enable_material", Default: "on", Type: "bool", Doc: "Enables the planner's use of materialization."},
	{Name: "enable_memoize", Default: "on", Type: "bool", Doc: "Enables the planner's use of memoization."},
	{Name: "enable_mergejoin", Default: "on", Type: "bool", Doc: "Enables the planner's use of merge join plans."},
	{Name: "enable_nestloop", Default: "on", Type: "bool", Doc: "Enables the planner's use of nested-loop join plans."},
	{Name: "enable_parallel_append", Default: "on", Type: "bool", Doc: "Enables the planner's use of parallel append plans."},
	{Name: "enable_parallel_hash", Default: "on", Type: "bool", Doc: "Enables the planner's use of parallel hash plans."},
	{Name: "enable_partition_pruning", Default: "on", Type: "bool", Doc: "Enables plan-time and execution-time partition pruning."},
	{Name: "enable_partitionwise_aggregate", Default: "off", Type: "bool", Doc: "Enables partitionwise aggregation and grouping."},
	{Name: "enable_partitionwise_join", Default: "off", Type: "bool", Doc: "Enables partitionwise join."},
	{Name: "enable_seqscan", Default: "on", Type: "bool", Doc: "Enables the planner's use of sequential-scan plans."},
	{Name: "enable_sort", Default: "on", Type: "bool", Doc: "Enables the planner's use of explicit sort steps."},
	{Name: "enable_tidscan", Default: "on", Type: "bool", Doc: "Enables the planner's use of TID scan plans."},
	{Name: "exit_on_error", Default: "off", Type: "bool", Doc: "Terminate session on any error."},
	{Name: "force_parallel_mode", Default: "off", Options: []string{"off", "on", "regress"}, Doc: "Forces use of parallel query facilities."},
	{Name: "from_collapse_limit", Default: "8", Type: "integer", Doc: "Sets the FROM-list size beyond which subqueries are not collapsed."},
	{Name: "geqo", Default: "on", Type: "bool", Doc: "Enables genetic query optimization."},
	{Name: "geqo_effort", Default: "5", Type: "integer", Doc: "Genetic query optimization: effort is used to set the default for other GEQO parameters."},
	{Name: "geqo_generations", Default: "0", Type: "integer", Doc: "Genetic query optimization: number of iterations of the algorithm."},
	{Name: "geqo_pool_size", Default: "0", Type: "integer", Doc: "Genetic query optimization: number of individuals in the population."},
	{Name: "geqo_seed", Default: "0", Type: "real", Doc: "Genetic query optimization: seed for random path selection."},
	{Name: "geqo_selection_bias", Default: "2", Type: "real", Doc: "Genetic query optimization: selective pressure within the population."},
	{Name: "geqo_threshold", Default: "12", Type: "integer", Doc: "Sets the threshold of FROM items beyond which GEQO is used."},
	{Name: "gin_fuzzy_search_limit", Default: "0", Type: "integer", Doc: "Sets the maximum allowed result for exact search by GIN."},
	{Name: "gin_pending_list_limit", Default: "4MB", Type: "integer", Unit: "kB", Doc: "Sets the maximum size of the pending list for GIN index."},
	{Name: "hash_mem_multiplier", Default: "2", Type: "real", Doc: "Multiple of work_mem to use for hash tables."},
	{Name: "jit_above_cost", Default: "100000", Type: "real", Doc: "Perform JIT compilation if query is more expensive."},
	{Name: "jit_expressions", Default: "on", Type: "bool", Doc: "Allow JIT compilation of expressions."},
	{Name: "jit_inline_above_cost", Default: "500000", Type: "real", Doc: "Perform JIT inlining if query is more expensive."},
	{Name: "jit_optimize_above_cost", Default: "500000", Type: "real", Doc: "Optimize JIT-compiled functions if query is more expensive."},
	{Name: "jit_tuple_deforming", Default: "on", Type: "bool", Doc: "Allow JIT compilation of tuple deforming."},
	{Name: "join_collapse_limit", Default: "8", Type: "integer", Doc: "Sets the FROM-list size beyond which JOIN constructs are not flattened."},
	{Name: "lo_compat_privileges", Default: "off", Type: "bool", Superuser: true, Doc: "Enables backward compatibility mode for privilege checks on large objects."},
	{Name: "local_preload_libraries", Doc: "Lists unprivileged shared libraries to preload into each backend."},
	{Name: "log_duration", Default: "off", Type: "bool", Superuser: true, Doc: "Logs the duration of each completed SQL statement."},
	{Name: "log_error_verbosity", Default: "default", Options: []string{"terse", "default", "verbose"}, Superuser: true, Doc: "Sets the verbosity of logged messages."},
	{Name: "log_executor_stats", Default: "off", Type: "bool", Superuser: true, Doc: "Writes executor performance statistics to the server log."},
	{Name: "log_lock_waits", Default: "off", Type: "bool", Superuser: true, Doc: "Logs long lock waits."},
	{Name: "log_min_duration_sample", Default: "-1", Type: "integer", Unit: "ms", Superuser: true, Doc: "Sets the minimum execution time above which a sample of statements will be logged. Sampling is determined by log_statement_sample_rate."},
	{Name: "log_min_error_statement", Default: "error", Options: []string{"debug5", "debug4", "debug3", "debug2", "debug1", "info", "notice", "warning", "error", "log", "fatal", "panic"}, Superuser: true, Doc: "Causes all statements generating error at or above this level to be logged."},
	{Name: "log_min_messages", Default: "warning", Options: []string{"debug5", "debug4", "debug3", "debug2", "debug1", "info", "notice", "warning", "error", "log", "fatal", "panic"}, Superuser: true, Doc: "Sets the message levels that are logged."},
	{Name: "log_parameter_max_length", Default: "-1", Type: "integer", Unit: "B", Superuser: true, Doc: "Sets the maximum length in bytes of data logged for bind parameter values when logging statements."},
	{Name: "log_parameter_max_length_on_error", Default: "0", Type: "integer", Unit: "B", Doc: "Sets the maximum length in bytes of data logged for bind parameter values when logging statements, on error."},
	{Name: "log_parser_stats", Default: "off", Type: "bool", Superuser: true, Doc: "Writes parser performance statistics to the server log."},
	{Name: "log_planner_stats", Default: "off", Type: "bool", Superuser: true, Doc: "Writes planner performance statistics to the server log."},
	{Name: "log_replication_commands", Default: "off", Type: "bool", Superuser: true, Doc: "Logs each replication command."},
	{Name: "log_statement", Default: "none", Options: []string{"none", "ddl", "mod", "all"}, Superuser: true, Doc: "Sets the type of statements logged."},
	{Name: "log_statement_sample_rate", Default: "1", Type: "real", Superuser: true, Doc: "Fraction of statements exceeding log_min_duration_sample to be logged."},
	{Name: "log_statement_stats", Default: "off", Type: "bool", Superuser: true, Doc: "Writes cumulative performance statistics to the server log."},
	{Name: "log_temp_files", Default: "-1", Type: "integer", Unit: "kB", Superuser: true, Doc: "Log the use of temporary files larger than this number of kilobytes."},
	{Name: "log_transaction_sample_rate", Default: "0", Type: "real", Superuser: true, Doc: "Sets the fraction of transactions from which to log all statements."},
	{Name: "logical_decoding_work_mem", Default: "64MB", Type: "integer", Unit: "kB", Doc: "Sets the maximum memory to be used for logical decoding."},
	{Name: "maintenance_io_concurrency", Default: "10", Type: "integer", Doc: "A variant of effective_io_concurrency that is used for maintenance work."},
	{Name: "maintenance_work_mem", Default: "64MB", Type: "integer", Unit: "kB", Doc: "Sets the maximum memory to be used for maintenance operations."},
	{Name: "max_parallel_maintenance_workers", Default: "2", Type: "integer", Doc: "Sets the maximum number of parallel processes per maintenance operation."},
	{Name: "max_parallel_workers", Default: "8", Type: "integer", Doc: "Sets the maximum number of parallel workers that can be active at one time."},
	{Name: "max_parallel_workers_per_gather", Default: "2", Type: "integer", Doc: "Sets the maximum number of parallel processes per executor node."},
	{Name: "min_parallel_index_scan_size", Default: "512kB", Type: "integer", Unit: "8kB", Doc: "Sets the minimum amount of index data for a parallel scan."},
	{Name: "min_parallel_table_scan_size", Default: "8MB", Type: "integer", Unit: "8kB", Doc: "Sets the minimum amount of table data for a parallel scan."},
	{Name: "parallel_leader_participation", Default: "on", Type: "bool", Doc: "Controls whether Gather and Gather Merge also run subplans."},
	{Name: "parallel_setup_cost", Default: "1000", Type: "real", Doc: "Sets the planner's estimate of the cost of starting up worker processes for parallel query."},
	{Name: "parallel_tuple_cost", Default: "0.1", Type: "real", Doc: "Sets the planner's estimate of the cost of passing each tuple (row) from worker to leader backend."},
	{Name: "quote_all_identifiers", Default: "off", Type: "bool", Doc: "When generating SQL fragments, quote all identifiers."},
	{Name: "random_page_cost", Default: "4", Type: "real", Doc: "Sets the planner's estimate of the cost of a nonsequentially fetched disk page."},
	{Name: "recursive_worktable_factor", Default: "10", Type: "real", Doc: "Sets the planner's estimate of the average size of a recursive query's working table."},
	{Name: "seq_page_cost", Default: "1", Type: "real", Doc: "Sets the planner's estimate of the cost of a sequentially fetched disk page."},
	{Name: "session_preload_libraries", Superuser: true, Doc: "Lists shared libraries to preload into each backend."},
	{Name: "stats_fetch_consistency", Default: "cache", Options: []string{"none", "cache", "snapshot"}, Doc: "Sets the consistency of accesses to statistics data."},
	{Name: "tcp_keepalives_count", Default: "0", Type: "integer", Doc: "Maximum number of TCP keepalive retransmits."},
	{Name: "tcp_keepalives_idle", Default: "0", Type: "integer", Unit: "s", Doc: "Time between issuing TCP keepalives."},
	{Name: "tcp_keepalives_interval", Default: "0", Type: "integer", Unit: "s", Doc: "Time between TCP keepalive retransmits."},
	{Name: "tcp_user_timeout", Default: "0", Type: "integer", Unit: "ms", Doc: "TCP user timeout."},
	{Name: "temp_buffers", Default: "8MB", Type: "integer", Unit: "8kB", Doc: "Sets the maximum number of temporary buffers used by each session."},
	{Name: "temp_tablespaces", Doc: "Sets the tablespace(s) to use for temporary tables and sort files."},
	{Name: "timezone_abbreviations", Default: "Default", Doc: "Selects a file of time zone abbreviations."},
	{Name: "trace_notify", Default: "off", Type: "bool", Doc: "Generates debugging output for LISTEN and NOTIFY."},
	{Name: "trace_sort", Default: "off", Type: "bool", Doc: "Emit information about resource usage in sorting."},
	{Name: "track_activities", Default: "on", Type: "bool", Superuser: true, Doc: "Collects information about executing commands."},
	{Name: "track_counts", Default: "on", Type: "bool", Superuser: true, Doc: "Collects statistics on database activity."},
	{Name: "track_functions", Default: "none", Options: []string{"none", "pl", "all"}, Superuser: true, Doc: "Collects function-level statistics on database activity."},
	{Name: "track_io_timing", Default: "off", Type: "bool", Superuser: true, Doc: "Collects timing statistics for database I/O activity."},
	{Name: "track_wal_io_timing", Default: "off", Type: "bool", Superuser: true, Doc: "Collects timing statistics for WAL I/O activity."},
	{Name: "transform_null_equals", Default: "off", Type: "bool", Doc: "Treats \"expr=NULL\" as \"expr IS NULL\"."},
	{Name: "update_process_title", Default: "on", Type: "bool", Superuser: true, Doc: "Updates the process title to show the active SQL command."},
	{Name: "vacuum_cost_delay", Default: "0", Type: "real", Unit: "ms", Doc: "Vacuum cost delay in milliseconds."},
	{Name: "vacuum_cost_limit", Default: "200", Type: "integer", Doc: "Vacuum cost amount available before napping."},
	{Name: "vacuum_cost_page_dirty", Default: "20", Type: "integer", Doc: "Vacuum cost for a page dirtied by vacuum."},
	{Name: "vacuum_cost_page_hit", Default: "1", Type: "integer", Doc: "Vacuum cost for a page found in the buffer cache."},
	{Name: "vacuum_cost_page_miss", Default: "2", Type: "integer", Doc: "Vacuum cost for a page not found in the buffer cache."},
	{Name: "vacuum_failsafe_age", Default: "1600000000", Type: "integer", Doc: "Age at which VACUUM should trigger failsafe to avoid a wraparound outage."},
	{Name: "vacuum_freeze_min_age", Default: "50000000", Type: "integer", Doc: "Minimum age at which VACUUM should freeze a table row."},
	{Name: "vacuum_freeze_table_age", Default: "150000000", Type: "integer", Doc: "Age at which VACUUM should scan whole table to freeze tuples."},
	{Name: "vacuum_multixact_failsafe_age", Default: "1600000000", Type: "integer", Doc: "Multixact age at which VACUUM should trigger failsafe to avoid a wraparound outage."},
	{Name: "vacuum_multixact_freeze_min_age", Default: "5000000", Type: "integer", Doc: "Minimum age at which VACUUM should freeze a MultiXactId in a table row."},
	{Name: "vacuum_multixact_freeze_table_age", Default: "150000000", Type: "integer", Doc: "Multixact age at which VACUUM should scan whole table to freeze tuples."},
	{Name: "wal_compression", Default: "off", Options: []string{"pglz", "lz4", "zstd", "on", "off"}, Superuser: true, Doc: "Compresses full-page writes written in WAL file with specified method."},
	{Name: "wal_consistency_checking", Superuser: true, Doc: "Sets the WAL resource managers for which WAL consistency checks are done."},
	{Name: "wal_init_zero", Default: "on", Type: "bool", Superuser: true, Doc: "Writes zeroes to new WAL files before first use."},
	{Name: "wal_recycle", Default: "on", Type: "bool", Superuser: true, Doc: "Recycles WAL files by renaming them."},
	{Name: "wal_sender_timeout", Default: "1min", Type: "integer", Unit: "ms", Doc: "Sets the maximum time to wait for WAL replication."},
	{Name: "wal_skip_threshold", Default: "2MB", Type: "integer", Unit: "kB", Doc: "Minimum size of new file to fsync instead of writing WAL."},
	{Name: "xmlbinary", Default: "base64", Options: []string{"base64", "hex"}, Doc: "Sets how binary values are to be encoded in XML."},
}

// onlyDefault is the check of a fixed parameter: 22023 for what is no value of it, 0A000 for one
// that is not its default, however that is written.
func (p *Parameter) onlyDefault(name, value string) (string, error) {
	same := value == p.Default
	var err error
	switch {
	case p.Type == "bool":
		value, err = boolean(name, value)
		same = value == p.Default
	case p.Options != nil:
		value, err = oneOf(p.Options...)(name, value)
		same = value == p.Default
	case p.Type != "":
		var given, def float64
		if given, err = p.amount(value); err != nil {
			return "", badValue(name, value)
		}
		def, err = p.amount(p.Default)
		same = given == def
	}
	if err != nil || same {
		return p.Default, err
	}
	hint := instead(strings.ToLower(name))
	if hint == "" {
		hint = "Nothing here depends on it."
	}
	return "", sqlerr.Unsupported(`value "`+value+`" of parameter "`+p.Name+`" is not supported`, hint+` Leave it at "`+p.Default+`".`)
}

// amount reads a number, which has the parameter's unit if it does not name one.
func (p *Parameter) amount(value string) (float64, error) {
	same := func(v float64) float64 { return v }
	switch p.Unit {
	case "ms":
		return parseUnits(value, float64(time.Millisecond), timeUnits, same)
	case "s":
		return parseUnits(value, float64(time.Second), timeUnits, same)
	case "B":
		return parseUnits(value, 1, byteUnits, same)
	case "kB":
		return parseUnits(value, 1<<10, byteUnits, same)
	case "8kB":
		return parseUnits(value, 8<<10, byteUnits, same)
	}
	return strconv.ParseFloat(strings.TrimSpace(value), 64)
}

// Fixed says that the parameter takes no value but its default.
func (p *Parameter) Fixed() bool { return p.fixed }
