package retail

// What came back.
var askReturns = []Question{
	{"who returned more than a fifth above the mean of their shop", `
WITH back AS (
  SELECT sr_buyer AS buyer, sr_at AS shop, sum(sr_amount) AS total FROM shop_returns, days WHERE sr_day = d_key AND d_year BETWEEN 1999 AND 2001 GROUP BY sr_buyer, sr_at)
SELECT b_id, total FROM back b1, shops, buyers
WHERE b1.total > (SELECT avg(total) * 1.2 FROM back b2 WHERE b1.shop = b2.shop) AND s_key = b1.shop AND s_state IN ('AL', 'CA', 'GA', 'IL') AND b1.buyer = b_key
ORDER BY b_id, total LIMIT 100`},

	{"who returned by mail more than the mean of their state", `
WITH back AS (
  SELECT mr_buyer AS buyer, a_state AS state, sum(mr_amount) AS total FROM mail_returns, days, places WHERE mr_day = d_key AND d_year >= 1999 AND mr_place = a_key GROUP BY mr_buyer, a_state)
SELECT b_id, b_title, b_first, b_last, a_city, a_zip, state, total FROM back b1, places, buyers
WHERE b1.total > (SELECT avg(total) * 1.2 FROM back b2 WHERE b1.state = b2.state) AND a_key = b_place AND b1.buyer = b_key AND a_state IN ('TX', 'OH', 'GA')
ORDER BY b_id, b_title, b_first, b_last, a_city, a_zip, state, total LIMIT 100`},

	{"what was returned and bought again by mail", `
SELECT i_id, i_name, s_id, s_name, sum(ss_count) AS sold, sum(sr_count) AS back, sum(ms_count) AS mailed
FROM shop_sales, shop_returns, mail_sales, days d1, days d2, days d3, shops, items
WHERE d1.d_key = ss_day AND i_key = ss_item AND s_key = ss_shop AND ss_buyer = sr_buyer AND ss_item = sr_item AND ss_order = sr_order AND sr_day = d2.d_key
  AND sr_buyer = ms_buyer AND ms_day = d3.d_key AND d3.d_year IN (1998, 1999, 2000, 2001, 2002)
GROUP BY i_id, i_name, s_id, s_name ORDER BY i_id, i_name, s_id, s_name, sold, back, mailed LIMIT 100`},

	{"spread of what was returned and bought again", `
SELECT i_id, s_state, count(ss_count), avg(ss_count), stddev_samp(ss_count), stddev_samp(ss_count) / nullif(avg(ss_count), 0), count(sr_count), avg(sr_count), var_pop(sr_count), count(ms_count)
FROM shop_sales JOIN shop_returns ON ss_buyer = sr_buyer AND ss_item = sr_item AND ss_order = sr_order
JOIN mail_sales ON sr_buyer = ms_buyer
JOIN days d1 ON d1.d_key = ss_day JOIN days d2 ON d2.d_key = sr_day AND d2.d_year >= d1.d_year JOIN items ON i_key = ss_item JOIN shops ON s_key = ss_shop
GROUP BY i_id, s_state ORDER BY i_id, s_state LIMIT 100`},

	{"losses of centers by buyers of certain kinds", `
SELECT c_name, c_manager, sum(mr_loss) AS loss
FROM centers, mail_returns, days, buyers, places, traits, homes
WHERE mr_at = c_key AND mr_day = d_key AND mr_buyer = b_key AND k_key = b_trait AND h_key = b_home AND a_key = b_place
  AND ((k_marital = 'M' AND k_education = 'Unknown') OR (k_marital = 'W' AND k_education = 'Advanced Degree') OR k_kids > 2) AND a_offset = -7
GROUP BY c_name, c_manager, k_marital, k_education ORDER BY loss DESC, c_name, c_manager`},

	{"how long returns take, by shop, as columns", `
SELECT s_name, s_county, s_state,
  sum(CASE WHEN sr_day - ss_day <= 30 THEN 1 ELSE 0 END) AS d30, sum(CASE WHEN sr_day - ss_day > 30 AND sr_day - ss_day <= 60 THEN 1 ELSE 0 END) AS d60,
  sum(CASE WHEN sr_day - ss_day > 60 AND sr_day - ss_day <= 90 THEN 1 ELSE 0 END) AS d90, sum(CASE WHEN sr_day - ss_day > 90 THEN 1 ELSE 0 END) AS later
FROM shop_sales, shop_returns, shops, days d1, days d2
WHERE d2.d_month = 8 AND ss_order = sr_order AND ss_item = sr_item AND ss_day = d1.d_key AND sr_day = d2.d_key AND ss_buyer = sr_buyer AND ss_shop = s_key
GROUP BY s_name, s_county, s_state ORDER BY s_name, s_county, s_state LIMIT 100`},

	{"how long the post takes, by depot, mode and center", `
SELECT substr(w_name, 1, 20), m_kind, c_name,
  count(*) FILTER (WHERE ms_sent - ms_day <= 30) AS d30, count(*) FILTER (WHERE ms_sent - ms_day BETWEEN 31 AND 60) AS d60, count(*) FILTER (WHERE ms_sent - ms_day > 60) AS later
FROM mail_sales, depots, modes, centers, days
WHERE d_months BETWEEN 20 AND 31 AND ms_sent = d_key AND ms_depot = w_key AND ms_mode = m_key AND ms_center = c_key
GROUP BY substr(w_name, 1, 20), m_kind, c_name ORDER BY 1, 2, 3 LIMIT 100`},

	{"what a reason left of what each buyer paid", `
SELECT ss_buyer, sum(left_over) AS rest FROM (
  SELECT ss_item, ss_order, ss_buyer, CASE WHEN sr_count IS NOT NULL THEN (ss_count - sr_count) * ss_price ELSE ss_count * ss_price END AS left_over
  FROM shop_sales LEFT OUTER JOIN shop_returns ON sr_item = ss_item AND sr_order = ss_order, reasons WHERE sr_reason = r_key AND r_text = 'is broken') t
GROUP BY ss_buyer ORDER BY rest, ss_buyer LIMIT 100`},

	{"web returns by reason, under conditions on both who bought and who returned", `
SELECT substr(r_text, 1, 20), avg(ws_count), avg(wr_amount), avg(wr_fee), count(*)
FROM web_sales, web_returns, pages, traits k1, traits k2, places, days, reasons
WHERE ws_page = g_key AND ws_item = wr_item AND ws_order = wr_order AND ws_day = d_key AND k1.k_key = ws_trait AND k2.k_key = wr_trait AND a_key = wr_place AND r_key = wr_reason
  AND ((k1.k_marital = k2.k_marital AND k1.k_education = k2.k_education AND ws_price BETWEEN 1 AND 150) OR (k1.k_gender = k2.k_gender AND ws_price > 10))
  AND ((a_state IN ('AL', 'CA', 'TX') AND ws_profit > -4000) OR (a_state IN ('GA', 'OH', 'IL', 'KY') AND ws_profit BETWEEN -9000 AND 9000))
GROUP BY r_text ORDER BY 1, 2, 3, 4 LIMIT 100`},

	{"items with the worst share of returns in any channel, by rank", `
SELECT channel, item, ratio, place, money_place FROM (
  SELECT channel, item, ratio, money_ratio, rank() OVER (PARTITION BY channel ORDER BY ratio) AS place, rank() OVER (PARTITION BY channel ORDER BY money_ratio) AS money_place FROM (
    SELECT 'web' AS channel, ws_item AS item, sum(coalesce(wr_count, 0))::decimal(15,4) / sum(coalesce(ws_count, 0))::decimal(15,4) AS ratio, sum(coalesce(wr_amount, 0))::decimal(15,4) / sum(coalesce(ws_paid, 0)) AS money_ratio
    FROM web_sales LEFT JOIN web_returns ON ws_order = wr_order AND ws_item = wr_item, days WHERE wr_amount > 100 AND ws_profit > 1 AND ws_paid > 0 AND ws_count > 0 AND ws_day = d_key AND d_month > 6 GROUP BY ws_item
    UNION
    SELECT 'mail', ms_item, sum(coalesce(mr_count, 0))::decimal(15,4) / sum(coalesce(ms_count, 0))::decimal(15,4), sum(coalesce(mr_amount, 0))::decimal(15,4) / sum(coalesce(ms_paid, 0))
    FROM mail_sales LEFT JOIN mail_returns ON ms_order = mr_order AND ms_item = mr_item, days WHERE mr_amount > 100 AND ms_profit > 1 AND ms_paid > 0 AND ms_count > 0 AND ms_day = d_key AND d_month > 6 GROUP BY ms_item
    UNION
    SELECT 'shop', ss_item, sum(coalesce(sr_count, 0))::decimal(15,4) / sum(coalesce(ss_count, 0))::decimal(15,4), sum(coalesce(sr_amount, 0))::decimal(15,4) / sum(coalesce(ss_paid, 0))
    FROM shop_sales LEFT JOIN shop_returns ON ss_order = sr_order AND ss_item = sr_item, days WHERE sr_amount > 100 AND ss_profit > 1 AND ss_paid > 0 AND ss_count > 0 AND ss_day = d_key AND d_month > 6 GROUP BY ss_item) q) r
WHERE place <= 10 OR money_place <= 10 ORDER BY channel, place, money_place, item, ratio LIMIT 100`},

	{"items returned in all three channels in the same weeks", `
WITH s AS (SELECT i_id, sum(sr_count) AS n FROM shop_returns, items, days WHERE sr_item = i_key AND d_date IN (SELECT d_date FROM days WHERE d_week IN (SELECT d_week FROM days WHERE d_month IN (1, 12))) AND sr_day = d_key GROUP BY i_id),
  m AS (SELECT i_id, sum(mr_count) AS n FROM mail_returns, items, days WHERE mr_item = i_key AND d_date IN (SELECT d_date FROM days WHERE d_week IN (SELECT d_week FROM days WHERE d_month IN (1, 12))) AND mr_day = d_key GROUP BY i_id),
  w AS (SELECT i_id, sum(wr_count) AS n FROM web_returns, items, days WHERE wr_item = i_key AND d_date IN (SELECT d_date FROM days WHERE d_week IN (SELECT d_week FROM days WHERE d_month IN (1, 12))) AND wr_day = d_key GROUP BY i_id)
SELECT s.i_id, s.n, s.n / (s.n + m.n + w.n) / 3.0 * 100, m.n, m.n / (s.n + m.n + w.n) / 3.0 * 100, w.n, (s.n + m.n + w.n) / 3.0
FROM s, m, w WHERE s.i_id = m.i_id AND s.i_id = w.i_id ORDER BY s.i_id, 2 LIMIT 100`},

	{"buyers whose income band and returns go together", `
SELECT b_id, coalesce(b_last, '') || ', ' || coalesce(b_first, '') AS name
FROM buyers, places, traits, homes, bands, shop_returns
WHERE a_city IN ('Ashby', 'Lakeside', 'Dover') AND b_place = a_key AND n_low >= 30000 AND n_high <= 30000 + 90000 AND n_key = h_band AND k_key = b_trait AND h_key = b_home AND sr_trait = k_key
ORDER BY b_id, name LIMIT 100`},

	{"orders of the web sent from more than one depot and never returned", `
SELECT count(DISTINCT ws_order), sum(ws_freight), sum(ws_profit)
FROM web_sales w1, days, places, sites
WHERE d_date BETWEEN '1999-02-01' AND DATE '1999-02-01' + 360 AND w1.ws_sent = d_key AND w1.ws_target = a_key AND a_state IN ('IL', 'TX', 'CA', 'NE') AND w1.ws_site = e_key AND e_company = 'pri'
  AND EXISTS (SELECT * FROM web_sales w2 WHERE w1.ws_order = w2.ws_order AND w1.ws_depot <> w2.ws_depot)
  AND NOT EXISTS (SELECT * FROM web_returns r WHERE w1.ws_order = r.wr_order)`},

	{"the same of orders that did come back, by a query over the table with itself", `
WITH apart AS (SELECT w1.ws_order, w1.ws_depot AS d1, w2.ws_depot AS d2 FROM web_sales w1, web_sales w2 WHERE w1.ws_order = w2.ws_order AND w1.ws_depot <> w2.ws_depot)
SELECT count(DISTINCT ws_order), sum(ws_freight), sum(ws_profit)
FROM web_sales w1, days, places WHERE d_year BETWEEN 1999 AND 2001 AND w1.ws_sent = d_key AND w1.ws_target = a_key AND a_state IN ('GA', 'TX', 'SD')
  AND w1.ws_order IN (SELECT ws_order FROM apart) AND w1.ws_order IN (SELECT wr_order FROM web_returns, apart WHERE wr_order = apart.ws_order)`},
}
