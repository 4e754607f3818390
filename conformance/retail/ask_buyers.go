package retail

// Who buys.
var askBuyers = []Question{
	{"buyers by mail from chosen places or of dear lines", `
SELECT a_zip, sum(ms_price) AS total FROM mail_sales, buyers, places, days
WHERE ms_buyer = b_key AND b_place = a_key AND (substr(a_zip, 1, 2) IN ('15', '30', '45', '60', '75') OR a_state IN ('CA', 'GA') OR ms_price > 150) AND ms_day = d_key AND d_quarter = 2 AND d_year = 2001
GROUP BY a_zip ORDER BY a_zip LIMIT 100`},

	{"buyers who used other ways than shops at all", `
SELECT k_gender, k_marital, k_education, count(*) AS n1, k_estimate, count(*) AS n2, min(k_kids), max(k_kids), avg(k_kids), sum(k_kids)
FROM buyers b, places a, traits
WHERE b.b_place = a.a_key AND k_key = b.b_trait
  AND EXISTS (SELECT * FROM shop_sales, days WHERE b.b_key = ss_buyer AND ss_day = d_key AND d_year = 2000 AND d_quarter < 4)
  AND NOT EXISTS (SELECT * FROM web_sales, days WHERE b.b_key = ws_buyer AND ws_day = d_key AND d_year = 2000 AND d_quarter < 4)
  AND NOT EXISTS (SELECT * FROM mail_sales, days WHERE b.b_key = ms_receiver AND ms_day = d_key AND d_year = 2000 AND d_quarter < 4)
GROUP BY k_gender, k_marital, k_education, k_estimate ORDER BY k_gender, k_marital, k_education, k_estimate LIMIT 100`},

	{"what states' buyers are like, rolled up with counts of their own", `
SELECT a_state, k_gender, k_marital, h_people, count(*) AS n, min(h_people), max(h_cars), avg(h_people), GROUPING(a_state, k_gender, k_marital) AS level
FROM buyers b JOIN places ON b.b_place = a_key JOIN traits ON k_key = b.b_trait JOIN homes ON h_key = b.b_home
WHERE EXISTS (SELECT * FROM shop_sales, days WHERE b.b_key = ss_buyer AND ss_day = d_key AND d_year = 1999)
  AND (EXISTS (SELECT * FROM web_sales, days WHERE b.b_key = ws_buyer AND ws_day = d_key AND d_year = 1999) OR EXISTS (SELECT * FROM mail_sales, days WHERE b.b_key = ms_receiver AND ms_day = d_key AND d_year = 1999))
GROUP BY GROUPING SETS ((a_state, k_gender, k_marital, h_people), (a_state, k_gender), (k_marital), ()) ORDER BY a_state, k_gender, k_marital, h_people, level, n LIMIT 100`},

	{"averages by country, state, county and item, rolled up", `
SELECT i_id, a_country, a_state, a_county, avg(ms_count::decimal(12,2)) AS a1, avg(ms_list::decimal(12,2)), avg(ms_coupon::decimal(12,2)), avg(ms_profit::decimal(12,2)), avg(b_year::decimal(12,2)), avg(k1.k_kids::decimal(12,2)) AS a7
FROM mail_sales, traits k1, traits k2, buyers, places, days, items
WHERE ms_day = d_key AND ms_item = i_key AND ms_trait = k1.k_key AND ms_buyer = b_key AND k1.k_gender = 'F' AND b_trait = k2.k_key AND b_place = a_key AND b_month IN (1, 6, 8, 9, 12, 2) AND d_year = 1998
GROUP BY ROLLUP (i_id, a_country, a_state, a_county) ORDER BY a_country, a_state, a_county, i_id, a1, a7 LIMIT 100`},

	{"the best buyers of what sells often", `
WITH frequent AS (SELECT substr(i_name, 1, 30) AS name, i_key AS item, d_year AS year, count(*) AS n FROM shop_sales, days, items WHERE ss_day = d_key AND ss_item = i_key AND d_year IN (1999, 2000, 2001, 2002) GROUP BY substr(i_name, 1, 30), i_key, d_year HAVING count(*) > 8),
  top AS (SELECT max(spent) AS most FROM (SELECT b_key, sum(ss_count * ss_price) AS spent FROM shop_sales, buyers, days WHERE ss_buyer = b_key AND ss_day = d_key AND d_year IN (1999, 2000, 2001, 2002) GROUP BY b_key) t),
  best AS (SELECT b_key, sum(ss_count * ss_price) AS spent FROM shop_sales, buyers WHERE ss_buyer = b_key GROUP BY b_key HAVING sum(ss_count * ss_price) > 0.2 * (SELECT most FROM top))
SELECT b_last, b_first, sales FROM (
  SELECT b_last, b_first, sum(ms_count * ms_list) AS sales FROM mail_sales, buyers, days WHERE d_year IN (2000, 2001) AND ms_day = d_key AND ms_item IN (SELECT item FROM frequent) AND ms_buyer IN (SELECT b_key FROM best) AND ms_buyer = b_key GROUP BY b_last, b_first
  UNION ALL
  SELECT b_last, b_first, sum(ws_count * ws_list) FROM web_sales, buyers, days WHERE d_year IN (2000, 2001) AND ws_day = d_key AND ws_item IN (SELECT item FROM frequent) AND ws_buyer IN (SELECT b_key FROM best) AND ws_buyer = b_key GROUP BY b_last, b_first) t
ORDER BY b_last, b_first, sales LIMIT 100`},

	{"what one color's returned items brought, above a share of the mean", `
WITH ssales AS (
  SELECT b_last, b_first, s_name, a_state, s_state, i_color, i_price, i_manager, i_units, i_size, sum(ss_paid) AS paid
  FROM shop_sales, shop_returns, shops, items, buyers, places
  WHERE ss_order = sr_order AND ss_item = sr_item AND ss_buyer = b_key AND ss_item = i_key AND ss_shop = s_key AND b_place = a_key AND b_country <> upper(a_country)
  GROUP BY b_last, b_first, s_name, a_state, s_state, i_color, i_price, i_manager, i_units, i_size)
SELECT b_last, b_first, s_name, sum(paid) AS paid FROM ssales WHERE i_color IN ('peach', 'navy', 'plum') GROUP BY b_last, b_first, s_name HAVING sum(paid) > (SELECT 0.05 * avg(paid) FROM ssales)
ORDER BY b_last, b_first, s_name, paid`},

	{"zips that many good buyers share with a list, and what shops near them earn", `
SELECT s_name, sum(ss_profit) AS profit
FROM shop_sales, days, shops, (
  SELECT zip FROM (
    (SELECT substr(a_zip, 1, 3) AS zip FROM places WHERE substr(a_zip, 1, 3) IN ('150', '300', '450', '600', '750', '030', '045', '060', '075', '090'))
    INTERSECT
    (SELECT zip FROM (SELECT substr(a_zip, 1, 3) AS zip, count(*) AS n FROM places, buyers WHERE a_key = b_place AND b_liked = 'Y' GROUP BY substr(a_zip, 1, 3) HAVING count(*) > 1) a1)) a2) v1
WHERE ss_shop = s_key AND ss_day = d_key AND d_quarter = 2 AND d_year = 1998 AND substr(s_id, 8, 1) <> substr(v1.zip, 1, 1)
GROUP BY s_name ORDER BY s_name LIMIT 100`},

	{"dear buyers of a shop, in slices of a hundred", `
WITH picked AS (
  SELECT DISTINCT b_key, b_place FROM (SELECT ms_day AS day, ms_buyer AS buyer, ms_item AS item FROM mail_sales UNION ALL SELECT ws_day, ws_buyer, ws_item FROM web_sales) t, items, days, buyers
  WHERE day = d_key AND item = i_key AND i_category IN ('Women', 'Men', 'Music') AND b_key = buyer AND d_months BETWEEN 6 AND 20),
rev AS (SELECT b_key, sum(ss_total) AS revenue FROM picked, shop_sales, places, shops, days WHERE b_place = a_key AND a_county = s_county AND ss_day = d_key AND b_key = ss_buyer
  AND d_months BETWEEN (SELECT DISTINCT d_months + 1 FROM days WHERE d_year = 1998 AND d_month = 7) AND (SELECT DISTINCT d_months + 30 FROM days WHERE d_year = 1998 AND d_month = 7) GROUP BY b_key)
SELECT segment, count(*) AS n, segment * 50 AS base FROM (SELECT (revenue / 50)::int AS segment FROM rev) s GROUP BY segment ORDER BY segment, n LIMIT 100`},

	{"buyers who bought the same items in the other channels", `
WITH cross_items AS (
  SELECT i_key AS key FROM items, (
    SELECT iss.i_brand_id AS brand, iss.i_class AS class FROM shop_sales, items iss, days d1 WHERE ss_item = iss.i_key AND ss_day = d1.d_key AND d1.d_year BETWEEN 1999 AND 2001
    INTERSECT SELECT ims.i_brand_id, ims.i_class FROM mail_sales, items ims, days d2 WHERE ms_item = ims.i_key AND ms_day = d2.d_key AND d2.d_year BETWEEN 1999 AND 2001
    INTERSECT SELECT iws.i_brand_id, iws.i_class FROM web_sales, items iws, days d3 WHERE ws_item = iws.i_key AND ws_day = d3.d_key AND d3.d_year BETWEEN 1999 AND 2001) x
  WHERE i_brand_id = brand AND i_class = class),
mean AS (SELECT avg(count * price) AS mean FROM (
    SELECT ss_count AS count, ss_list AS price FROM shop_sales, days WHERE ss_day = d_key AND d_year BETWEEN 1999 AND 2001
    UNION ALL SELECT ms_count, ms_list FROM mail_sales, days WHERE ms_day = d_key AND d_year BETWEEN 1999 AND 2001
    UNION ALL SELECT ws_count, ws_list FROM web_sales, days WHERE ws_day = d_key AND d_year BETWEEN 1999 AND 2001) x)
SELECT channel, brand, class, sum(sales) AS sales, sum(n) AS n FROM (
  SELECT 'shop' AS channel, i_brand_id AS brand, i_class AS class, sum(ss_count * ss_list) AS sales, count(*) AS n FROM shop_sales, items, days WHERE ss_item IN (SELECT key FROM cross_items) AND ss_item = i_key AND ss_day = d_key AND d_year = 2001 GROUP BY i_brand_id, i_class HAVING sum(ss_count * ss_list) > (SELECT mean FROM mean)
  UNION ALL SELECT 'mail', i_brand_id, i_class, sum(ms_count * ms_list), count(*) FROM mail_sales, items, days WHERE ms_item IN (SELECT key FROM cross_items) AND ms_item = i_key AND ms_day = d_key AND d_year = 2001 GROUP BY i_brand_id, i_class HAVING sum(ms_count * ms_list) > (SELECT mean FROM mean)
  UNION ALL SELECT 'web', i_brand_id, i_class, sum(ws_count * ws_list), count(*) FROM web_sales, items, days WHERE ws_item IN (SELECT key FROM cross_items) AND ws_item = i_key AND ws_day = d_key AND d_year = 2001 GROUP BY i_brand_id, i_class HAVING sum(ws_count * ws_list) > (SELECT mean FROM mean)) y
GROUP BY ROLLUP (channel, brand, class) ORDER BY channel, brand, class LIMIT 100`},

	{"buyers by first purchase, beside the shop and its year of another", `
WITH cs AS (
  SELECT i_name, i_key, s_name, s_city, b_last, d1.d_year AS sold, d2.d_year AS since, count(*) AS n, sum(ss_cost) AS s1, sum(ss_list) AS s2, sum(ss_coupon) AS s3
  FROM shop_sales, shop_returns, days d1, days d2, shops, buyers, traits k1, traits k2, promos, homes h1, homes h2, places a1, places a2, bands n1, bands n2, items
  WHERE ss_shop = s_key AND ss_day = d1.d_key AND ss_buyer = b_key AND ss_trait = k1.k_key AND ss_home = h1.h_key AND ss_place = a1.a_key AND ss_item = i_key AND ss_item = sr_item AND ss_order = sr_order
    AND b_trait = k2.k_key AND b_home = h2.h_key AND b_place = a2.a_key AND b_since = d2.d_key AND ss_promo = p_key AND h1.h_band = n1.n_key AND h2.h_band = n2.n_key AND k1.k_marital <> k2.k_marital
  GROUP BY i_name, i_key, s_name, s_city, b_last, d1.d_year, d2.d_year)
SELECT c1.i_name, c1.s_name, c1.s_city, c1.b_last, c1.sold, c1.since, c1.n, c1.s1, c1.s2, c1.s3, c2.sold, c2.s1, c2.n
FROM cs c1, cs c2 WHERE c1.i_key = c2.i_key AND c1.sold <= c2.sold AND c1.s_name >= c2.s_name
ORDER BY c1.i_name, c1.s_name, c2.n, c1.s1, c1.s2, c1.s3, c2.s1, c1.b_last, c1.sold, c2.sold, c1.since, c1.s_city, c1.n LIMIT 100`},

	{"how many buyers used all three ways on one day", `
SELECT count(*) FROM (
  (SELECT DISTINCT b_last, b_first, d_months FROM shop_sales, days, buyers WHERE ss_day = d_key AND ss_buyer = b_key AND d_months BETWEEN 10 AND 40)
  INTERSECT (SELECT DISTINCT b_last, b_first, d_months FROM mail_sales, days, buyers WHERE ms_day = d_key AND ms_buyer = b_key AND d_months BETWEEN 10 AND 40)
  INTERSECT (SELECT DISTINCT b_last, b_first, d_months FROM web_sales, days, buyers WHERE ws_day = d_key AND ws_buyer = b_key AND d_months BETWEEN 10 AND 40)) hot`},

	{"how many used shops but neither of the others", `
SELECT count(*) FROM (
  (SELECT DISTINCT b_last, b_first, d_date FROM shop_sales, days, buyers WHERE ss_day = d_key AND ss_buyer = b_key AND d_year = 2000)
  EXCEPT (SELECT DISTINCT b_last, b_first, d_date FROM mail_sales, days, buyers WHERE ms_day = d_key AND ms_buyer = b_key AND d_year = 2000)
  EXCEPT (SELECT DISTINCT b_last, b_first, d_date FROM web_sales, days, buyers WHERE ws_day = d_key AND ws_buyer = b_key AND d_year = 2000)) cool`},

	{"who bought in shops, by mail, or both: FULL JOIN of pairs", `
WITH s AS (SELECT ss_buyer AS buyer, ss_item AS item FROM shop_sales, days WHERE ss_day = d_key AND d_months BETWEEN 24 AND 47 GROUP BY ss_buyer, ss_item),
  m AS (SELECT ms_buyer AS buyer, ms_item AS item FROM mail_sales, days WHERE ms_day = d_key AND d_months BETWEEN 24 AND 47 GROUP BY ms_buyer, ms_item)
SELECT sum(CASE WHEN s.buyer IS NOT NULL AND m.buyer IS NULL THEN 1 ELSE 0 END) AS shop_alone, sum(CASE WHEN s.buyer IS NULL AND m.buyer IS NOT NULL THEN 1 ELSE 0 END) AS mail_alone, sum(CASE WHEN s.buyer IS NOT NULL AND m.buyer IS NOT NULL THEN 1 ELSE 0 END) AS both_ways
FROM s FULL OUTER JOIN m ON s.buyer = m.buyer AND s.item = m.item`},

	{"buyers with a household of means who bought at night, ranked in their band", `
SELECT n_low, n_high, b_id, spent, place, part FROM (
  SELECT n_low, n_high, b_id, sum(ws_total) AS spent, dense_rank() OVER w AS place, ntile(4) OVER w AS part
  FROM web_sales JOIN times ON ws_time = t_key JOIN buyers ON ws_buyer = b_key JOIN homes ON b_home = h_key RIGHT JOIN bands ON n_key = h_band AND t_hour NOT BETWEEN 6 AND 20
  GROUP BY n_low, n_high, b_id WINDOW w AS (PARTITION BY n_low ORDER BY sum(ws_total) DESC NULLS LAST, b_id)) t
WHERE place <= 5 ORDER BY n_low, place, b_id`},
}
