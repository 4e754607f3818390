-- The columns of table $1: those of the key in its order, then the others.
SELECT column_name, data_type, key_position, descending, column_family, not_null, column_default
FROM saltsql.columns
WHERE table_oid = $1::oid
ORDER BY key_position NULLS LAST, column_id
