-- What was read and written of each bucket of table $1, or of its index $2.
SELECT bucket, reads, writes, peak, rows_read, rows_returned, rows_written, bytes_read, bytes_written
FROM saltsql.bucket_skew
WHERE table_oid = $1::oid AND coalesce(index_name::text, '') = $2::text
ORDER BY bucket
