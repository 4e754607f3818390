-- One shape of statements, $1, on each server.
SELECT server, query, calls, total_exec_time AS total_ms, mean_exec_time AS mean_ms, min_exec_time AS min_ms,
       max_exec_time AS max_ms, stddev_exec_time AS stddev_ms, rows, rows_read, rows_written, storage_calls,
       bytes_read, buckets, spill_bytes, errors
FROM saltsql.statements
WHERE queryid = $1::bigint
ORDER BY total_exec_time DESC
