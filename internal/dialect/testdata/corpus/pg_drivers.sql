-- Queries in the shape drivers, ORMs and tools ask the catalog.

SELECT n.nspname, c.relname, a.attname, a.atttypid, a.attnotnull OR (t.typtype = 'd' AND t.typnotnull) AS attnotnull,
       a.atttypmod, a.attlen, t.typtypmod, row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum) AS attnum,
       nullif(a.attidentity, '') AS attidentity, nullif(a.attgenerated, '') AS attgenerated,
       pg_catalog.pg_get_expr(def.adbin, def.adrelid) AS adsrc, dsc.description, t.typbasetype, t.typtype
FROM pg_catalog.pg_namespace n
JOIN pg_catalog.pg_class c ON (c.relnamespace = n.oid)
JOIN pg_catalog.pg_attribute a ON (a.attrelid = c.oid)
JOIN pg_catalog.pg_type t ON (a.atttypid = t.oid)
LEFT JOIN pg_catalog.pg_attrdef def ON (a.attrelid = def.adrelid AND a.attnum = def.adnum)
LEFT JOIN pg_catalog.pg_description dsc ON (c.oid = dsc.objoid AND a.attnum = dsc.objsubid)
LEFT JOIN pg_catalog.pg_class dc ON (dc.oid = dsc.classoid AND dc.relname = 'pg_class')
WHERE c.relkind IN ('r', 'p', 'v', 'f', 'm') AND a.attnum > 0 AND NOT a.attisdropped AND c.relname LIKE E'metr\\_ics' ORDER BY nspname, c.relname, attnum;

SELECT result.table_cat, result.column_name, result.key_seq, result.pk_name
FROM (SELECT NULL AS table_cat, a.attname AS column_name,
             (information_schema._pg_expandarray(i.indkey)).n AS key_seq, ci.relname AS pk_name,
             information_schema._pg_expandarray(i.indkey) AS keys, a.attnum AS a_attnum
      FROM pg_catalog.pg_class ct
      JOIN pg_catalog.pg_attribute a ON (ct.oid = a.attrelid)
      JOIN pg_catalog.pg_index i ON (a.attrelid = i.indrelid)
      JOIN pg_catalog.pg_class ci ON (ci.oid = i.indexrelid)
      WHERE true AND i.indisprimary) result
WHERE result.a_attnum = (result.keys).x ORDER BY result.pk_name, result.key_seq;

SELECT t.oid, t.typname, (SELECT nspname FROM pg_namespace WHERE oid = t.typnamespace), t.typtype::"char",
       CASE WHEN t.typelem <> 0 AND t.typlen = -1 THEN 'A' ELSE t.typcategory END
FROM pg_catalog.pg_type AS t LEFT JOIN pg_range ON t.oid = rngtypid
WHERE t.typname = ANY ($1::text[]) OR t.oid = ANY('{1,2}'::oid[]);

select current_schema(), version(), pg_catalog.current_setting('server_version_num')::int / 100, has_schema_privilege('public'::regnamespace, 'USAGE');

SELECT pg_catalog.pg_class.relname
FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace
WHERE pg_catalog.pg_class.relname = $1::VARCHAR AND pg_catalog.pg_class.relkind = ANY (ARRAY[$2::VARCHAR, $3::VARCHAR])
  AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != $4::VARCHAR;

SELECT attr.conname, array_agg(attr.attname ORDER BY attr.ord) AS cols, attr.description
FROM (SELECT con.conrelid, con.conname, con.conindid, con.description, con.ord, a.attname
      FROM pg_attribute a JOIN (
        SELECT c.conrelid, c.conname, c.conindid, unnest(c.conkey) AS attnum, generate_subscripts(c.conkey, 1) AS ord, d.description
        FROM pg_constraint c LEFT OUTER JOIN pg_description d ON d.objoid = c.oid WHERE c.contype = 'p' AND c.conrelid IN (16384, 16385)) AS con
      ON a.attnum = con.attnum AND a.attrelid = con.conrelid WHERE con.conrelid IN (16384)) AS attr
GROUP BY attr.conrelid, attr.conname, attr.description ORDER BY attr.conrelid, attr.conname;

SELECT format_type(a.atttypid, a.atttypmod), col_description(c.oid, a.attnum) AS comment,
       (SELECT c.collname FROM pg_collation c, pg_type t WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation)
FROM pg_attribute a LEFT JOIN pg_attrdef d ON a.attrelid = d.adrelid AND a.attnum = d.adnum, pg_class c
WHERE a.attrelid = '"metrics"'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum;

SELECT c.relname, c.oid, string_agg(a.attname, ', ' ORDER BY k.n) FILTER (WHERE a.attnum > 0) AS "columns", ind.indoption[0] & 1 <> 0 AS desc
FROM pg_index ind CROSS JOIN LATERAL unnest(ind.indkey::int2[]) WITH ORDINALITY AS k(attnum, n)
JOIN pg_class c ON c.oid = ind.indexrelid LEFT JOIN pg_attribute a ON a.attrelid = ind.indrelid AND a.attnum = k.attnum
GROUP BY 1, 2, ind.indoption[0];

SELECT n.nspname = ANY(current_schemas(true)), n.nspname, t.typname FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON t.typnamespace = n.oid WHERE t.oid = $1;

SELECT table_schema || '.' || table_name AS "key", substring(column_default from $$'(.*)'$$), ordinal_position::int
FROM information_schema.columns WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_name !~ '^pg_' ORDER BY 1, 3 DESC NULLS LAST LIMIT 100 OFFSET 0;

SELECT CAST(c.relkind AS text), obj_description(c.oid, 'pg_class'), pg_size_pretty(pg_total_relation_size(c.oid)),
       array_to_string(c.relacl, E'\n'), coalesce(c.reltuples::bigint, -1)
FROM pg_class c WHERE c.relnamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname ~ '^pg_(toast|temp)') AND c.relkind = ANY ('{r,v}');

INSERT INTO "users" ("name", "created_at", "tags") VALUES ($1, now() AT TIME ZONE 'utc', ARRAY['a', 'b']::text[]) RETURNING "id", "users"."name" AS "n";

INSERT INTO kv AS target (k, v) VALUES ('a', 1), ('b', DEFAULT)
ON CONFLICT (k) WHERE v IS NOT NULL DO UPDATE SET v = excluded.v + target.v, (a, b) = ROW(1, DEFAULT) WHERE target.v < excluded.v RETURNING (xmax = 0) AS inserted;

UPDATE "accounts" AS a SET "balance" = a."balance" - $1, seen = CURRENT_TIMESTAMP FROM (VALUES (1, 'x'::text), (2, 'y')) AS d(id, tag) WHERE a.id = d.id AND a.tag IS DISTINCT FROM d.tag RETURNING a.*;

DELETE FROM ONLY sessions s USING users u WHERE s.user_id = u.id AND u.gone AND s.at < now() - interval '30 days' RETURNING s.id;
