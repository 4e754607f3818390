-- Indexes that statements of the last time would have gained by.
SELECT schema_name, table_name, index_definition, calls, rows_read, rows_spared, writes, query
FROM saltsql.index_advice
ORDER BY rows_spared DESC
LIMIT 20
