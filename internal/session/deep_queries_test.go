package session

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

// deepQueries are queries of n levels, or of n relations, over t: all that may stand in another
// of its kind, correlated where it can be.
var deepQueries = []struct {
	name string
	of   func(n int) string
}{
	{"FROM", levels("SELECT a, b FROM t", "SELECT a, b FROM (%s) s")},
	{"FROM, filtered", levels("SELECT a, b FROM t", "SELECT a, b FROM (%s) s WHERE a > 0")},
	{"FROM, sorted", levels("SELECT a, b FROM t", "SELECT a, b FROM (%s) s ORDER BY b LIMIT 5")},
	{"FROM, grouped", levels("SELECT a, b FROM t", "SELECT a, max(b) AS b FROM (%s) s GROUP BY a")},
	{"FROM, distinct", levels("SELECT a, b FROM t", "SELECT DISTINCT a, b FROM (%s) s")},
	{"FROM, windows", levels("SELECT a, b FROM t", "SELECT a, sum(b) OVER (ORDER BY a) AS b FROM (%s) s")},
	{"FROM, joined", levels("SELECT a, b FROM t", "SELECT s.a, t.b FROM (%s) s JOIN t ON t.a = s.b")},
	{"FROM, left joined", levels("SELECT a, b FROM t", "SELECT s.a, t.b FROM (%s) s LEFT JOIN t ON t.a = s.b AND t.b > 0")},
	{"LATERAL", levels("SELECT t.b", "SELECT s.b FROM t, LATERAL (%s) s WHERE t.a = 1")},
	{"scalar", levels("SELECT 1", "SELECT b + (%s) FROM t WHERE a = 1")},
	{"scalar, correlated", levels("SELECT t.b", "SELECT (%s) FROM t WHERE a = t.b LIMIT 1")},
	{"IN", levels("SELECT a FROM t", "SELECT a FROM t WHERE b IN (%s)")},
	{"IN, correlated", levels("SELECT a FROM t WHERE b = 1", "SELECT a FROM t x WHERE b IN (SELECT a FROM t WHERE b = x.b AND a IN (%s))")},
	{"NOT IN", levels("SELECT a FROM t", "SELECT a FROM t WHERE b NOT IN (%s)")},
	{"ALL", levels("SELECT a FROM t", "SELECT a FROM t WHERE b >= ALL (%s)")},
	{"EXISTS", levels("SELECT FROM t WHERE a = 1", "SELECT FROM t WHERE EXISTS (%s)")},
	{"EXISTS, correlated", levels("SELECT FROM t WHERE t.a = x.a", "SELECT FROM t JOIN t x ON x.a = t.b WHERE EXISTS (%s)", "SELECT FROM t x WHERE EXISTS (", ")")},
	{"NOT EXISTS", levels("SELECT FROM t WHERE a = 9", "SELECT FROM t WHERE NOT EXISTS (%s)")},
	{"EXISTS or", levels("SELECT FROM t WHERE a = 9", "SELECT FROM t WHERE a = 7 OR EXISTS (%s)")},
	{"ARRAY", levels("SELECT 1", "SELECT cardinality(ARRAY(%s)) FROM t")},
	{"WITH in WITH", levels("SELECT a, b FROM t", "WITH w AS (%s) SELECT a, b FROM w")},
	{"WITH in WITH, kept", levels("SELECT a, b FROM t", "WITH w AS MATERIALIZED (%s) SELECT a, b FROM w")},
	{"WITH list", func(n int) string {
		list := "c0 AS (SELECT a FROM t)"
		for i := 1; i < n; i++ {
			list += fmt.Sprintf(", c%d AS (SELECT a FROM c%d)", i, i-1)
		}
		return fmt.Sprintf("WITH %s SELECT a FROM c%d", list, n-1)
	}},
	{"recursive", levels("SELECT 1 AS x", "WITH RECURSIVE r(x) AS (SELECT x FROM (%s) s UNION ALL SELECT x + 1 FROM r WHERE x < 2) SELECT max(x) AS x FROM r")},
	{"UNION", levels("SELECT 1", "SELECT 2 UNION (%s)")},
	{"UNION, a chain", func(n int) string { return "SELECT 1" + strings.Repeat(" UNION SELECT a FROM t", n) }},
	{"UNION ALL", levels("SELECT a FROM t", "SELECT 2 UNION ALL (%s) ")},
	{"EXCEPT", levels("SELECT a FROM t", "SELECT a FROM t EXCEPT (%s)")},
	{"INTERSECT, a chain", func(n int) string { return "SELECT a FROM t" + strings.Repeat(" INTERSECT SELECT a FROM t", n) }},
	{"CASE", levels("a", "CASE WHEN b = 1 THEN 1 ELSE %s END", "SELECT ", " FROM t")},
	{"functions", levels("a", "abs(%s)", "SELECT ", " FROM t")},
	{"coalesce", levels("a", "coalesce(%s, b)", "SELECT ", " FROM t")},
	{"parentheses", levels("a", "(%s)", "SELECT ", " FROM t")},
	{"sums", levels("a", "(%s + b)", "SELECT ", " FROM t")},
	{"arrays", levels("a", "(ARRAY[%s])[1]", "SELECT ", " FROM t")},
	{"arrays of arrays", levels("a", "ARRAY[%s]", "SELECT ", " FROM t")},
	{"rows", levels("a", "ROW(%s)", "SELECT ", " FROM t")},
	{"NOT", levels("a = 1", "NOT (%s)", "SELECT a FROM t WHERE ", "")},
	{"AND in OR", levels("a = 1", "b = 1 AND (a > 0 OR %s)", "SELECT a FROM t WHERE ", "")},
	{"queries in parentheses", levels("SELECT a FROM t", "(%s)")},
	{"joins", joined("JOIN t t%d ON t%d.a = t%d.b")},
	{"left joins", joined("LEFT JOIN t t%d ON t%d.a = t%d.b")},
	{"full joins", joined("FULL JOIN t t%d ON t%d.a = t%d.b")},
	{"joins without a key", joined("JOIN t t%d ON t%d.b > t%d.b + 5")},
	{"joins in parentheses", levels("t AS u", "(%s JOIN t USING (a)) AS u", "SELECT 1 FROM ", "")},
	{"LATERAL, a chain", joined("CROSS JOIN LATERAL (SELECT a, b FROM t x%d WHERE x%[1]d.a = t%[3]d.b LIMIT 1) t%[1]d")},
	{"cross joins", func(n int) string {
		from := "t t0"
		for i := 1; i < n; i++ {
			from += fmt.Sprintf(", (SELECT 1) t%d", i)
		}
		return "SELECT t0.a FROM " + from
	}},
	{"functions in FROM", func(n int) string {
		from := "t t0"
		for i := 1; i < n; i++ {
			from += fmt.Sprintf(", generate_series(1, 1) t%d", i)
		}
		return "SELECT t0.a FROM " + from
	}},
}

// levels puts a text n times into another.
func levels(inner, outer string, around ...string) func(int) string {
	before, after, _ := strings.Cut(outer, "%s")
	return func(n int) string {
		q := strings.Repeat(before, n) + inner + strings.Repeat(after, n)
		if len(around) == 2 {
			q = around[0] + q + around[1]
		}
		return q
	}
}

// joined joins n relations, each to the one before.
func joined(join string) func(int) string {
	return func(n int) string {
		from := "t t0"
		for i := 1; i < n; i++ {
			from += " " + fmt.Sprintf(join, i, i, i-1)
		}
		return "SELECT t0.a FROM " + from
	}
}

// TestDeepQueries runs queries of 1,000 levels and of 500 relations, on a small stack: they
// give rows or are refused as too complex.
func TestDeepQueries(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long beside the race detector, on one goroutine")
	}
	defer debug.SetMaxStack(debug.SetMaxStack(depthStack))
	ctx := context.Background()
	store := mem.New()
	defer store.Close()
	db, err := Open(ctx, store, &Options{PlanCache: -1, NoEstimates: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := func(text string) error {
		rows, err := s.Query(ctx, text)
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		if err := rows.Err(); err != nil && err != io.EOF {
			return err
		}
		return rows.Close()
	}
	for _, text := range []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT) SALT_BUCKETS = 4", "INSERT INTO t VALUES (1, 1), (2, 1)"} {
		if err := run(text); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range deepQueries {
		t.Run(q.name, func(t *testing.T) {
			// What is refused at 1,000 levels for its depth must be a query that runs.
			if err := run(q.of(5)); err != nil && q.name != "arrays of arrays" {
				t.Errorf("5: %v: %s", err, q.of(5))
			}
			for _, n := range []int{100, 500, 1000} {
				err := run(q.of(n))
				switch code := sqlerr.CodeOf(err); {
				case err == nil, code == sqlerr.StatementTooComplex, code == sqlerr.ProgramLimitExceeded:
				default:
					t.Errorf("%d: %v %.200v", n, code, err)
				}
			}
		})
	}
}
