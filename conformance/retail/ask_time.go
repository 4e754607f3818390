package retail

// When things are sold: hours, weeks, months, a year beside the one before.
var askTime = []Question{
	{"running sums of two channels, joined by item and day", `
WITH web AS (SELECT ws_item AS item, d_date, sum(sum(ws_price)) OVER (PARTITION BY ws_item ORDER BY d_date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total FROM web_sales, days WHERE ws_day = d_key AND d_months BETWEEN 12 AND 23 AND ws_item IS NOT NULL GROUP BY ws_item, d_date),
  shop AS (SELECT ss_item AS item, d_date, sum(sum(ss_price)) OVER (PARTITION BY ss_item ORDER BY d_date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total FROM shop_sales, days WHERE ss_day = d_key AND d_months BETWEEN 12 AND 23 AND ss_item IS NOT NULL GROUP BY ss_item, d_date)
SELECT * FROM (
  SELECT item, d_date, w, s, max(w) OVER (PARTITION BY item ORDER BY d_date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS most_w, max(s) OVER (PARTITION BY item ORDER BY d_date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS most_s
  FROM (SELECT CASE WHEN web.item IS NOT NULL THEN web.item ELSE shop.item END AS item, CASE WHEN web.d_date IS NOT NULL THEN web.d_date ELSE shop.d_date END AS d_date, web.total AS w, shop.total AS s FROM web FULL OUTER JOIN shop ON web.item = shop.item AND web.d_date = shop.d_date) x) y
WHERE most_w > most_s ORDER BY item, d_date LIMIT 100`},

	{"months that stand apart, beside the month before and after", `
WITH v1 AS (
  SELECT i_category, i_brand, s_name, d_year, d_month, sum(ss_price) AS sold, avg(sum(ss_price)) OVER (PARTITION BY i_category, i_brand, s_name, d_year) AS mean,
    rank() OVER (PARTITION BY i_category, i_brand, s_name ORDER BY d_year, d_month) AS rn
  FROM items, shop_sales, days, shops WHERE ss_item = i_key AND ss_day = d_key AND ss_shop = s_key AND (d_year = 2000 OR (d_year = 1999 AND d_month = 12) OR (d_year = 2001 AND d_month = 1))
  GROUP BY i_category, i_brand, s_name, d_year, d_month),
v2 AS (SELECT v1.i_category, v1.i_brand, v1.s_name, v1.d_year, v1.d_month, v1.mean, v1.sold, lag_.sold AS before, lead_.sold AS after FROM v1, v1 lag_, v1 lead_
  WHERE v1.i_category = lag_.i_category AND v1.i_category = lead_.i_category AND v1.i_brand = lag_.i_brand AND v1.i_brand = lead_.i_brand AND v1.s_name = lag_.s_name AND v1.s_name = lead_.s_name AND v1.rn = lag_.rn + 1 AND v1.rn = lead_.rn - 1)
SELECT * FROM v2 WHERE d_year = 2000 AND mean > 0 AND CASE WHEN mean > 0 THEN abs(sold - mean) / mean END > 0.1 ORDER BY sold - mean, s_name, i_category, i_brand, d_month, before, after LIMIT 100`},

	{"the same of centers, by lag and lead", `
WITH v1 AS (
  SELECT i_category, c_name, d_year, d_month, sum(ms_price) AS sold, avg(sum(ms_price)) OVER (PARTITION BY i_category, c_name, d_year) AS mean,
    lag(sum(ms_price)) OVER w AS before, lead(sum(ms_price), 1, 0.00) OVER w AS after, first_value(sum(ms_price)) OVER w AS first, last_value(sum(ms_price)) OVER (w ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS last, nth_value(d_month, 2) OVER w AS second
  FROM items, mail_sales, days, centers WHERE ms_item = i_key AND ms_day = d_key AND ms_center = c_key AND d_year BETWEEN 1999 AND 2001
  GROUP BY i_category, c_name, d_year, d_month WINDOW w AS (PARTITION BY i_category, c_name ORDER BY d_year, d_month))
SELECT * FROM v1 WHERE d_year = 2000 AND mean > 0 AND abs(sold - mean) / mean > 0.1 ORDER BY sold - mean, c_name, i_category, d_month LIMIT 100`},

	{"weekdays of shops against the same days a year later", `
WITH wss AS (
  SELECT d_week, ss_shop, sum(CASE WHEN d_dow = 0 THEN ss_price END) AS sun, sum(CASE WHEN d_dow = 1 THEN ss_price END) AS mon, sum(CASE WHEN d_dow = 5 THEN ss_price END) AS fri, sum(CASE WHEN d_dow = 6 THEN ss_price END) AS sat
  FROM shop_sales, days WHERE d_key = ss_day GROUP BY d_week, ss_shop)
SELECT n1, k1, w1, sun1 / nullif(sun2, 0), mon1 / nullif(mon2, 0), fri1 / nullif(fri2, 0), sat1 / nullif(sat2, 0)
FROM (SELECT s_name AS n1, wss.d_week AS w1, s_key AS k1, sun AS sun1, mon AS mon1, fri AS fri1, sat AS sat1 FROM wss, shops, days d WHERE d.d_week = wss.d_week AND ss_shop = s_key AND d_months BETWEEN 12 AND 23 AND d_dow = 1) y,
  (SELECT s_name AS n2, wss.d_week AS w2, s_key AS k2, sun AS sun2, mon AS mon2, fri AS fri2, sat AS sat2 FROM wss, shops, days d WHERE d.d_week = wss.d_week AND ss_shop = s_key AND d_months BETWEEN 24 AND 35 AND d_dow = 1) x
WHERE k1 = k2 AND w1 = w2 - 52 ORDER BY n1, k1, w1 LIMIT 100`},

	{"lines in eight half hours of the morning, each a subquery", `
SELECT * FROM
  (SELECT count(*) AS h8 FROM shop_sales, homes, times, shops WHERE ss_time = t_key AND ss_home = h_key AND ss_shop = s_key AND t_hour = 8 AND t_minute >= 30 AND ((h_people = 4 AND h_cars <= 6) OR (h_people = 2 AND h_cars <= 4) OR (h_people = 0 AND h_cars <= 2))) s1,
  (SELECT count(*) AS h9 FROM shop_sales, homes, times, shops WHERE ss_time = t_key AND ss_home = h_key AND ss_shop = s_key AND t_hour = 9 AND t_minute < 30 AND ((h_people = 4 AND h_cars <= 6) OR (h_people = 2 AND h_cars <= 4))) s2,
  (SELECT count(*) AS h10 FROM shop_sales, homes, times, shops WHERE ss_time = t_key AND ss_home = h_key AND ss_shop = s_key AND t_hour = 9 AND t_minute >= 30 AND h_cars <= 2) s3,
  (SELECT count(*) AS h11 FROM shop_sales, homes, times, shops WHERE ss_time = t_key AND ss_home = h_key AND ss_shop = s_key AND t_hour = 10 AND t_minute < 30 AND s_name = 'ese') s4,
  (SELECT count(*) AS h12 FROM shop_sales, homes, times, shops WHERE ss_time = t_key AND ss_home = h_key AND ss_shop = s_key AND t_hour = 12 AND s_name = 'able') s5`},

	{"the web's morning by its evening", `
SELECT am::decimal(15,4) / pm::decimal(15,4) AS ratio
FROM (SELECT count(*) AS am FROM web_sales, homes, times, pages WHERE ws_time = t_key AND ws_home = h_key AND ws_page = g_key AND t_hour BETWEEN 8 AND 12 AND h_people BETWEEN 2 AND 8 AND g_chars BETWEEN 2000 AND 8000) a,
  (SELECT count(*) AS pm FROM web_sales, homes, times, pages WHERE ws_time = t_key AND ws_home = h_key AND ws_page = g_key AND t_hour BETWEEN 17 AND 22 AND h_people BETWEEN 2 AND 8 AND g_chars BETWEEN 2000 AND 8000) p ORDER BY ratio`},

	{"growth of counties' shops over quarters beside the web's", `
WITH ss AS (SELECT a_county, d_quarter, d_year, sum(ss_total) AS sales FROM shop_sales, days, places WHERE ss_day = d_key AND ss_place = a_key GROUP BY a_county, d_quarter, d_year),
  ws AS (SELECT a_county, d_quarter, d_year, sum(ws_total) AS sales FROM web_sales, days, places WHERE ws_day = d_key AND ws_place = a_key GROUP BY a_county, d_quarter, d_year)
SELECT ss1.a_county, ss1.d_year, round(ws2.sales / ws1.sales, 4) AS w12, round(ss2.sales / ss1.sales, 4) AS s12, round(ws3.sales / ws2.sales, 4) AS w23, round(ss3.sales / ss2.sales, 4) AS s23
FROM ss ss1, ss ss2, ss ss3, ws ws1, ws ws2, ws ws3
WHERE ss1.d_quarter = 1 AND ss1.d_year = 2000 AND ss1.a_county = ss2.a_county AND ss2.d_quarter = 2 AND ss2.d_year = 2000 AND ss2.a_county = ss3.a_county AND ss3.d_quarter = 3 AND ss3.d_year = 2000
  AND ss1.a_county = ws1.a_county AND ws1.d_quarter = 1 AND ws1.d_year = 2000 AND ws1.a_county = ws2.a_county AND ws2.d_quarter = 2 AND ws2.d_year = 2000 AND ws1.a_county = ws3.a_county AND ws3.d_quarter = 3 AND ws3.d_year = 2000
  AND (CASE WHEN ws1.sales > 0 THEN ws2.sales / ws1.sales END > CASE WHEN ss1.sales > 0 THEN ss2.sales / ss1.sales END OR CASE WHEN ws2.sales > 0 THEN ws3.sales / ws2.sales END > CASE WHEN ss2.sales > 0 THEN ss3.sales / ss2.sales END)
ORDER BY ss1.a_county, ss1.d_year`},

	{"who spent more of their money on the web the next year", `
WITH y AS (
  SELECT b_id AS id, b_first AS f, b_last AS l, d_year AS year, stddev_samp(ss_paid) AS total, 's' AS kind FROM buyers, shop_sales, days WHERE b_key = ss_buyer AND ss_day = d_key AND d_year IN (2000, 2001) GROUP BY b_id, b_first, b_last, d_year
  UNION ALL SELECT b_id, b_first, b_last, d_year, stddev_samp(ws_paid), 'w' FROM buyers, web_sales, days WHERE b_key = ws_buyer AND ws_day = d_key AND d_year IN (2000, 2001) GROUP BY b_id, b_first, b_last, d_year)
SELECT s2.id, s2.f, s2.l FROM y s1, y s2, y w1, y w2
WHERE s2.id = s1.id AND s1.id = w2.id AND s1.id = w1.id AND s1.kind = 's' AND w1.kind = 'w' AND s2.kind = 's' AND w2.kind = 'w' AND s1.year = 2000 AND s2.year = 2001 AND w1.year = 2000 AND w2.year = 2001 AND s1.total > 0 AND w1.total > 0
  AND (w2.total / w1.total > s2.total / s1.total OR w2.total IS NULL) ORDER BY 1, 3, 2 LIMIT 100`},

	{"days by the moving mean of their week, by RANGE over dates", `
SELECT d_date, sold, round(avg(sold) OVER (ORDER BY d_date RANGE BETWEEN INTERVAL '3 days' PRECEDING AND INTERVAL '3 days' FOLLOWING), 4) AS near, sum(sold) OVER (ORDER BY d_date RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) AS week, count(*) OVER (PARTITION BY date_trunc('month', d_date)) AS days
FROM (SELECT d_date, sum(ss_total) AS sold FROM shop_sales JOIN days ON ss_day = d_key WHERE d_year = 2000 GROUP BY d_date) t ORDER BY d_date`},

	{"months without the sale of a class, from a grid", `
SELECT m.d_months, c.i_class FROM (SELECT DISTINCT d_months FROM days WHERE d_year = 1999) m CROSS JOIN (SELECT DISTINCT i_class FROM items) c
LEFT JOIN (SELECT DISTINCT d_months, i_class FROM mail_sales, days, items WHERE ms_day = d_key AND ms_item = i_key) s ON s.d_months = m.d_months AND s.i_class = c.i_class
WHERE s.i_class IS NULL ORDER BY 1, 2`},

	{"the first and the last buy of each buyer, and the days between", `
SELECT b_id, min(d_date) AS first, max(d_date) AS last, max(d_date) - min(d_date) AS span, (array_agg(i_id ORDER BY d_date, ss_order, ss_item))[1] AS first_item, string_agg(DISTINCT i_category, ',' ORDER BY i_category) AS kinds
FROM shop_sales JOIN days ON d_key = ss_day JOIN items ON i_key = ss_item JOIN buyers ON b_key = ss_buyer
GROUP BY b_id HAVING count(DISTINCT d_year) >= 3 ORDER BY span DESC, b_id LIMIT 100`},

	{"the day of most in each month, by DISTINCT ON and by LATERAL", `
WITH by_day AS MATERIALIZED (SELECT d_months, d_date, sum(ws_total) AS total FROM web_sales, days WHERE ws_day = d_key GROUP BY d_months, d_date)
SELECT a.d_months, a.d_date, a.total, b.d_date AS same, b.total - c.total AS above
FROM (SELECT DISTINCT ON (d_months) d_months, d_date, total FROM by_day ORDER BY d_months, total DESC NULLS LAST, d_date) a
CROSS JOIN LATERAL (SELECT d_date, total FROM by_day x WHERE x.d_months = a.d_months ORDER BY total DESC NULLS LAST, d_date LIMIT 1) b
LEFT JOIN LATERAL (SELECT total FROM by_day x WHERE x.d_months = a.d_months ORDER BY total DESC NULLS LAST, d_date OFFSET 1 LIMIT 1) c ON true
ORDER BY a.d_months`},

	{"medians and modes of what lines cost, by quarter", `
SELECT d_year, d_quarter, percentile_disc(0.5) WITHIN GROUP (ORDER BY ss_list) AS median, percentile_disc(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY ss_price) AS tails, mode() WITHIN GROUP (ORDER BY ss_count) AS often, count(*) FILTER (WHERE ss_coupon > 0) AS coupons, bool_or(ss_profit < 0) AS lost
FROM shop_sales JOIN days ON ss_day = d_key GROUP BY GROUPING SETS ((d_year, d_quarter), (d_year)) ORDER BY d_year, d_quarter`},

	{"orders whose lines cover three categories in a year's holidays", `
SELECT d_date, ms_order, count(DISTINCT i_category) AS kinds, sum(ms_total) AS total FROM mail_sales, days, items
WHERE ms_day = d_key AND ms_item = i_key AND (d_holiday = 'Y' OR d_key IN (SELECT d_key + 1 FROM days WHERE d_holiday = 'Y') OR d_key = ANY (SELECT d_key - 1 FROM days WHERE d_holiday = 'Y'))
GROUP BY d_date, ms_order HAVING count(DISTINCT i_category) >= 3 ORDER BY d_date, ms_order`},
}
