package bench

import "testing"

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
	}
	for _, salt := range []int{0, 16} {
		b.Run(map[int]string{0: "salt-0", 16: "salt-16"}[salt], func(b *testing.B) {
			db := openDB(b, b.TempDir())
			load(b, db, "t", salt, rows)
			s := session(b, db)
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
		})
	}
	b.Run("postgres", func(b *testing.B) { onPostgres(b, queries) })
}
