-- What each bucket of table $1, or of its index $2, got in each minute that servers keep.
SELECT at, string_agg(bucket::text, ',' ORDER BY bucket) AS buckets,
       string_agg(reads::text, ',' ORDER BY bucket) AS reads,
       string_agg(writes::text, ',' ORDER BY bucket) AS writes
FROM (SELECT at, coalesce(bucket, 0) AS bucket, sum(reads)::bigint AS reads, sum(writes)::bigint AS writes
      FROM saltsql.heatmap
      WHERE table_oid = $1::oid AND coalesce(index_name::text, '') = $2::text AND at IS NOT NULL AND reads IS NOT NULL
      GROUP BY at, coalesce(bucket, 0)) cells
GROUP BY at
ORDER BY at
