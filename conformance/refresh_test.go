package conformance

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestRefreshIsAtomic refreshes a materialized view over and over while others read it, by scans
// and by its index: each sees the rows of one REFRESH, all of them, and never fewer than before.
func TestRefreshIsAtomic(t *testing.T) {
	const rows = 300
	for _, v := range []variant{{store: "mem"}, {store: "pebble", salt: 4}, {store: "bigtable", salt: 4}} {
		t.Run(fmt.Sprintf("%s/salt-%d", v.store, v.salt), func(t *testing.T) {
			t.Parallel()
			ctx, db := context.Background(), v.open(t)
			exec := func(sql string) {
				t.Helper()
				if _, err := db.Exec(ctx, sql); err != nil {
					t.Errorf("%s: %v", sql, err)
				}
			}
			exec("CREATE TABLE gen (k int PRIMARY KEY, n int)")
			exec("UPSERT INTO gen VALUES (1, 0)")
			exec(fmt.Sprintf("CREATE MATERIALIZED VIEW m AS SELECT g AS a, n FROM generate_series(1, %d) g, gen", rows))
			exec("CREATE UNIQUE INDEX m_a ON m (a)")
			var over atomic.Bool
			var reads atomic.Int64
			var wg sync.WaitGroup
			for _, query := range []string{
				"SELECT count(*), min(n), max(n) FROM m",
				fmt.Sprintf("SELECT count(*), min(n), max(n) FROM (SELECT n FROM m WHERE a BETWEEN 1 AND %d ORDER BY a) x", rows),
			} {
				wg.Go(func() {
					for last := int64(0); !over.Load(); reads.Add(1) {
						var n, lo, hi int64
						row, err := db.Query(ctx, query)
						if err == nil {
							row.Next()
							err = row.Scan(&n, &lo, &hi)
							row.Close()
						}
						if err != nil || n != rows || lo != hi || lo < last {
							t.Errorf("%s: %d rows of %d to %d after %d: %v", query, n, lo, hi, last, err)
							return
						}
						last = lo
					}
				})
			}
			rounds := 12
			if v.store == "bigtable" {
				rounds = 4 // each waits for the other servers that there might be
			}
			for i := range rounds {
				exec(fmt.Sprintf("UPSERT INTO gen VALUES (1, %d)", i+1))
				how := ""
				if i%2 == 1 {
					how = "CONCURRENTLY "
				}
				before := reads.Load()
				exec("REFRESH MATERIALIZED VIEW " + how + "m")
				for reads.Load() < before+2 && !t.Failed() { // the readers go on
					time.Sleep(time.Millisecond)
				}
			}
			over.Store(true)
			wg.Wait()
		})
	}
}
