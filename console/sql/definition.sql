-- The statements that make table $1 and what belongs to it.
SELECT definition
FROM saltsql.definitions
WHERE object_oid = $1::oid OR object_oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = $1::oid)
ORDER BY ordinal
