-- The statements that took the most time, of all servers, by shape: constants are left out.
SELECT queryid, left(min(query), 400) AS query,
       sum(calls)::bigint AS calls,
       sum(total_exec_time) AS total_ms,
       sum(total_exec_time) / nullif(sum(calls), 0) AS mean_ms,
       max(max_exec_time) AS max_ms,
       sum(rows)::bigint AS rows,
       sum(rows_read)::bigint AS rows_read,
       sum(storage_calls)::bigint AS storage_calls,
       sum(bytes_read)::bigint AS bytes_read,
       sum(errors)::bigint AS errors
FROM saltsql.statements
GROUP BY queryid
ORDER BY sum(total_exec_time) DESC
LIMIT 200
