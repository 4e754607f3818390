package retail

// What is sold.
var askItems = []Question{
	{"items dear for their category, by the states where they sell", `
SELECT a.a_state AS state, count(*) AS n
FROM places a, buyers b, shop_sales s, days d, items i
WHERE a.a_key = b.b_place AND b.b_key = s.ss_buyer AND s.ss_day = d.d_key AND s.ss_item = i.i_key
  AND d.d_months = (SELECT DISTINCT d_months FROM days WHERE d_year = 2000 AND d_month = 11)
  AND i.i_price > 1.2 * (SELECT avg(j.i_price) FROM items j WHERE j.i_category = i.i_category)
GROUP BY a.a_state HAVING count(*) >= 3 ORDER BY n, a.a_state NULLS LAST LIMIT 100`},

	{"the excess of discounts over an item's mean", `
SELECT sum(ws_discount) AS excess
FROM web_sales, items, days
WHERE i_maker BETWEEN 1 AND 30 AND i_key = ws_item AND d_date BETWEEN '1999-01-01' AND DATE '1999-01-01' + 400 AND d_key = ws_day
  AND ws_discount > (SELECT 1.3 * avg(ws_discount) FROM web_sales, days WHERE ws_item = i_key AND d_date BETWEEN '1999-01-01' AND DATE '1999-01-01' + 400 AND d_key = ws_day)`},

	{"makers of one category through all channels", `
WITH s AS (SELECT i_maker, sum(ss_total) AS total FROM shop_sales, days, places, items WHERE i_maker IN (SELECT i_maker FROM items WHERE i_category IN ('Electronics')) AND ss_item = i_key AND ss_day = d_key AND d_year = 1998 AND d_month BETWEEN 3 AND 8 AND ss_place = a_key AND a_offset = -5 GROUP BY i_maker),
  m AS (SELECT i_maker, sum(ms_total) AS total FROM mail_sales, days, places, items WHERE i_maker IN (SELECT i_maker FROM items WHERE i_category IN ('Electronics')) AND ms_item = i_key AND ms_day = d_key AND d_year = 1998 AND d_month BETWEEN 3 AND 8 AND ms_place = a_key AND a_offset = -5 GROUP BY i_maker)
SELECT i_maker, sum(total) AS all_of_it FROM (SELECT * FROM s UNION ALL SELECT * FROM m) t GROUP BY i_maker ORDER BY all_of_it, i_maker LIMIT 100`},

	{"the best and the worst items of a shop, side by side", `
SELECT asc_.rnk, i1.i_name AS best, i2.i_name AS worst
FROM (SELECT * FROM (SELECT item, rank() OVER (ORDER BY mean ASC, item) AS rnk FROM (
    SELECT ss_item AS item, avg(ss_profit) AS mean FROM shop_sales s1 WHERE ss_shop = 4 GROUP BY ss_item HAVING avg(ss_profit) > 0.5 * (SELECT avg(ss_profit) FROM shop_sales WHERE ss_shop = 4 AND ss_place IS NULL GROUP BY ss_shop) - 100000) v1) v11 WHERE rnk < 11) asc_,
  (SELECT * FROM (SELECT item, rank() OVER (ORDER BY mean DESC, item) AS rnk FROM (
    SELECT ss_item AS item, avg(ss_profit) AS mean FROM shop_sales s1 WHERE ss_shop = 4 GROUP BY ss_item) v2) v21 WHERE rnk < 11) desc_, items i1, items i2
WHERE asc_.rnk = desc_.rnk AND i1.i_key = asc_.item AND i2.i_key = desc_.item ORDER BY asc_.rnk`},

	{"what is in stock of what the web sells", `
SELECT i_id, i_name, i_price FROM items, stock, days, web_sales
WHERE i_price BETWEEN 30 AND 60 AND v_item = i_key AND d_key = v_day AND d_date BETWEEN DATE '2000-05-25' AND DATE '2000-05-25' + INTERVAL '60 days' AND i_maker < 30 AND v_count BETWEEN 100 AND 500 AND ws_item = i_key
GROUP BY i_id, i_name, i_price ORDER BY i_id, i_name, i_price LIMIT 100`},

	{"kinds of items by a disjunction over a maker's other items", `
SELECT DISTINCT i_name FROM items i1
WHERE i_maker BETWEEN 5 AND 45 AND (SELECT count(*) FROM items WHERE (i_maker = i1.i_maker AND ((i_category = 'Women' AND (i_color = 'plum' OR i_color = 'rose') AND (i_units = 'Ounce' OR i_units = 'Dozen') ) OR (i_category = 'Men' AND i_size IN ('small', 'large'))))
  OR (i_maker = i1.i_maker AND i_category = 'Shoes' AND i_color IN ('navy', 'olive', 'slate', 'tan'))) > 0
ORDER BY i_name LIMIT 100`},

	{"the spread of stock of a month and of the fourth after it", `
WITH inv AS (
  SELECT w_name, w_key, i_key, d_month, stdev, mean, CASE mean WHEN 0 THEN NULL ELSE stdev / mean END AS cov
  FROM (SELECT w_name, w_key, i_key, d_month, stddev_samp(v_count) AS stdev, avg(v_count) AS mean FROM stock, items, depots, days WHERE v_item = i_key AND v_depot = w_key AND v_day = d_key AND d_year IN (1999, 2000, 2001) GROUP BY w_name, w_key, i_key, d_month) t
  WHERE CASE mean WHEN 0 THEN 0 ELSE coalesce(stdev, mean) / mean END > 0.3)
SELECT a.w_key, a.i_key, a.d_month, a.mean, a.cov, b.d_month, b.mean, b.cov
FROM inv a, inv b WHERE a.i_key = b.i_key AND a.w_key = b.w_key AND a.d_month <= 8 AND b.d_month = a.d_month + 4
ORDER BY 1, 2, 3, 4, 5, 6, 7 LIMIT 100`},

	{"sales before and after a day, by depot and item, with returns taken off", `
SELECT w_state, i_id, sum(CASE WHEN d_date < DATE '2000-03-11' THEN ms_price - coalesce(mr_amount, 0) ELSE 0 END) AS before, sum(CASE WHEN d_date >= DATE '2000-03-11' THEN ms_price - coalesce(mr_amount, 0) ELSE 0 END) AS after
FROM mail_sales LEFT OUTER JOIN mail_returns ON ms_order = mr_order AND ms_item = mr_item, depots, items, days
WHERE i_price BETWEEN 5 AND 150 AND i_key = ms_item AND ms_depot = w_key AND ms_day = d_key AND d_date BETWEEN DATE '2000-03-11' - INTERVAL '90 days' AND DATE '2000-03-11' + INTERVAL '90 days'
GROUP BY w_state, i_id ORDER BY w_state, i_id LIMIT 100`},

	{"stock before and after a day, where it stayed near", `
SELECT * FROM (
  SELECT w_name, i_id, sum(CASE WHEN d_date < DATE '2000-05-11' THEN v_count ELSE 0 END) AS before, sum(CASE WHEN d_date >= DATE '2000-05-11' THEN v_count ELSE 0 END) AS after
  FROM stock, depots, items, days WHERE i_price > 1 AND i_key = v_item AND v_depot = w_key AND v_day = d_key AND d_date BETWEEN DATE '2000-05-11' - 90 AND DATE '2000-05-11' + 90
  GROUP BY w_name, i_id) x
WHERE CASE WHEN before > 0 THEN after::numeric / before ELSE NULL END BETWEEN 2.0 / 3.0 AND 3.0 / 2.0 ORDER BY w_name, i_id LIMIT 100`},

	{"stock by the item's names, rolled up", `
SELECT i_name, i_brand, i_class, i_category, avg(v_count) AS qoh FROM stock, days, items
WHERE v_day = d_key AND v_item = i_key AND d_months BETWEEN 24 AND 35 AND i_manager < 15
GROUP BY ROLLUP (i_name, i_brand, i_class, i_category) ORDER BY qoh, i_name, i_brand, i_class, i_category LIMIT 100`},

	{"all levels of a cube of seven, the dearest of each category", `
SELECT * FROM (
  SELECT i_category, i_class, i_brand, i_name, d_year, d_quarter, d_month, s_id, sales, rank() OVER (PARTITION BY i_category ORDER BY sales DESC) AS rk FROM (
    SELECT i_category, i_class, i_brand, i_name, d_year, d_quarter, d_month, s_id, sum(coalesce(ss_price * ss_count, 0)) AS sales
    FROM shop_sales, days, shops, items WHERE ss_day = d_key AND ss_item = i_key AND ss_shop = s_key AND d_months BETWEEN 12 AND 17
    GROUP BY ROLLUP (i_category, i_class, i_brand, i_name, d_year, d_quarter, d_month, s_id)) d1) d2
WHERE rk <= 20 ORDER BY i_category, i_class, i_brand, i_name, d_year, d_quarter, d_month, s_id, sales, rk LIMIT 100`},

	{"shops that sell an item far below their mean", `
SELECT s_name, i_name, sc.revenue, i_price, i_cost, i_brand
FROM shops, items, (SELECT ss_shop, avg(revenue) AS ave FROM (SELECT ss_shop, ss_item, sum(ss_price) AS revenue FROM shop_sales, days WHERE ss_day = d_key AND d_months BETWEEN 12 AND 47 GROUP BY ss_shop, ss_item) sa GROUP BY ss_shop) sb,
  (SELECT ss_shop, ss_item, sum(ss_price) AS revenue FROM shop_sales, days WHERE ss_day = d_key AND d_months BETWEEN 12 AND 47 GROUP BY ss_shop, ss_item) sc
WHERE sb.ss_shop = sc.ss_shop AND sc.revenue <= 0.3 * sb.ave AND s_key = sc.ss_shop AND i_key = sc.ss_item
ORDER BY s_name, i_name, sc.revenue, i_price, i_cost, i_brand LIMIT 100`},

	{"promoted sales as a share of all, in one row", `
SELECT promoted, total, promoted::decimal(15,4) / total::decimal(15,4) * 100
FROM (SELECT sum(ss_total) AS promoted FROM shop_sales, shops, promos, days, buyers, places, items WHERE ss_day = d_key AND ss_shop = s_key AND ss_promo = p_key AND ss_buyer = b_key AND a_key = b_place AND ss_item = i_key AND a_offset = -6 AND i_category = 'Jewelry' AND (p_mail = 'Y' OR p_event = 'Y' OR p_tv = 'Y') AND s_offset <= -5) p,
  (SELECT sum(ss_total) AS total FROM shop_sales, shops, days, buyers, places, items WHERE ss_day = d_key AND ss_shop = s_key AND ss_buyer = b_key AND a_key = b_place AND ss_item = i_key AND a_offset = -6 AND i_category = 'Jewelry' AND s_offset <= -5) a
ORDER BY promoted, total`},

	{"promises that stock could not hold", `
SELECT i_name, w_name, d1.d_week, sum(CASE WHEN p_key IS NULL THEN 1 ELSE 0 END) AS plain, sum(CASE WHEN p_key IS NOT NULL THEN 1 ELSE 0 END) AS promoted, count(*) AS n
FROM mail_sales JOIN stock ON ms_item = v_item JOIN depots ON w_key = v_depot JOIN items ON i_key = ms_item JOIN traits ON ms_trait = k_key JOIN homes ON ms_home = h_key
JOIN days d1 ON ms_day = d1.d_key JOIN days d2 ON v_day = d2.d_key JOIN days d3 ON ms_sent = d3.d_key
LEFT OUTER JOIN promos ON ms_promo = p_key LEFT OUTER JOIN mail_returns ON mr_item = ms_item AND mr_order = ms_order
WHERE d1.d_week BETWEEN d2.d_week - 4 AND d2.d_week AND v_count < ms_count * 5 AND d3.d_date > d1.d_date + 5 AND h_potential <> '>10000' AND k_marital IN ('D', 'M', 'S')
GROUP BY i_name, w_name, d1.d_week ORDER BY n DESC, i_name, w_name, d_week LIMIT 100`},
}
