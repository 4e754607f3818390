package retail

// Shops, mail and the web beside each other.
var askChannels = []Question{
	{"a week of each weekday over two channels, this year by the last", `
WITH both_ways AS (SELECT sold, price FROM (SELECT ws_day AS sold, ws_total AS price FROM web_sales UNION ALL SELECT ms_day, ms_total FROM mail_sales) t),
  weeks AS (
    SELECT d_week, sum(CASE WHEN d_name = 'Sunday' THEN price END) AS sun, sum(CASE WHEN d_name = 'Monday' THEN price END) AS mon, sum(CASE WHEN d_name = 'Wednesday' THEN price END) AS wed, sum(CASE WHEN d_name = 'Saturday' THEN price END) AS sat
    FROM both_ways, days WHERE d_key = sold GROUP BY d_week)
SELECT week1, round(sun1 / nullif(sun2, 0), 2), round(mon1 / nullif(mon2, 0), 2), round(wed1 / nullif(wed2, 0), 2), round(sat1 / nullif(sat2, 0), 2)
FROM (SELECT weeks.d_week AS week1, sun AS sun1, mon AS mon1, wed AS wed1, sat AS sat1 FROM weeks, days WHERE days.d_week = weeks.d_week AND d_year = 2000 AND d_dow = 3) y,
  (SELECT weeks.d_week AS week2, sun AS sun2, mon AS mon2, wed AS wed2, sat AS sat2 FROM weeks, days WHERE days.d_week = weeks.d_week AND d_year = 2001 AND d_dow = 3) z
WHERE week1 = week2 - 53 ORDER BY 1, 2, 3, 4, 5`},

	{"buyers whose buying by mail grew faster than in shops, and on the web", `
WITH year_total AS (
  SELECT b_id AS id, b_first AS first_name, b_last AS last_name, d_year AS year, sum((ss_list - ss_cost - ss_discount + ss_total) / 2) AS total, 's' AS kind FROM buyers, shop_sales, days WHERE b_key = ss_buyer AND ss_day = d_key GROUP BY b_id, b_first, b_last, d_year
  UNION ALL
  SELECT b_id, b_first, b_last, d_year, sum((ms_list - ms_cost - ms_discount + ms_total) / 2), 'm' FROM buyers, mail_sales, days WHERE b_key = ms_buyer AND ms_day = d_key GROUP BY b_id, b_first, b_last, d_year
  UNION ALL
  SELECT b_id, b_first, b_last, d_year, sum((ws_list - ws_cost - ws_discount + ws_total) / 2), 'w' FROM buyers, web_sales, days WHERE b_key = ws_buyer AND ws_day = d_key GROUP BY b_id, b_first, b_last, d_year)
SELECT s2.id, s2.first_name, s2.last_name
FROM year_total s1, year_total s2, year_total m1, year_total m2, year_total w1, year_total w2
WHERE s2.id = s1.id AND s1.id = m2.id AND s1.id = m1.id AND s1.id = w1.id AND s1.id = w2.id
  AND s1.kind = 's' AND m1.kind = 'm' AND w1.kind = 'w' AND s2.kind = 's' AND m2.kind = 'm' AND w2.kind = 'w'
  AND s1.year = 1999 AND s2.year = 2000 AND m1.year = 1999 AND m2.year = 2000 AND w1.year = 1999 AND w2.year = 2000
  AND CASE WHEN m1.total <> 0 THEN m2.total / m1.total END > CASE WHEN s1.total <> 0 THEN s2.total / s1.total END
ORDER BY s2.id, s2.first_name, s2.last_name LIMIT 100`},

	{"sales, returns and profit of each channel and its parts, rolled up", `
WITH ssr AS (SELECT s_id, sum(price) AS sales, sum(profit) AS profit, sum(back) AS back, sum(loss) AS loss FROM (
    SELECT ss_shop AS at, ss_day AS day, ss_total AS price, ss_profit AS profit, CAST(0 AS decimal(7,2)) AS back, CAST(0 AS decimal(7,2)) AS loss FROM shop_sales
    UNION ALL SELECT sr_at, sr_day, CAST(0 AS decimal(7,2)), CAST(0 AS decimal(7,2)), sr_amount, sr_loss FROM shop_returns) x, days, shops
  WHERE day = d_key AND d_date BETWEEN '2000-08-01' AND DATE '2000-08-01' + 60 AND at = s_key GROUP BY s_id),
mr AS (SELECT c_name, sum(price) AS sales, sum(profit) AS profit, sum(back) AS back, sum(loss) AS loss FROM (
    SELECT ms_center AS at, ms_day AS day, ms_total AS price, ms_profit AS profit, 0::decimal(7,2) AS back, 0::decimal(7,2) AS loss FROM mail_sales
    UNION ALL SELECT mr_at, mr_day, 0, 0, mr_amount, mr_loss FROM mail_returns) x, days, centers
  WHERE day = d_key AND d_date BETWEEN '2000-08-01' AND DATE '2000-08-01' + 60 AND at = c_key GROUP BY c_name),
wr AS (SELECT e_name, sum(price) AS sales, sum(profit) AS profit, sum(back) AS back, sum(loss) AS loss FROM (
    SELECT ws_site AS at, ws_day AS day, ws_total AS price, ws_profit AS profit, 0::numeric AS back, 0::numeric AS loss FROM web_sales
    UNION ALL SELECT ws_site, wr_day, 0, 0, wr_amount, wr_loss FROM web_returns LEFT JOIN web_sales ON wr_item = ws_item AND wr_order = ws_order) x, days, sites
  WHERE day = d_key AND d_date BETWEEN '2000-08-01' AND DATE '2000-08-01' + 60 AND at = e_key GROUP BY e_name)
SELECT channel, id, sum(sales) AS sales, sum(back) AS back, sum(profit) AS profit FROM (
  SELECT 'shops' AS channel, 'shop' || s_id AS id, sales, back, profit - loss AS profit FROM ssr
  UNION ALL SELECT 'mail', 'center' || c_name, sales, back, profit - loss FROM mr
  UNION ALL SELECT 'web', 'site' || e_name, sales, back, profit - loss FROM wr) x
GROUP BY ROLLUP (channel, id) ORDER BY channel, id, sales LIMIT 100`},

	{"the same where shops and their returns meet by LEFT JOIN of sums", `
WITH ss AS (SELECT s_key, sum(ss_total) AS sales, sum(ss_profit) AS profit FROM shop_sales, days, shops WHERE ss_day = d_key AND d_year = 2000 AND d_quarter = 4 AND ss_shop = s_key GROUP BY s_key),
  sr AS (SELECT s_key, sum(sr_amount) AS back, sum(sr_loss) AS loss FROM shop_returns, days, shops WHERE sr_day = d_key AND d_year = 2000 AND d_quarter = 4 AND sr_at = s_key GROUP BY s_key),
  ms AS (SELECT ms_center, sum(ms_total) AS sales, sum(ms_profit) AS profit FROM mail_sales, days WHERE ms_day = d_key AND d_year = 2000 AND d_quarter = 4 GROUP BY ms_center),
  mr AS (SELECT mr_at, sum(mr_amount) AS back, sum(mr_loss) AS loss FROM mail_returns, days WHERE mr_day = d_key AND d_year = 2000 AND d_quarter = 4 GROUP BY mr_at)
SELECT channel, id, sum(sales) AS sales, sum(back) AS back, sum(profit) AS profit FROM (
  SELECT 'shops' AS channel, ss.s_key AS id, sales, coalesce(back, 0) AS back, profit - coalesce(loss, 0) AS profit FROM ss LEFT JOIN sr ON ss.s_key = sr.s_key
  UNION ALL SELECT 'mail', ms_center, sales, back, profit - loss FROM ms, mr WHERE ms_center IS NOT NULL) x
GROUP BY ROLLUP (channel, id) ORDER BY channel, id, sales, back, profit LIMIT 100`},

	{"sales of one color's items in each channel, added up", `
WITH ss AS (SELECT i_id, sum(ss_total) AS total FROM shop_sales, days, places, items WHERE i_id IN (SELECT i_id FROM items WHERE i_color IN ('slate', 'blue', 'plum')) AND ss_item = i_key AND ss_day = d_key AND d_year = 2001 AND ss_place = a_key AND a_offset = -5 GROUP BY i_id),
  ms AS (SELECT i_id, sum(ms_total) AS total FROM mail_sales, days, places, items WHERE i_id IN (SELECT i_id FROM items WHERE i_color IN ('slate', 'blue', 'plum')) AND ms_item = i_key AND ms_day = d_key AND d_year = 2001 AND ms_place = a_key AND a_offset = -5 GROUP BY i_id),
  ws AS (SELECT i_id, sum(ws_total) AS total FROM web_sales, days, places, items WHERE i_id IN (SELECT i_id FROM items WHERE i_color IN ('slate', 'blue', 'plum')) AND ws_item = i_key AND ws_day = d_key AND d_year = 2001 AND ws_place = a_key AND a_offset = -5 GROUP BY i_id)
SELECT i_id, sum(total) AS all_of_it FROM (SELECT * FROM ss UNION ALL SELECT * FROM ms UNION ALL SELECT * FROM ws) t GROUP BY i_id ORDER BY all_of_it, i_id LIMIT 100`},

	{"items that sell alike in all channels", `
WITH s AS (SELECT i_id AS id, sum(ss_total) AS rev FROM shop_sales, items, days WHERE ss_item = i_key AND d_date IN (SELECT d_date FROM days WHERE d_year = (SELECT d_year FROM days WHERE d_date = '2000-01-03')) AND ss_day = d_key GROUP BY i_id),
  m AS (SELECT i_id AS id, sum(ms_total) AS rev FROM mail_sales, items, days WHERE ms_item = i_key AND d_date IN (SELECT d_date FROM days WHERE d_year = (SELECT d_year FROM days WHERE d_date = '2000-01-03')) AND ms_day = d_key GROUP BY i_id),
  w AS (SELECT i_id AS id, sum(ws_total) AS rev FROM web_sales, items, days WHERE ws_item = i_key AND d_date IN (SELECT d_date FROM days WHERE d_year = (SELECT d_year FROM days WHERE d_date = '2000-01-03')) AND ws_day = d_key GROUP BY i_id)
SELECT s.id, s.rev, round(s.rev / ((s.rev + m.rev + w.rev) / 3) * 100, 4), m.rev, w.rev, (s.rev + m.rev + w.rev) / 3 AS mean
FROM s, m, w WHERE s.id = m.id AND s.id = w.id AND s.rev BETWEEN 0.1 * m.rev AND 10 * m.rev AND m.rev BETWEEN 0.1 * w.rev AND 10 * w.rev AND w.rev BETWEEN 0.05 * s.rev AND 20 * s.rev
ORDER BY s.id, s.rev LIMIT 100`},

	{"lines whose dimension is not known, by channel and time", `
SELECT channel, part, d_year, d_quarter, i_category, count(*) AS n, sum(total) AS total FROM (
  SELECT 'shop' AS channel, 'ss_shop' AS part, d_year, d_quarter, i_category, ss_total AS total FROM shop_sales, items, days WHERE ss_shop IS NULL AND ss_day = d_key AND ss_item = i_key
  UNION ALL SELECT 'web', 'ws_target', d_year, d_quarter, i_category, ws_total FROM web_sales, items, days WHERE ws_target IS NULL AND ws_day = d_key AND ws_item = i_key
  UNION ALL SELECT 'mail', 'ms_depot', d_year, d_quarter, i_category, ms_total FROM mail_sales, items, days WHERE ms_depot IS NULL AND ms_day = d_key AND ms_item = i_key) f
GROUP BY channel, part, d_year, d_quarter, i_category ORDER BY channel, part, d_year, d_quarter, i_category LIMIT 100`},

	{"items bought by whom in shops, by mail and on the web: ratios of a buyer's year", `
WITH ws AS (SELECT d_year AS y, ws_item, ws_buyer, sum(ws_count) AS n, sum(ws_cost) AS cost, sum(ws_price) AS price FROM web_sales LEFT JOIN web_returns ON wr_order = ws_order AND ws_item = wr_item JOIN days ON ws_day = d_key WHERE wr_order IS NULL GROUP BY d_year, ws_item, ws_buyer),
  ms AS (SELECT d_year AS y, ms_item, ms_buyer, sum(ms_count) AS n, sum(ms_cost) AS cost, sum(ms_price) AS price FROM mail_sales LEFT JOIN mail_returns ON mr_order = ms_order AND ms_item = mr_item JOIN days ON ms_day = d_key WHERE mr_order IS NULL GROUP BY d_year, ms_item, ms_buyer),
  ss AS (SELECT d_year AS y, ss_item, ss_buyer, sum(ss_count) AS n, sum(ss_cost) AS cost, sum(ss_price) AS price FROM shop_sales LEFT JOIN shop_returns ON sr_order = ss_order AND ss_item = sr_item JOIN days ON ss_day = d_key WHERE sr_order IS NULL GROUP BY d_year, ss_item, ss_buyer)
SELECT ss_item, ss.ss_buyer, round(ss.n::numeric / (coalesce(ws.n, 0) + coalesce(ms.n, 0)), 2) AS ratio, ss.n, ss.cost, ss.price, coalesce(ws.n, 0) + coalesce(ms.n, 0) AS others, coalesce(ws.cost, 0) + coalesce(ms.cost, 0)
FROM ss LEFT JOIN ws ON ws.y = ss.y AND ws_item = ss_item AND ws_buyer = ss_buyer LEFT JOIN ms ON ms.y = ss.y AND ms_item = ss_item AND ms_buyer = ss_buyer
WHERE (coalesce(ws.n, 0) > 0 OR coalesce(ms.n, 0) > 0) ORDER BY ss_item, ss.n DESC, ss.cost DESC, ss.price DESC, ss_buyer, others, ratio LIMIT 100`},

	{"a maker's profit now and a year before, over all channels", `
WITH lines AS (
  SELECT d_year, i_brand_id, i_class, i_category, i_maker, sum(n) AS n, sum(total) AS total FROM (
    SELECT d_year, i_brand_id, i_class, i_category, i_maker, ms_count - coalesce(mr_count, 0) AS n, ms_total - coalesce(mr_amount, 0.0) AS total FROM mail_sales JOIN items ON i_key = ms_item JOIN days ON d_key = ms_day LEFT JOIN mail_returns ON ms_order = mr_order AND ms_item = mr_item WHERE i_category = 'Books' OR i_category = 'Home'
    UNION SELECT d_year, i_brand_id, i_class, i_category, i_maker, ss_count - coalesce(sr_count, 0), ss_total - coalesce(sr_amount, 0.0) FROM shop_sales JOIN items ON i_key = ss_item JOIN days ON d_key = ss_day LEFT JOIN shop_returns ON ss_order = sr_order AND ss_item = sr_item WHERE i_category = 'Books' OR i_category = 'Home'
    UNION SELECT d_year, i_brand_id, i_class, i_category, i_maker, ws_count - coalesce(wr_count, 0), ws_total - coalesce(wr_amount, 0.0) FROM web_sales JOIN items ON i_key = ws_item JOIN days ON d_key = ws_day LEFT JOIN web_returns ON ws_order = wr_order AND ws_item = wr_item WHERE i_category = 'Books' OR i_category = 'Home') d
  GROUP BY d_year, i_brand_id, i_class, i_category, i_maker)
SELECT before.d_year AS y1, now.d_year AS y2, now.i_brand_id, now.i_class, now.i_category, now.i_maker, before.n AS n1, now.n AS n2, now.n - before.n AS diff, now.total - before.total AS more
FROM lines now, lines before
WHERE now.i_brand_id = before.i_brand_id AND now.i_class = before.i_class AND now.i_category = before.i_category AND now.i_maker = before.i_maker AND now.d_year = 2001 AND before.d_year = 2000 AND now.n::decimal(17,2) / nullif(before.n, 0)::decimal(17,2) < 0.9
ORDER BY diff, more, 3, 4, 5, 6 LIMIT 100`},

	{"how the post of two channels fills the hours of the day, by depot and month", `
SELECT w_name, w_area, w_state, carriers, year, sum(jan) AS jan, sum(feb) AS feb, sum(dec) AS dec, sum(jan / w_area) AS jan_per_area, sum(jan_net) AS jan_net FROM (
  SELECT w_name, w_area, w_state, 'DHX' || ',' || 'BARIAN' AS carriers, d_year AS year, sum(CASE WHEN d_month = 1 THEN ws_total * ws_count ELSE 0 END) AS jan, sum(CASE WHEN d_month = 2 THEN ws_total * ws_count ELSE 0 END) AS feb, sum(CASE WHEN d_month = 12 THEN ws_total * ws_count ELSE 0 END) AS dec, sum(CASE WHEN d_month = 1 THEN ws_paid * ws_count ELSE 0 END) AS jan_net
  FROM web_sales, depots, days, times, modes WHERE ws_depot = w_key AND ws_day = d_key AND ws_time = t_key AND ws_mode = m_key AND d_year = 2001 AND t_key BETWEEN 300 AND 1200 AND m_carrier IN ('DHX', 'BARIAN', 'FLEET') GROUP BY w_name, w_area, w_state, d_year
  UNION ALL
  SELECT w_name, w_area, w_state, 'DHX' || ',' || 'BARIAN', d_year, sum(CASE WHEN d_month = 1 THEN ms_total * ms_count ELSE 0 END), sum(CASE WHEN d_month = 2 THEN ms_total * ms_count ELSE 0 END), sum(CASE WHEN d_month = 12 THEN ms_total * ms_count ELSE 0 END), sum(CASE WHEN d_month = 1 THEN ms_paid * ms_count ELSE 0 END)
  FROM mail_sales, depots, days, times, modes WHERE ms_depot = w_key AND ms_day = d_key AND ms_time = t_key AND ms_mode = m_key AND d_year = 2001 AND t_key BETWEEN 300 AND 1200 AND m_carrier IN ('DHX', 'BARIAN', 'FLEET') GROUP BY w_name, w_area, w_state, d_year) x
GROUP BY w_name, w_area, w_state, carriers, year ORDER BY w_name, w_area LIMIT 100`},

	{"meals at which makers' items sell, over all channels", `
SELECT i_brand_id, i_brand, t_hour, t_minute, sum(price) AS price
FROM items, (SELECT ws_total AS price, ws_item AS item, ws_time AS at FROM web_sales, days WHERE d_key = ws_day AND d_month = 11 AND d_year = 1999
  UNION ALL SELECT ms_total, ms_item, ms_time FROM mail_sales, days WHERE d_key = ms_day AND d_month = 11 AND d_year = 1999
  UNION ALL SELECT ss_total, ss_item, ss_time FROM shop_sales, days WHERE d_key = ss_day AND d_month = 11 AND d_year = 1999) t, times
WHERE item = i_key AND i_manager < 20 AND at = t_key AND (t_meal = 'breakfast' OR t_meal = 'dinner')
GROUP BY i_brand, i_brand_id, t_hour, t_minute ORDER BY price DESC, i_brand_id, i_brand, t_hour, t_minute`},

	{"promoted items of three channels with what came back, rolled up", `
WITH s AS (SELECT s_id AS id, sum(ss_total) AS sales, sum(coalesce(sr_amount, 0)) AS back, sum(ss_profit - coalesce(sr_loss, 0)) AS profit FROM shop_sales LEFT OUTER JOIN shop_returns ON ss_item = sr_item AND ss_order = sr_order, days, shops, items, promos WHERE ss_day = d_key AND d_year = 2000 AND ss_shop = s_key AND ss_item = i_key AND i_price > 20 AND ss_promo = p_key AND p_tv = 'N' GROUP BY s_id),
  m AS (SELECT c_name AS id, sum(ms_total) AS sales, sum(coalesce(mr_amount, 0)) AS back, sum(ms_profit - coalesce(mr_loss, 0)) AS profit FROM mail_sales LEFT OUTER JOIN mail_returns ON ms_item = mr_item AND ms_order = mr_order, days, centers, items, promos WHERE ms_day = d_key AND d_year = 2000 AND ms_center = c_key AND ms_item = i_key AND i_price > 20 AND ms_promo = p_key AND p_tv = 'N' GROUP BY c_name),
  w AS (SELECT e_name AS id, sum(ws_total) AS sales, sum(coalesce(wr_amount, 0)) AS back, sum(ws_profit - coalesce(wr_loss, 0)) AS profit FROM web_sales LEFT OUTER JOIN web_returns ON ws_item = wr_item AND ws_order = wr_order, days, sites, items, promos WHERE ws_day = d_key AND d_year = 2000 AND ws_site = e_key AND ws_item = i_key AND i_price > 20 AND ws_promo = p_key AND p_tv = 'N' GROUP BY e_name)
SELECT channel, id, sum(sales) AS sales, sum(back) AS back, sum(profit) AS profit
FROM (SELECT 'shops' AS channel, 'shop ' || id AS id, sales, back, profit FROM s UNION ALL SELECT 'mail', 'center ' || id, sales, back, profit FROM m UNION ALL SELECT 'web', 'site ' || id, sales, back, profit FROM w) x
GROUP BY ROLLUP (channel, id) ORDER BY channel, id LIMIT 100`},

	{"what was bought in shops, then by mail, summed up by three dates", `
SELECT i_id, i_name, s_id, s_name, max(ss_profit) AS most, min(sr_loss) AS least, sum(ms_profit) AS mailed
FROM shop_sales, shop_returns, mail_sales, days d1, days d2, days d3, shops, items
WHERE d1.d_month <= 9 AND d1.d_key = ss_day AND i_key = ss_item AND s_key = ss_shop AND ss_buyer = sr_buyer AND ss_item = sr_item AND ss_order = sr_order
  AND sr_day = d2.d_key AND d2.d_month BETWEEN 2 AND 12 AND sr_buyer = ms_buyer AND ms_day = d3.d_key AND d3.d_month BETWEEN 4 AND 12
GROUP BY i_id, i_name, s_id, s_name ORDER BY i_id, i_name, s_id, s_name LIMIT 100`},

	{"how many buyers of shops also used the web or the post, by what they are", `
SELECT k_gender, k_marital, k_education, count(*) AS n, k_estimate, k_credit
FROM buyers b, places, traits
WHERE b.b_place = a_key AND a_county IN ('Adams', 'Clay', 'Essex', 'Huron') AND k_key = b.b_trait
  AND EXISTS (SELECT * FROM shop_sales, days WHERE b.b_key = ss_buyer AND ss_day = d_key AND d_year BETWEEN 1999 AND 2001)
  AND (EXISTS (SELECT * FROM web_sales, days WHERE b.b_key = ws_buyer AND ws_day = d_key AND d_year = 2000)
    OR EXISTS (SELECT * FROM mail_sales, days WHERE b.b_key = ms_receiver AND ms_day = d_key AND d_year = 2000))
GROUP BY k_gender, k_marital, k_education, k_estimate, k_credit ORDER BY k_gender, k_marital, k_education, k_estimate, k_credit LIMIT 100`},
}
