-- Analytic queries, in the shape of decision-support benchmarks and BI tools.

SELECT region, sum(qty) AS sum_qty, sum(price * (1 - discount)) AS revenue, sum(price * (1 - discount) * (1 + tax)) AS charge,
       avg(qty), count(*) AS orders
FROM sales WHERE sold <= date '2024-12-01' - interval '90' day GROUP BY region, status ORDER BY region, status;

SELECT c.id, c.name, sum(l.price * (1 - l.discount)) AS revenue
FROM customer c, orders o, line l, nation n
WHERE c.id = o.customer_id AND l.order_id = o.id AND o.placed >= DATE '2024-10-01' AND o.placed < DATE '2024-10-01' + INTERVAL '3' MONTH
  AND l.flag = 'R' AND c.nation_id = n.id GROUP BY c.id, c.name HAVING sum(l.price) > 10.50 ORDER BY revenue DESC LIMIT 20;

SELECT p.brand, count(DISTINCT s.supplier_id) AS suppliers FROM part_supply s, part p
WHERE p.id = s.part_id AND p.brand <> 'Brand#45' AND p.type NOT LIKE 'MEDIUM%' AND p.size IN (49, 14, 23)
  AND s.supplier_id NOT IN (SELECT id FROM supplier WHERE comment LIKE '%Complaints%') GROUP BY p.brand ORDER BY suppliers DESC, p.brand;

WITH monthly AS (
  SELECT date_trunc('month', ts) AS m, host, avg(cpu) AS cpu, percentile_cont(0.95) WITHIN GROUP (ORDER BY cpu) AS p95
  FROM metrics GROUP BY 1, 2
), ranked AS MATERIALIZED (
  SELECT *, rank() OVER w AS r, lag(cpu, 1, 0.0) OVER (PARTITION BY host ORDER BY m) AS before,
         sum(cpu) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES) AS total
  FROM monthly WINDOW w AS (PARTITION BY m ORDER BY cpu DESC NULLS LAST)
)
SELECT m::date, host, CASE WHEN before = 0 THEN NULL ELSE round((100 * (cpu - before) / before)::numeric, 1) END AS change
FROM ranked r WHERE r.r <= 3 OR EXISTS (SELECT FROM monthly x WHERE x.host = r.host AND x.cpu > 2 * r.cpu) ORDER BY 1, 3 DESC;

WITH RECURSIVE tree(id, parent, path, depth) AS (
  SELECT id, parent, ARRAY[id], 1 FROM node WHERE parent IS NULL
  UNION ALL
  SELECT n.id, n.parent, t.path || n.id, t.depth + 1 FROM node n JOIN tree t ON n.parent = t.id WHERE NOT n.id = ANY (t.path)
) SELECT repeat('  ', depth - 1) || id::text, path[array_upper(path, 1)], path[1:2] FROM tree ORDER BY path;

SELECT coalesce(a.day, b.day) AS day, GREATEST(a.n, b.n), a.n * 100.0 / NULLIF(b.n, 0), grouping(kind, day)
FROM (SELECT day, kind, count(*) FILTER (WHERE ok) AS n FROM events GROUP BY GROUPING SETS ((day, kind), ROLLUP (day), ())) a
FULL OUTER JOIN baseline b USING (day) NATURAL LEFT JOIN holidays CROSS JOIN LATERAL (SELECT max(x) FROM unnest(ARRAY[1, 2, 3]) AS x) m(top)
WHERE (a.day, a.kind) > ($1, $2) AND a.n BETWEEN SYMMETRIC 10 AND 1 AND b.note ILIKE '%a\_b%' ESCAPE '\' AND extract(isodow FROM a.day) NOT IN (6, 7);

(SELECT 'new' AS what, id FROM a EXCEPT ALL SELECT 'new', id FROM b) UNION ALL (SELECT 'gone', id FROM b INTERSECT SELECT 'gone', id FROM c ORDER BY 2 LIMIT 5) ORDER BY what, id OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY;

SELECT DISTINCT ON (host) host, ts, cpu, first_value(cpu) OVER (PARTITION BY host ORDER BY ts RANGE BETWEEN '1 hour' PRECEDING AND '0' FOLLOWING)
FROM metrics TABLESAMPLE bernoulli (10) REPEATABLE (42) WHERE ts AT TIME ZONE 'utc' > timestamp with time zone '2024-01-01 00:00:00+00' ORDER BY host, ts DESC FOR SHARE OF metrics SKIP LOCKED;
