package write_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestBulkUnderWrites makes indexes while others write, roll back and truncate: each has
// exactly the entries that the rows have in the end.
func TestBulkUnderWrites(t *testing.T) {
	const rows, writers = 6_000, 4
	rounds := 5
	if testing.Short() {
		rounds = 2
	}
	open := pebbleSides(t)
	d := open()
	d.must("CREATE TABLE b (k int PRIMARY KEY, u int, v text) SALT_BUCKETS = 4")
	d.must(fmt.Sprintf("INSERT INTO b SELECT i, i %% 50, 'v' || i FROM generate_series(1, %d) AS g(i)", rows))
	var stop atomic.Bool
	var wg sync.WaitGroup
	var look sync.RWMutex // held by who compares, and shared by transactions
	var done atomic.Int64
	for n := range writers {
		w := open()
		rng := rand.New(rand.NewPCG(uint64(n), 7))
		wg.Go(func() {
			for !stop.Load() {
				k := rng.IntN(rows * 2)
				var text []string
				switch rng.IntN(10) {
				case 0, 1:
					text = []string{fmt.Sprintf("DELETE FROM b WHERE k = %d", k)}
				case 2, 3, 4:
					text = []string{fmt.Sprintf("UPDATE b SET u = %d WHERE k = %d", rng.IntN(50), k)}
				case 5, 6:
					text = []string{fmt.Sprintf("INSERT INTO b VALUES (%d, %d, 'n') ON CONFLICT (k) DO UPDATE SET u = b.u + 1", k, rng.IntN(50))}
				case 7:
					text = []string{"BEGIN", fmt.Sprintf("UPDATE b SET u = -1 WHERE k BETWEEN %d AND %d", k, k+20), "ROLLBACK"}
				case 8:
					text = []string{"BEGIN", fmt.Sprintf("DELETE FROM b WHERE k = %d", k), fmt.Sprintf("INSERT INTO b VALUES (%d, 3, 'again')", k), "COMMIT"}
				default:
					text = []string{fmt.Sprintf("UPDATE b SET k = k + %d WHERE k = %d", 2*rows, k)}
				}
				look.RLock()
				for _, sql := range text {
					if _, err := w.run(sql); err != nil {
						switch e := sqlerr.As(err); {
						case e != nil && slices.Contains([]sqlerr.Code{sqlerr.SerializationFailure, sqlerr.DeadlockDetected, sqlerr.UniqueViolation}, e.Code):
						default:
							t.Errorf("%s: %v", sql, err)
						}
						_, _ = w.run("ROLLBACK")
						break
					}
				}
				look.RUnlock()
				done.Add(1)
			}
		})
	}
	for round := range rounds {
		d.must("CREATE INDEX b_u ON b (u) INCLUDE (v)")
		d.must("CREATE INDEX b_v ON b (lower(v)) WHERE u > 10")
		if round%4 == 3 {
			d.must("TRUNCATE b")
			d.must(fmt.Sprintf("INSERT INTO b SELECT i, i %% 50, 'w' || i FROM generate_series(1, %d) AS g(i) ON CONFLICT DO NOTHING", rows))
		}
		look.Lock()
		b := open()
		for _, where := range []string{"u BETWEEN -5 AND 200", "u > 10 AND lower(v) >= 'a'"} {
			byIndex := b.must("SELECT k, u, v FROM b WHERE " + where)
			byScan := b.must("SELECT /*+ NO_INDEX(b) */ k, u, v FROM b WHERE " + where)
			slices.Sort(byIndex)
			slices.Sort(byScan)
			if len(byScan) == 0 || !slices.Equal(byIndex, byScan) {
				t.Errorf("round %d, %s: %d rows by an index, %d by the table", round, where, len(byIndex), len(byScan))
			}
		}
		b.indexed(fmt.Sprint("round ", round))
		look.Unlock()
		d.must("DROP INDEX b_u")
		d.must("DROP INDEX b_v")
	}
	stop.Store(true)
	wg.Wait()
	t.Logf("%d rounds under %d transactions", rounds, done.Load())
}
