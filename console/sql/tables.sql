-- Each table, with its key, its salt and its size.
SELECT t.table_oid, t.schema_name, t.table_name,
       array_to_string(t.primary_key, ', ') AS key,
       t.salt_buckets,
       array_to_string(t.salt_columns, ', ') AS salt_columns,
       t.estimated_rows AS rows,
       pg_table_size(t.table_oid) AS bytes,
       (SELECT count(*) FROM pg_index i WHERE i.indrelid = t.table_oid AND NOT i.indisprimary) AS indexes
FROM saltsql.tables t
ORDER BY t.schema_name, t.table_name
