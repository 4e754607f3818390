package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql"
)

// BenchmarkGroup groups a million rows in few groups and in many, by columns in the
// key's order and in none.
func BenchmarkGroup(b *testing.B) {
	queries := []namedQuery{
		{"4", "SELECT n % 4, count(*), sum(n) FROM t GROUP BY 1"},
		{"200", "SELECT n % 200, count(*), sum(n) FROM t GROUP BY 1"},
		{"1000-column", "SELECT n, count(*) FROM t GROUP BY n"},
		{"600000", "SELECT k % 600000 AS g, count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10"},
		{"key", "SELECT k, count(*) FROM t GROUP BY k ORDER BY k LIMIT 10 OFFSET 999000"},
		{"distinct", "SELECT count(DISTINCT n) FROM t"},
		{"distinct-many", "SELECT count(DISTINCT k) FROM t"},
		{"text", "SELECT v, count(*) FROM t GROUP BY v ORDER BY 2 DESC, 1 LIMIT 10"},
		{"percentile", "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY n) FROM t"},
		{"top", "SELECT k FROM t ORDER BY n DESC, k LIMIT 10"},
		{"filter", "SELECT count(*) FROM t WHERE n % 7 = 3 AND v LIKE '%77%'"},
		{"scan", "SELECT sum(n), count(*) FROM t WHERE n < 500"},
	}
	for _, salt := range []int{0, 16} {
		b.Run(map[int]string{0: "salt-0", 16: "salt-16"}[salt], func(b *testing.B) {
			db := openDB(b, b.TempDir())
			load(b, db, "t", salt, rows)
			askSaltsql(b, session(b, db), queries)
		})
	}
	b.Run("postgres", func(b *testing.B) { onPostgres(b, queries) })
}

// askSaltsql runs queries and reports the processor time.
func askSaltsql(b *testing.B, s *saltsql.Session, queries []namedQuery) {
	for _, q := range queries {
		b.Run(q.name, func(b *testing.B) {
			st := prepare(b, s, q.sql)
			report := reportCPU(b)
			for b.Loop() {
				drain(b, st)
			}
			report()
		})
	}
}

// BenchmarkGroupKey groups a million rows by the first column of a key of two: in 400,000
// groups, whose results are looked at by an aggregation above, and in 100.
func BenchmarkGroupKey(b *testing.B) {
	tables := []struct {
		name   string
		salts  []int
		groups int
		query  namedQuery
	}{
		{"400000", []int{0, 8}, 400_000, namedQuery{"group", "SELECT max(c), sum(s) FROM (SELECT a, count(*) AS c, sum(n) AS s FROM g GROUP BY a) AS x"}},
		{"100", []int{0, 16}, 100, namedQuery{"group", "SELECT a, count(*), sum(n) FROM g GROUP BY a"}},
	}
	for _, t := range tables {
		b.Run(t.name, func(b *testing.B) {
			ctx := context.Background()
			const create = "CREATE TABLE g (a BIGINT, b BIGINT, n INT, v VARCHAR, PRIMARY KEY (a, b))"
			var text strings.Builder
			for i := range rows {
				fmt.Fprintf(&text, "%d\t%d\t%d\trow number %010d of the benchmark, some text\n", i*t.groups/rows, i, i%1000, i)
			}
			for _, salt := range t.salts {
				b.Run(fmt.Sprintf("salt-%d", salt), func(b *testing.B) {
					db := openDB(b, b.TempDir())
					s := session(b, db)
					sql := create
					if salt > 0 {
						sql += fmt.Sprintf(" SALT_BUCKETS = %d", salt)
					}
					if _, err := s.Exec(ctx, sql); err != nil {
						b.Fatal(err)
					}
					if n, err := s.CopyFrom(ctx, "COPY g FROM STDIN", strings.NewReader(text.String())); err != nil || n != rows {
						b.Fatal(n, err)
					}
					askSaltsql(b, s, []namedQuery{t.query, {"count", "SELECT count(n) FROM g"}})
				})
			}
			b.Run("postgres", func(b *testing.B) {
				c := postgres(b, 0)
				copyOver(b, c, create, "g", strings.NewReader(text.String()))
				if _, err := c.Exec(ctx, "VACUUM ANALYZE g"); err != nil {
					b.Fatal(err)
				}
				askPostgres(b, c, []namedQuery{t.query, {"count", "SELECT count(n) FROM g"}})
			})
		})
	}
}

// BenchmarkDocument looks into a million documents of jsonb: a member that is compared, and one of
// an object below the top.
func BenchmarkDocument(b *testing.B) {
	ctx := context.Background()
	const create = "CREATE TABLE j (k BIGINT PRIMARY KEY, d JSONB)"
	queries := []namedQuery{{"nested", "SELECT sum((d -> 'nested' ->> 'n')::int) FROM j WHERE d ->> 'color' = 'red'"}}
	var text strings.Builder
	for i := range rows {
		fmt.Fprintf(&text, "%d\t{\"id\": %d, \"name\": \"a text of some length\", \"tags\": [\"a\", \"b\"], \"color\": \"%s\", \"nested\": {\"ok\": true, \"n\": %d}}\n", i, i, [...]string{"red", "green", "blue"}[i%3], i%1000)
	}
	b.Run("salt-16", func(b *testing.B) {
		s := session(b, openDB(b, b.TempDir()))
		if _, err := s.Exec(ctx, create+" SALT_BUCKETS = 16"); err != nil {
			b.Fatal(err)
		}
		if _, err := s.CopyFrom(ctx, "COPY j FROM STDIN", strings.NewReader(text.String())); err != nil {
			b.Fatal(err)
		}
		askSaltsql(b, s, queries)
	})
	b.Run("postgres", func(b *testing.B) {
		c := postgres(b, 0)
		copyOver(b, c, create, "j", strings.NewReader(text.String()))
		if _, err := c.Exec(ctx, "VACUUM ANALYZE j"); err != nil {
			b.Fatal(err)
		}
		askPostgres(b, c, queries)
	})
}
