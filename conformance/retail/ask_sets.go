package retail

// Questions of sets, trees, and queries within queries, over all of it.
var askSets = []Question{
	{"whether lines of a band are cheap enough, by CASE over five subqueries", `
SELECT CASE WHEN (SELECT count(*) FROM shop_sales WHERE ss_count BETWEEN 1 AND 20) > 400 THEN (SELECT avg(ss_discount) FROM shop_sales WHERE ss_count BETWEEN 1 AND 20) ELSE (SELECT avg(ss_paid) FROM shop_sales WHERE ss_count BETWEEN 1 AND 20) END AS bucket1,
  CASE WHEN (SELECT count(*) FROM shop_sales WHERE ss_count BETWEEN 21 AND 40) > 100000 THEN (SELECT avg(ss_discount) FROM shop_sales WHERE ss_count BETWEEN 21 AND 40) ELSE (SELECT avg(ss_paid) FROM shop_sales WHERE ss_count BETWEEN 21 AND 40) END AS bucket2,
  CASE WHEN (SELECT count(*) FROM shop_sales WHERE ss_count > 40) > 500 THEN (SELECT max(ss_discount) FROM shop_sales WHERE ss_count > 40) ELSE (SELECT min(ss_paid) FROM shop_sales WHERE ss_count > 40) END AS bucket3
FROM reasons WHERE r_key = 1`},

	{"profit of the web by category and class, in all levels written out", `
WITH results AS (SELECT i_category, i_class, sum(ws_paid) AS total FROM web_sales, days, items WHERE d_months BETWEEN 24 AND 35 AND d_key = ws_day AND i_key = ws_item GROUP BY i_category, i_class),
  rolled AS (SELECT total, i_category, i_class, 0 AS g1, 0 AS g2, 0 AS level FROM results UNION SELECT sum(total), i_category, NULL, 0, 1, 1 FROM results GROUP BY i_category UNION SELECT sum(total), NULL, NULL, 1, 1, 2 FROM results)
SELECT total, i_category, i_class, level, rank() OVER (PARTITION BY level, CASE WHEN g2 = 0 THEN i_category END ORDER BY total DESC) AS place FROM rolled
ORDER BY level DESC, CASE WHEN level = 0 THEN i_category END, place, i_category, i_class LIMIT 100`},

	{"the same by ROLLUP", `
SELECT sum(ws_paid) AS total, i_category, i_class, GROUPING(i_category, i_class) AS level, rank() OVER (PARTITION BY GROUPING(i_category, i_class), CASE WHEN GROUPING(i_class) = 0 THEN i_category END ORDER BY sum(ws_paid) DESC) AS place
FROM web_sales, days, items WHERE d_months BETWEEN 24 AND 35 AND d_key = ws_day AND i_key = ws_item
GROUP BY ROLLUP (i_category, i_class) ORDER BY level DESC, 2, place, 3 LIMIT 100`},

	{"the share of an item in its class by mail and on the web, side by side", `
SELECT coalesce(m.i_class, w.i_class) AS class, coalesce(m.i_id, w.i_id) AS id, m.revenue, m.share, w.revenue AS on_web, w.share AS web_share
FROM (SELECT i_class, i_id, sum(ms_total) AS revenue, round(sum(ms_total) * 100 / sum(sum(ms_total)) OVER (PARTITION BY i_class), 6) AS share FROM mail_sales, items, days WHERE ms_item = i_key AND ms_day = d_key AND d_date BETWEEN '2000-02-01' AND '2000-09-01' GROUP BY i_class, i_id) m
FULL JOIN (SELECT i_class, i_id, sum(ws_total) AS revenue, round(sum(ws_total) * 100 / sum(sum(ws_total)) OVER (PARTITION BY i_class), 6) AS share FROM web_sales, items, days WHERE ws_item = i_key AND ws_day = d_key AND d_date BETWEEN '2000-02-01' AND '2000-09-01' GROUP BY i_class, i_id) w USING (i_class, i_id)
ORDER BY class, id LIMIT 100`},

	{"items of every color of a list that three channels sell, by division", `
SELECT i_id FROM (SELECT DISTINCT i_id FROM items) i
WHERE NOT EXISTS (SELECT 1 FROM (VALUES ('s'), ('m'), ('w')) AS c(kind) WHERE NOT EXISTS (
  SELECT 1 FROM items x WHERE x.i_id = i.i_id AND CASE c.kind WHEN 's' THEN EXISTS (SELECT 1 FROM shop_sales WHERE ss_item = x.i_key AND ss_count > 90) WHEN 'm' THEN EXISTS (SELECT 1 FROM mail_sales WHERE ms_item = x.i_key AND ms_count > 80) ELSE EXISTS (SELECT 1 FROM web_sales WHERE ws_item = x.i_key AND ws_count > 70) END))
ORDER BY i_id`},

	{"what all have of what any has: sets within sets", `
(SELECT i_key FROM items WHERE i_color = 'plum' UNION SELECT i_key FROM items WHERE i_maker < 10)
INTERSECT ((SELECT ss_item FROM shop_sales WHERE ss_count > 20 EXCEPT ALL SELECT ss_item FROM shop_sales WHERE ss_count > 95) EXCEPT SELECT sr_item FROM shop_returns WHERE sr_reason = 3)
ORDER BY 1`},

	{"duplicates that two channels share, counted", `
SELECT brand, n, count(*) OVER (PARTITION BY n) AS alike FROM (
  SELECT brand, count(*) AS n FROM ((SELECT i_brand AS brand FROM shop_sales JOIN items ON ss_item = i_key WHERE ss_count < 20 INTERSECT ALL SELECT i_brand FROM mail_sales JOIN items ON ms_item = i_key) UNION ALL SELECT i_brand FROM web_sales JOIN items ON ws_item = i_key WHERE ws_count = 50) t GROUP BY brand) u
ORDER BY brand`},

	{"a chain of weeks, each with the sum of all before it, by recursion", `
WITH RECURSIVE weekly AS (SELECT d_week, coalesce(sum(ws_total), 0) AS total FROM days LEFT JOIN web_sales ON ws_day = d_key WHERE d_year = 1999 GROUP BY d_week),
  run(week, total, so_far) AS (
    SELECT d_week, total, total FROM weekly WHERE d_week = (SELECT min(d_week) FROM weekly)
    UNION ALL SELECT w.d_week, w.total, so_far + w.total FROM run JOIN weekly w ON w.d_week = run.week + 1)
SELECT week, total, so_far, so_far = sum(total) OVER (ORDER BY week) AS agrees FROM run ORDER BY week`},

	{"buyers reached from one by orders of the same item, by recursion to three steps", `
WITH RECURSIVE pairs AS MATERIALIZED (SELECT DISTINCT a.ws_buyer AS x, b.ws_buyer AS y FROM web_sales a JOIN web_sales b ON a.ws_item = b.ws_item AND a.ws_buyer <> b.ws_buyer WHERE a.ws_count > 90 AND b.ws_count > 90),
  reach(who, steps) AS (SELECT min(x), 0 FROM pairs UNION SELECT y, steps + 1 FROM reach JOIN pairs ON x = who WHERE steps < 3)
SELECT steps, count(*), min(who), max(who) FROM (SELECT who, min(steps) AS steps FROM reach GROUP BY who) t GROUP BY steps ORDER BY steps`},

	{"each shop's three best items, and those of the whole beside them", `
SELECT s_name, s_key, t.i_id, t.total, t.total > ALL (SELECT avg(ss_total) FROM shop_sales WHERE ss_shop IS NOT NULL GROUP BY ss_shop) AS above
FROM shops CROSS JOIN LATERAL (SELECT i_id, sum(ss_total) AS total FROM shop_sales JOIN items ON i_key = ss_item WHERE ss_shop = s_key GROUP BY i_id ORDER BY total DESC NULLS LAST, i_id LIMIT 3) t
ORDER BY s_key, t.total DESC, t.i_id`},

	{"rows of pairs in a query of pairs, and not in another", `
SELECT count(*), sum(ss_total) FROM shop_sales
WHERE (ss_order, ss_item) IN (SELECT sr_order, sr_item FROM shop_returns WHERE sr_count > 3) AND (ss_buyer, ss_item) NOT IN (SELECT ms_buyer, ms_item FROM mail_sales WHERE ms_buyer IS NOT NULL)
  AND ss_item NOT IN (SELECT wr_item FROM web_returns WHERE wr_buyer IS NULL)`},

	{"cubes of what the web and mail sent, with sums over levels", `
SELECT m_kind, w_state, channel, GROUPING(m_kind, w_state, channel) AS level, count(*) AS n, sum(total) AS total, sum(count(*)) OVER (PARTITION BY GROUPING(m_kind, w_state, channel)) AS of_level
FROM (SELECT ms_mode AS mode, ms_depot AS depot, 'mail' AS channel, ms_total AS total FROM mail_sales UNION ALL SELECT ws_mode, ws_depot, 'web', ws_total FROM web_sales) t LEFT JOIN modes ON mode = m_key LEFT JOIN depots ON depot = w_key
GROUP BY CUBE (m_kind, w_state, channel) HAVING count(*) > 5 ORDER BY level, m_kind, w_state, channel`},

	{"means by kind of buyer with a subquery in each clause", `
SELECT k_education, (SELECT count(*) FROM traits x WHERE x.k_education = k.k_education AND x.k_kids > 3) AS large, avg(ss_total) AS mean,
  avg(ss_total) - (SELECT avg(ss_total) FROM shop_sales) AS above
FROM shop_sales JOIN traits k ON ss_trait = k_key
GROUP BY k_education HAVING avg(ss_total) > (SELECT 0.5 * avg(ss_total) FROM shop_sales s2 JOIN traits k2 ON s2.ss_trait = k2.k_key WHERE k2.k_education <> k.k_education)
ORDER BY (SELECT min(x.k_key) FROM traits x WHERE x.k_education = k.k_education)`},

	{"the warehouse in one row: what each table holds", `
SELECT (SELECT count(*) FROM shop_sales) AS ss, (SELECT count(*) FROM shop_returns) AS sr, (SELECT count(*) FROM mail_sales) AS ms, (SELECT count(*) FROM mail_returns) AS mr, (SELECT count(*) FROM web_sales) AS ws, (SELECT count(*) FROM web_returns) AS wr,
  (SELECT sum(v_count) FROM stock) AS units, (SELECT count(*) FROM buyers WHERE b_place IN (SELECT a_key FROM places WHERE a_kind = 'condo')) AS condos,
  (SELECT count(*) FROM shop_returns NATURAL JOIN (SELECT ss_order AS sr_order, ss_item AS sr_item FROM shop_sales) s) AS matched, ARRAY(SELECT DISTINCT i_category FROM items ORDER BY 1) AS kinds`},
}
