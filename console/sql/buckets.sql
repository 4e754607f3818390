-- How evenly the salt spreads the rows of table $1.
SELECT bucket, bytes, share
FROM saltsql.buckets
WHERE table_oid = $1::oid
ORDER BY bucket
