-- What was read and written of each table and index since counting began. A peak above the expected
-- one says that few keys get most of the load.
SELECT table_oid, schema_name, table_name, index_name,
       count(bucket) AS buckets,
       sum(reads)::bigint AS reads,
       sum(writes)::bigint AS writes,
       max(peak) AS peak,
       max(expected_peak) AS expected_peak,
       sum(bytes_read)::bigint AS bytes_read,
       sum(bytes_written)::bigint AS bytes_written,
       min(since) AS since
FROM saltsql.bucket_skew
GROUP BY table_oid, schema_name, table_name, index_name
ORDER BY sum(reads + writes) DESC NULLS LAST, table_oid, index_name
LIMIT 200
