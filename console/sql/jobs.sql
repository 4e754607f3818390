-- The changes of tables that go on while the tables serve.
SELECT job_id, schema_name, table_name, command, state, rows_done, rows_total, rows_again, rows_per_second,
       extract(epoch FROM clock_timestamp() - started) AS seconds, server
FROM saltsql.jobs
ORDER BY started
