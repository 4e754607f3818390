package dialect

import (
	"strings"
	"testing"
)

var benchmarks = []struct{ name, sql string }{
	{"point", "SELECT ts, cpu, mem FROM metrics WHERE host = $1 AND ts = $2"},
	{"insert", "INSERT INTO t (a, b, c, d, e, f, g, h, i, j) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"},
	{"analytic", `WITH monthly AS (
  SELECT date_trunc('month', ts) AS m, host, avg(cpu) AS cpu, percentile_cont(0.95) WITHIN GROUP (ORDER BY cpu) AS p95
  FROM metrics WHERE ts >= '2024-01-01'::timestamp AND host LIKE 'web-%' GROUP BY 1, 2 HAVING count(*) > 10
), ranked AS (
  SELECT *, rank() OVER w AS r, lag(cpu, 1, 0.0) OVER (PARTITION BY host ORDER BY m) AS before,
         sum(cpu) FILTER (WHERE cpu > 0.5) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total
  FROM monthly WINDOW w AS (PARTITION BY m ORDER BY cpu DESC NULLS LAST)
)
SELECT r.m::date, r.host, CASE WHEN before = 0 THEN NULL ELSE round((100 * (r.cpu - before) / before)::numeric, 1) END AS change,
       coalesce(h.region, 'none') || '/' || r.host AS place, r.total
FROM ranked r LEFT JOIN hosts h ON h.name = r.host AND h.valid @> r.m
WHERE r.r <= 3 AND r.host = ANY ($1) AND NOT EXISTS (SELECT 1 FROM outages o WHERE o.host = r.host AND o.at BETWEEN r.m AND r.m + interval '1 month')
ORDER BY 1, 3 DESC NULLS LAST LIMIT 100`},
	{"thousand_rows", "INSERT INTO t VALUES " + strings.Repeat("($1, $2, 'text', 4, 5.5, NULL, true, 8, 9, 10), ", 999) + "(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)"},
}

// BenchmarkParse is the whole way from text to AST.
func BenchmarkParse(b *testing.B) {
	for _, bm := range benchmarks {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.sql)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(bm.sql); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
