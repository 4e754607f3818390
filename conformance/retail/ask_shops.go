package retail

// What shops sold, and to whom: stars around one table of facts.
var askShops = []Question{
	{"brands of one maker in a month of each year", `
SELECT d_year, i_brand_id, i_brand, sum(ss_total) AS total
FROM days, shop_sales, items
WHERE d_key = ss_day AND ss_item = i_key AND i_maker BETWEEN 10 AND 14 AND d_month = 11
GROUP BY d_year, i_brand, i_brand_id ORDER BY d_year, total DESC, i_brand_id, i_brand LIMIT 100`},

	{"averages by item for one kind of buyer, promoted by one way but not the other", `
SELECT i_id, avg(ss_count), avg(ss_list), avg(ss_coupon), avg(ss_price)
FROM shop_sales, traits, days, items, promos
WHERE ss_day = d_key AND ss_item = i_key AND ss_trait = k_key AND ss_promo = p_key
  AND k_gender = 'M' AND k_marital IN ('S', 'D') AND k_education LIKE '%Degree' AND (p_mail = 'N' OR p_event = 'N') AND d_year = 2000
GROUP BY i_id ORDER BY i_id LIMIT 100`},

	{"sums under a disjunction over three dimensions", `
SELECT avg(ss_count), avg(ss_total), avg(ss_cost), sum(ss_cost), count(*)
FROM shop_sales, shops, traits, homes, places, days
WHERE s_key = ss_shop AND ss_day = d_key AND d_year = 2001
  AND ((ss_home = h_key AND k_key = ss_trait AND k_marital = 'M' AND k_education = 'College' AND ss_price BETWEEN 20 AND 150 AND h_people IN (1, 3, 5))
    OR (ss_home = h_key AND k_key = ss_trait AND k_marital = 'S' AND k_education = 'Primary' AND ss_price BETWEEN 5 AND 100 AND h_people = 1)
    OR (ss_home = h_key AND k_key = ss_trait AND k_marital = 'W' AND k_education LIKE '2%' AND ss_price BETWEEN 15 AND 200 AND h_people = 2))
  AND ((ss_place = a_key AND a_country = 'United States' AND a_state IN ('TX', 'OH', 'AL') AND ss_profit BETWEEN -1000 AND 2000)
    OR (ss_place = a_key AND a_state IN ('KY', 'CA', 'GA', 'IL') AND ss_profit BETWEEN -3000 AND 3000))`},

	{"who bought at home is not where the shop is", `
SELECT i_brand, i_brand_id, i_maker, sum(ss_total) AS total
FROM days, shop_sales, items, buyers, places, shops
WHERE d_key = ss_day AND ss_item = i_key AND i_manager <= 8 AND d_month = 11 AND ss_buyer = b_key AND b_place = a_key
  AND substr(a_zip, 1, 2) <> substr(s_id, 7, 2) AND ss_shop = s_key AND a_state <> s_state
GROUP BY i_brand, i_brand_id, i_maker ORDER BY total DESC, i_brand, i_brand_id, i_maker LIMIT 100`},

	{"sums by day of the week, as columns", `
SELECT s_name, s_id,
  sum(CASE WHEN d_name = 'Sunday' THEN ss_price END) AS sun, sum(CASE WHEN d_name = 'Monday' THEN ss_price END) AS mon,
  sum(CASE WHEN d_name = 'Tuesday' THEN ss_price ELSE NULL END) AS tue, sum(CASE WHEN d_name = 'Wednesday' THEN ss_price END) AS wed,
  sum(ss_price) FILTER (WHERE d_name = 'Thursday') AS thu, sum(ss_price) FILTER (WHERE d_name = 'Friday') AS fri, sum(ss_price) FILTER (WHERE d_dow = 6) AS sat
FROM days, shop_sales, shops
WHERE d_key = ss_day AND s_key = ss_shop AND s_offset <= -5 AND d_year = 2000
GROUP BY s_name, s_id ORDER BY s_name, s_id, sun, mon, tue, wed, thu, fri, sat LIMIT 100`},

	{"tickets with many lines at the ends of months", `
SELECT b_last, b_first, b_title, b_liked, ss_order, lines
FROM (SELECT ss_order, ss_buyer, count(*) AS lines
      FROM shop_sales, days, shops, homes
      WHERE ss_day = d_key AND ss_shop = s_key AND ss_home = h_key
        AND (extract(day FROM d_date) BETWEEN 1 AND 3 OR extract(day FROM d_date) BETWEEN 25 AND 28)
        AND (h_potential = '>10000' OR h_potential = 'Unknown' OR h_cars > 0)
        AND CASE WHEN h_cars > 0 THEN h_people::numeric / h_cars ELSE NULL END > 1.2
      GROUP BY ss_order, ss_buyer) dn, buyers
WHERE ss_buyer = b_key AND lines BETWEEN 4 AND 20
ORDER BY b_last, b_first, b_title, b_liked DESC, ss_order, lines`},

	{"tickets of few lines from busy households, by county", `
SELECT b_last, b_first, ss_order, lines, s_county
FROM (SELECT ss_order, ss_buyer, s_county, count(*) AS lines
      FROM shop_sales JOIN days ON ss_day = d_key JOIN shops ON ss_shop = s_key JOIN homes ON ss_home = h_key
      WHERE d_dow IN (6, 0) AND d_year BETWEEN 1999 AND 2001 AND h_cars >= 3
      GROUP BY ss_order, ss_buyer, s_county) dj
JOIN buyers ON ss_buyer = b_key
WHERE lines BETWEEN 1 AND 5 ORDER BY lines DESC, b_last, b_first, ss_order, s_county LIMIT 100`},

	{"what households spent far from home", `
SELECT b_last, b_first, a_city, bought, ss_order, paid, profit
FROM (SELECT ss_order, ss_buyer, a_city AS bought, sum(ss_coupon) AS paid, sum(ss_profit) AS profit
      FROM shop_sales, days, shops, homes, places
      WHERE ss_day = d_key AND ss_shop = s_key AND ss_home = h_key AND ss_place = a_key
        AND (h_people = 4 OR h_cars = 3) AND d_dow IN (6, 0) AND d_year IN (1999, 2000, 2001) AND s_city IN ('Ashby', 'Brook', 'Easton', 'Dover')
      GROUP BY ss_order, ss_buyer, ss_place, a_city) dn, buyers, places AS home
WHERE ss_buyer = b_key AND b_place = home.a_key AND home.a_city <> bought
ORDER BY b_last, b_first, a_city, bought, ss_order, paid, profit LIMIT 100`},

	{"rolled up by state with the share of each group", `
SELECT i_id, s_state, GROUPING(s_state) AS g, avg(ss_count), avg(ss_list), avg(ss_coupon), avg(ss_price)
FROM shop_sales, traits, days, shops, items
WHERE ss_day = d_key AND ss_item = i_key AND ss_shop = s_key AND ss_trait = k_key AND k_gender = 'F' AND d_year = 1999 AND s_state IN ('AL', 'CA', 'GA', 'KY')
GROUP BY ROLLUP (i_id, s_state) ORDER BY i_id, s_state, g LIMIT 100`},

	{"margin by category and class, ranked within each level", `
SELECT sum(ss_profit) / nullif(sum(ss_total), 0) AS margin, i_category, i_class, GROUPING(i_category) + GROUPING(i_class) AS level,
  rank() OVER (PARTITION BY GROUPING(i_category) + GROUPING(i_class), CASE WHEN GROUPING(i_class) = 0 THEN i_category END ORDER BY sum(ss_profit) / nullif(sum(ss_total), 0)) AS place
FROM shop_sales, days, items, shops
WHERE d_year = 2001 AND d_key = ss_day AND i_key = ss_item AND s_key = ss_shop
GROUP BY ROLLUP (i_category, i_class)
ORDER BY level DESC, CASE WHEN GROUPING(i_category) + GROUPING(i_class) = 0 THEN i_category END, place, i_category, i_class LIMIT 100`},

	{"the states of most profit, and their counties", `
SELECT sum(ss_profit) AS profit, s_state, s_county, GROUPING(s_state) + GROUPING(s_county) AS level,
  rank() OVER (PARTITION BY GROUPING(s_state) + GROUPING(s_county), CASE WHEN GROUPING(s_county) = 0 THEN s_state END ORDER BY sum(ss_profit) DESC) AS place
FROM shop_sales, days d1, shops
WHERE d1.d_months BETWEEN 24 AND 35 AND d1.d_key = ss_day AND s_key = ss_shop
  AND s_state IN (SELECT s_state FROM (
    SELECT s_state, rank() OVER (PARTITION BY s_state ORDER BY sum(ss_profit) DESC) AS r
    FROM shop_sales, shops, days WHERE d_months BETWEEN 24 AND 35 AND d_key = ss_day AND s_key = ss_shop GROUP BY s_state) t WHERE r <= 5)
GROUP BY ROLLUP (s_state, s_county) ORDER BY level DESC, CASE WHEN GROUPING(s_state) + GROUPING(s_county) = 0 THEN s_state END, place, s_state, s_county LIMIT 100`},

	{"classes against their category's month, by windows over sums", `
SELECT * FROM (
  SELECT i_category, i_class, i_brand, s_name, d_month, sum(ss_price) AS sold,
    avg(sum(ss_price)) OVER (PARTITION BY i_category, i_brand, s_name) AS mean
  FROM items, shop_sales, days, shops
  WHERE ss_item = i_key AND ss_day = d_key AND ss_shop = s_key AND d_year = 1999
    AND ((i_category IN ('Books', 'Electronics', 'Sports') AND i_class IN ('cameras', 'fiction', 'portable', 'fitness'))
      OR (i_category IN ('Men', 'Jewelry', 'Women') AND i_class IN ('shirts', 'pants', 'dresses', 'estate')))
  GROUP BY i_category, i_class, i_brand, s_name, d_month) t
WHERE CASE WHEN mean <> 0 THEN abs(sold - mean) / mean END > 0.1
ORDER BY sold - mean, s_name, i_category, i_class, i_brand, d_month, sold LIMIT 100`},

	{"makers' quarters that stand apart from the mean of their year", `
SELECT * FROM (
  SELECT i_maker, d_quarter, sum(ss_price) AS sold, avg(sum(ss_price)) OVER (PARTITION BY i_maker) AS mean, count(*) OVER () AS all_rows
  FROM items JOIN shop_sales ON ss_item = i_key JOIN days ON ss_day = d_key
  WHERE d_months IN (12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23) AND ss_shop IS NOT NULL
  GROUP BY i_maker, d_quarter) t
WHERE CASE WHEN mean > 0 THEN abs(sold - mean) / mean ELSE NULL END > 0.1 ORDER BY mean, sold, i_maker, d_quarter LIMIT 100`},

	{"an item's sum as a share of its class", `
SELECT i_id, i_name, i_category, i_class, i_price, sum(ss_total) AS revenue, sum(ss_total) * 100 / sum(sum(ss_total)) OVER (PARTITION BY i_class) AS share
FROM shop_sales, items, days
WHERE ss_item = i_key AND i_category IN ('Sports', 'Books', 'Home') AND ss_day = d_key AND d_date BETWEEN DATE '1999-02-22' AND DATE '1999-02-22' + INTERVAL '90 days'
GROUP BY i_id, i_name, i_category, i_class, i_price ORDER BY i_category, i_class, i_id, i_name, share, i_price LIMIT 100`},

	{"six counts of price bands, each a row, in one row", `
SELECT * FROM
  (SELECT avg(ss_list) AS a1, count(ss_list) AS c1, count(DISTINCT ss_list) AS u1 FROM shop_sales WHERE ss_count BETWEEN 0 AND 15 AND (ss_list BETWEEN 8 AND 18 OR ss_coupon BETWEEN 100 AND 600 OR ss_cost BETWEEN 57 AND 77)) b1,
  (SELECT avg(ss_list) AS a2, count(ss_list) AS c2, count(DISTINCT ss_list) AS u2 FROM shop_sales WHERE ss_count BETWEEN 16 AND 35 AND (ss_list BETWEEN 90 AND 100 OR ss_coupon BETWEEN 230 AND 1230 OR ss_cost BETWEEN 31 AND 51)) b2,
  (SELECT avg(ss_list) AS a3, count(ss_list) AS c3, count(DISTINCT ss_list) AS u3 FROM shop_sales WHERE ss_count BETWEEN 36 AND 60 AND (ss_list BETWEEN 142 AND 152 OR ss_cost BETWEEN 79 AND 99)) b3,
  (SELECT avg(ss_list) AS a4, count(ss_list) AS c4, count(DISTINCT ss_list) AS u4 FROM shop_sales WHERE ss_count > 60 AND ss_coupon > 5000) b4`},
}
