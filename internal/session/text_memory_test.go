package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestTextsAreBooked: what a long text takes until it is planned is in the statement's memory:
// it is answered where it fits and 53200 where not, and nothing stays booked.
func TestTextsAreBooked(t *testing.T) {
	db := openDB(t, &Options{Memory: 32 << 20, PlanCache: -1, NoEstimates: true})
	s := noticing(t, db, func() {})
	if err := runAll(s, "CREATE TABLE t (a INT PRIMARY KEY, b INT)"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, item string }{
		{"SELECT a FROM t WHERE b = 0%s", " OR b = #"},
		{"SELECT a FROM t WHERE a <> 0%s", " AND a <> #"},
		{"SELECT coalesce(b%s) FROM t", ", #"},
		{"SELECT ARRAY[0%s]", ", #"},
		{"SELECT a FROM t WHERE b IN (0%s)", ", #"},
		{"VALUES (0)%s", ", (#)"},
		{"INSERT INTO t VALUES (-1, 0)%s", ", (#, 0)"},
		{"EXPLAIN SELECT a FROM t WHERE b IN (0%s)", ", #"},
		{"COPY (SELECT a FROM t WHERE b IN (0%s)) TO STDOUT", ", #"},
		{"PREPARE p AS SELECT a FROM t WHERE b IN (0%s)", ", #"},
	} {
		text := func(n int) string {
			var b strings.Builder
			for i := range n {
				b.WriteString(strings.ReplaceAll(c.item, "#", fmt.Sprint(i)))
			}
			return fmt.Sprintf(c.text, b.String())
		}
		before := db.Memory().Used()
		if err := runAll(s, text(500)); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		if err := runAll(s, text(100_000)); sqlerr.CodeOf(err) != sqlerr.OutOfMemory {
			t.Errorf("100,000 of %s: %v", c.text, err)
		}
		_ = runAll(s, "DEALLOCATE ALL")
		if n := db.Memory().Used() - before; n != 0 {
			t.Errorf("%s: %d bytes stay booked", c.text, n)
		}
	}
}

// TestPlansAreWeighed: short texts of large plans fill the cache by what the plans hold.
func TestPlansAreWeighed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long beside the race detector, on one goroutine")
	}
	db := openDB(t, nil)
	c := newClient(t, db, SessionOptions{})
	c.must("CREATE TABLE t (k BIGINT PRIMARY KEY, v INT)")
	c.must("CREATE VIEW large AS SELECT k, v FROM t WHERE v = 0" + strings.Repeat(" OR k * v + 7 = 9", 2000))
	c.must("ANALYZE t")
	before, was := heapHeld(), db.PlanStats()
	for i := range 40 {
		if _, err := c.s.Prepare(context.Background(), fmt.Sprintf("SELECT v + %d FROM large", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	held, is := heapHeld()-before, db.PlanStats()
	booked := int64(is.Bytes - was.Bytes)
	t.Logf("%d kB held, %d kB by estimate, %d plans", held>>10, booked>>10, is.Plans)
	if held > 2*booked || booked > 4*held {
		t.Errorf("%d kB are held, %d kB by estimate", held>>10, booked>>10)
	}
}
