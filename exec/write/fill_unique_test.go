package write_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestBulkUniqueUnderWrites makes UNIQUE indexes, at once and by pieces, while others hand values from row to row, in
// transactions that stay open for a while too. Where nobody gives a value twice the index can be
// made, and nobody is refused; where somebody does, either the write or the index is: what is
// made holds each value once, in the entries that the rows have in the end.
func TestBulkUniqueUnderWrites(t *testing.T) {
	seeds.Sometimes(t)
	const rows, writers = 8_000, 4
	rounds := 8
	if testing.Short() {
		rounds = 4
	}
	open := pebbleSides(t)
	d := open()
	var wg sync.WaitGroup
	var stop, twice atomic.Bool
	var look sync.RWMutex // held by who compares, and shared by transactions
	var done, refused atomic.Int64
	// A writer hands over the values of rows whose key is its number modulo writers.
	write := func(n int) {
		w, rng := open(), rand.New(rand.NewPCG(uint64(n), 11))
		own := func() int { return rng.IntN(rows/writers)*writers + n }
		for !stop.Load() {
			a, b := own(), own()
			var text []string
			switch rng.IntN(9) {
			case 0, 1: // from one row to another, in one statement
				text = []string{fmt.Sprintf("UPDATE b SET u = CASE k WHEN %d THEN (SELECT u FROM b WHERE k = %d) ELSE NULL END WHERE k IN (%d, %d)", a, b, a, b)}
			case 2, 3: // and by steps
				text = []string{"BEGIN", fmt.Sprintf("DELETE FROM b WHERE k = %d", a), fmt.Sprintf("INSERT INTO b VALUES (%d, %d, 'n')", a, rows+n+writers*int(done.Load())), "COMMIT"}
			case 4:
				text = []string{"BEGIN", fmt.Sprintf("UPDATE b SET u = -k WHERE k BETWEEN %d AND %d", a, a+20), "ROLLBACK"}
			case 5: // a new row has the value of one that goes
				text = []string{"BEGIN", fmt.Sprintf("DELETE FROM b WHERE k = %d", rows+b), fmt.Sprintf("UPDATE b SET k = %d, v = 'of' WHERE k = %d", rows+b, a), "COMMIT"}
			case 6:
				text = []string{fmt.Sprintf("DELETE FROM b WHERE k = %d", a)}
			case 7: // what an index knows already
				text = []string{fmt.Sprintf("UPDATE b SET u = u, v = 'again' WHERE k = %d", a)}
			default:
				if text = []string{fmt.Sprintf("UPDATE b SET v = 'v' WHERE k = %d", a)}; twice.Load() {
					text = []string{fmt.Sprintf("UPDATE b SET u = (SELECT u FROM b WHERE k = %d) WHERE k = %d", rng.IntN(rows), a)}
				}
			}
			look.RLock()
			for _, sql := range text {
				if _, err := w.run(sql); err != nil {
					switch e := sqlerr.As(err); {
					case e != nil && e.Code == sqlerr.UniqueViolation && (twice.Load() || strings.HasPrefix(sql, "INSERT") && !strings.Contains(e.Error(), "b_u")):
						refused.Add(1)
					case e != nil && slices.Contains([]sqlerr.Code{sqlerr.SerializationFailure, sqlerr.DeadlockDetected}, e.Code):
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
	}
	made := 0
	for round := range rounds {
		twice.Store(round%4 >= 2)
		d.must(fmt.Sprintf("SET saltsql.backfill_rows_per_second = %d", round%2*50_000)) // by pieces
		stop.Store(false)
		d.must("DROP TABLE IF EXISTS b")
		d.must("CREATE TABLE b (k int PRIMARY KEY, u int, v text) SALT_BUCKETS = 4")
		d.must(fmt.Sprintf("INSERT INTO b SELECT i, i * 7 %% %d, 'v' FROM generate_series(0, %d) AS g(i)", rows, rows-1))
		for n := range writers {
			wg.Go(func() { write(n) })
		}
		_, err := d.run("CREATE UNIQUE INDEX b_u ON b (u) INCLUDE (v)")
		if e := sqlerr.As(err); err != nil && (!twice.Load() || e == nil || e.Code != sqlerr.UniqueViolation) {
			t.Errorf("round %d: %v", round, err)
		}
		look.Lock()
		c := open()
		if err == nil {
			made++
			if got := c.must("SELECT count(u) - count(DISTINCT u) FROM b"); !slices.Equal(got, []string{"|0"}) {
				t.Errorf("round %d: %v values are there twice", round, got)
			}
			byIndex := c.must("SELECT k, u, v FROM b WHERE u BETWEEN -100000 AND 100000000")
			byScan := c.must("SELECT /*+ NO_INDEX(b) */ k, u, v FROM b WHERE u BETWEEN -100000 AND 100000000")
			slices.Sort(byIndex)
			slices.Sort(byScan)
			if len(byScan) == 0 || !slices.Equal(byIndex, byScan) {
				t.Errorf("round %d: %d rows by the index, %d by the table", round, len(byIndex), len(byScan))
			}
		}
		c.indexed(fmt.Sprint("round ", round))
		look.Unlock()
		stop.Store(true)
		wg.Wait()
	}
	t.Logf("%d of %d indexes are made under %d transactions, %d refused", made, rounds, done.Load(), refused.Load())
}

// TestBulkUniqueBesideLocks makes UNIQUE indexes while each writer nearly always has a row's lock,
// and has not written the row yet: what makes the index waits for the lock, and the writer, to
// write the row, for what makes the index.
func TestBulkUniqueBesideLocks(t *testing.T) {
	const rows, writers = 8_000, 4
	open := pebbleSides(t)
	d := open()
	d.must("CREATE TABLE b (k int PRIMARY KEY, u int, v text) SALT_BUCKETS = 4")
	d.must(fmt.Sprintf("INSERT INTO b SELECT i, i, 'v' FROM generate_series(0, %d) AS g(i)", rows-1))
	var wg sync.WaitGroup
	var stop atomic.Bool
	for n := range writers {
		w := open()
		wg.Go(func() {
			for i := 0; !stop.Load(); i++ {
				for _, sql := range []string{"BEGIN", fmt.Sprintf("SELECT k FROM b WHERE k = %d FOR UPDATE", n), fmt.Sprintf("UPDATE b SET u = %d WHERE k = %d", -1-n-writers*i, n), "COMMIT"} {
					if _, err := w.run(sql); err != nil {
						if sqlerr.CodeOf(err) != sqlerr.SerializationFailure {
							t.Errorf("%s: %v", sql, err)
							stop.Store(true)
						}
						_, _ = w.run("ROLLBACK")
						break
					}
				}
			}
		})
	}
	for range 2 {
		d.must("CREATE UNIQUE INDEX b_u ON b (u) INCLUDE (v)")
		d.must("DROP INDEX b_u")
	}
	d.must("CREATE UNIQUE INDEX b_u ON b (u) INCLUDE (v)")
	stop.Store(true)
	wg.Wait()
	d.indexed("beside locks")
}
