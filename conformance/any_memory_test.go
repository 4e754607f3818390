package conformance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
)

// heldRows are queries whose operators hold rows or values, several in one query: each must
// give way to the others wherever the memory ends.
var heldRows = []string{
	"SELECT g, percentile_cont(ARRAY[0, 0.25, 1]) WITHIN GROUP (ORDER BY k), count(DISTINCT v), (array_agg(v ORDER BY k))[5], count(*) FROM held GROUP BY g",
	"SELECT g, (array_agg(v ORDER BY k))[5], percentile_disc(0.5) WITHIN GROUP (ORDER BY v), sum(DISTINCT v), percentile_cont(0.3) WITHIN GROUP (ORDER BY k) FROM held GROUP BY ROLLUP (g, g)",
	"SELECT mode() WITHIN GROUP (ORDER BY v), count(DISTINCT s), length(string_agg(DISTINCT s, ',' ORDER BY s)), rank(500) WITHIN GROUP (ORDER BY v), percentile_disc(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY s) FROM held",
	"SELECT count(*), sum(n), sum(d) FROM (SELECT v, count(DISTINCT k) AS n, percentile_disc(0.5) WITHIN GROUP (ORDER BY k) AS d FROM held GROUP BY v) x",
	"SELECT count(*), sum(a.k), count(b.k), count(c.k) FROM held a FULL JOIN held b ON a.v = b.k LEFT JOIN held c ON c.s = a.s AND c.k = b.k",
	"SELECT count(*), sum(r), sum(w), sum(l) FROM (SELECT rank() OVER (PARTITION BY g ORDER BY v) AS r, sum(k) OVER (ORDER BY v, k ROWS BETWEEN 7 PRECEDING AND 3 FOLLOWING EXCLUDE TIES) AS w, length(lag(s, 3) OVER (ORDER BY k)) AS l FROM held) x",
	"SELECT count(*), sum(v) FROM (SELECT v, s FROM held EXCEPT SELECT v + 1, s FROM held) x",
	"SELECT count(*), sum(v) FROM (SELECT v, s FROM held INTERSECT ALL SELECT v, s FROM held WHERE k % 3 > 0 UNION SELECT k, s FROM held) x",
	"WITH RECURSIVE r(n, s) AS (SELECT k, s FROM held WHERE k < 400 UNION SELECT h.v, h.s FROM r JOIN held h ON h.k = r.n + 1) SELECT count(*), sum(n), count(DISTINCT s) FROM r",
	"WITH w AS MATERIALIZED (SELECT * FROM held) SELECT count(*), sum(a.v) FROM w a JOIN w b ON a.k = b.v WHERE a.k NOT IN (SELECT v FROM held WHERE k < 200)",
	"SELECT count(*), max(s) FROM (SELECT DISTINCT ON (v) v, s FROM held ORDER BY v, s DESC, k) x",
	"SELECT sum(v * n) FROM (SELECT v, row_number() OVER () AS n FROM (SELECT v FROM held ORDER BY s, k OFFSET 10) x) y",
}

// TestAnyMemory gives queries memory of any size: each is answered as with plenty, wherever
// it is that they must spill.
func TestAnyMemory(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	variants := []variant{{store: "mem"}, {store: "mem", salt: 4}}
	for i := range seeds.Part(t, len(variants), seeds.Whole) {
		v := variants[i]
		t.Run(v.String(), func(t *testing.T) {
			e := &randomEngine{name: v.String(), db: v.open(t), variant: v}
			run := &randomRun{randomEngine: e}
			if err := run.session(map[string]string{}); err != nil {
				t.Fatal(err)
			}
			defer run.conn.close(ctx)
			must := func(sql string) {
				t.Helper()
				if _, _, err := run.conn.text(ctx, sql, 0); err != nil {
					t.Fatal(err)
				}
			}
			must(fmt.Sprintf("CREATE TABLE held (k int PRIMARY KEY, v int, g int, s text) %s", engine{variant: v}.Salt()))
			must("INSERT INTO held SELECT i, i * 7919 % 1500, i % 5, repeat(chr(97 + i % 26), 20) || i % 700 FROM generate_series(1, 3000) i")
			var want []string
			for _, sql := range heldRows {
				want = append(want, rowSet(ctx, run.conn, sql))
			}
			spilled := 0
			for kb := 64; kb < 3000; kb += kb / seeds.Amount(1, 3) {
				must(fmt.Sprintf("SET work_mem = '%dkB'", kb))
				for i, sql := range heldRows {
					got := rowSet(ctx, run.conn, sql)
					if strings.HasPrefix(got, "error 53200") {
						spilled++
						continue
					}
					if got != want[i] {
						t.Errorf("with %d kB:\n%s\ngives %s\nnot %s", kb, sql, got, want[i])
					}
				}
			}
			t.Log(spilled, "refused")
		})
	}
}
