-- What all servers of the store have done since their start. Rates are differences of two answers.
SELECT clock_timestamp() AS at,
       coalesce(sum(calls), 0)::bigint AS statements,
       coalesce(sum(errors), 0)::bigint AS errors,
       coalesce(sum(total_exec_time), 0) AS exec_ms,
       coalesce(sum(rows), 0)::bigint AS rows_given,
       coalesce(sum(rows_read), 0)::bigint AS rows_read,
       coalesce(sum(rows_written), 0)::bigint AS rows_written,
       coalesce(sum(storage_calls), 0)::bigint AS storage_calls,
       coalesce(sum(bytes_read), 0)::bigint AS bytes_read,
       count(DISTINCT server) AS servers
FROM saltsql.statements
