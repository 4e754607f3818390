package conformance

import "testing"

// TestExpressionsEqualThemselves writes each kind of expression twice, where the second must
// be known for the first: in GROUP BY, DISTINCT with ORDER BY, DISTINCT ON and grouping sets.
func TestExpressionsEqualThemselves(t *testing.T) {
	t.Parallel()
	w := newTwins(t, variant{store: "mem"}.open(t))
	p := w.session(t, "CREATE TYPE mood AS ENUM ('a', 'b')", "CREATE DOMAIN small AS int CHECK (VALUE < 100)",
		"CREATE TABLE g (k int PRIMARY KEY, a int, b int, s text, l int[], j jsonb, d timestamptz)",
		`INSERT INTO g VALUES (1, 1, 1, 'a', '{1,2}', '{"x": 1}', '2024-01-01'), (2, 1, 2, 'b', '{3}', '{"x": 2}', '2024-02-01'), (3, 2, 3, NULL, NULL, NULL, NULL)`)
	for _, e := range []string{
		"a", "a + 1", "-a", "a::text", "a::numeric(5,2)", "a::small", "s::mood::text", "NULLIF(a, 1)", "GREATEST(a, b)", "LEAST(a, b, 2)", "COALESCE(s, 'z')",
		"CASE WHEN a = 1 THEN 'x' END", "CASE a WHEN 1 THEN b ELSE 0 END", "a = 1 AND b > 1", "a = 1 OR b > 1", "NOT a = 1", "s IS NULL", "a IS DISTINCT FROM b",
		"a = 1 IS TRUE", "a IN (1, b)", "a = ANY (l)", "a = ALL (ARRAY[a, 1])", "(a, b) < (1, 2)", "(a, b) IN ((1, 2), (b, a))", "a BETWEEN b AND 3", "a BETWEEN SYMMETRIC b AND 3",
		"ARRAY[a, b]", "l[1]", "l[1:2]", "l[a]", "ROW(a, b)::text", "g::text", "j->'x'", "j->>'x'", "j #>> '{x}'", "j['x']", "lower(s)", "upper(s) || 'x'", "s LIKE 'a%'", "s ~ 'a'", "s COLLATE \"C\"",
		"substring(s FROM 1 FOR 1)", "extract(year FROM d)", "date_trunc('month', d)", "d AT TIME ZONE 'UTC'", "to_char(d, 'YYYY')", "concat(s, a)", "format('%s', a)", "num_nulls(s, a)", "array_append(l, a)",
		"jsonb_build_object('k', a)", "EXISTS (SELECT 1 FROM g h WHERE h.a = g.b)", "(SELECT max(b) FROM g h WHERE h.a = g.a)", "(SELECT 1)", "ARRAY(SELECT b FROM g h WHERE h.a = g.a ORDER BY b)",
		"a IN (SELECT b FROM g h WHERE h.k = g.k)", "a NOT IN (SELECT 5)", "COALESCE((SELECT max(h.k) FROM g h WHERE h.a > g.a), 0)", "5", "current_date IS NULL", "length(s) > (SELECT 0)",
	} {
		p.same(t, "SELECT "+e+" FROM g GROUP BY "+e+" ORDER BY "+e)
		p.same(t, "SELECT count(*), ("+e+") IS NULL FROM g GROUP BY "+e+" ORDER BY 1, 2")
		p.same(t, "SELECT DISTINCT "+e+" FROM g ORDER BY "+e)
		p.same(t, "SELECT DISTINCT ON ("+e+") "+e+" FROM g ORDER BY "+e)
		p.same(t, "SELECT "+e+" AS e, count(*) FROM g GROUP BY ROLLUP ("+e+") ORDER BY "+e+", 2")
		p.same(t, "SELECT * FROM (SELECT "+e+" AS e, a, count(*) AS n FROM g GROUP BY GROUPING SETS (("+e+"), (a))) q ORDER BY e, a, n")
	}
}
