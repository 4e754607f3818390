package conformance

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// removers take many rows away at once. Each runs again and again while others write.
var removers = map[string][]string{
	"truncate": {"TRUNCATE t"},
	"delete":   {"DELETE FROM t"},
	"part":     {"DELETE FROM t WHERE k BETWEEN 10 AND 40 OR n >= 0"},
	"drop":     {"DROP TABLE t", "CREATE TABLE " + removedTable},
	"alter":    {"ALTER TABLE t ADD COLUMN x INT", "ALTER TABLE t DROP COLUMN x"},
	"load": {
		"UPSERT INTO t SELECT i, 5, 5, 5 FROM generate_series(1, 700) AS i",
		"TRUNCATE t",
		"INSERT INTO t SELECT i, 6, 6, 6 FROM generate_series(101, 700) AS i",
		"DELETE FROM t WHERE k > 60",
	},
}

const removedTable = "t (k INT PRIMARY KEY, a INT NOT NULL, b INT NOT NULL DEFAULT 7, n INT) SALT_BUCKETS = 4"

// partWrites change some columns of rows, each in another of the ways that there are. All
// leave a row without a NULL.
var partWrites = [][]string{
	{"UPDATE t SET n = n + 1 WHERE k = %[1]d"},
	{"UPDATE t SET n = n + 1 WHERE k BETWEEN %[1]d AND %[1]d + 5"},
	{"INSERT INTO t VALUES (%[1]d, 1, 1, 1) ON CONFLICT (k) DO UPDATE SET n = t.n + 1"},
	{"INSERT INTO t VALUES (%[1]d, 1, 1, 1), (%[1]d + 1, 2, 2, 2), (%[1]d + 2, 3, 3, 3) ON CONFLICT (k) DO UPDATE SET a = excluded.a"},
	{"INSERT INTO t VALUES (%[1]d, 1, 1, 1), (%[1]d + 3, 2, 2, 2)"},
	{"UPSERT INTO t (k, a, b, n) VALUES (%[1]d, 3, 3, 3), (%[1]d + 1, 4, 4, 4)"},
	{"UPSERT INTO t (k, n, a) VALUES (%[1]d, 3, 8), (%[1]d + 1, 4, 8)"},
	{"UPSERT INTO t VALUES (%[1]d, 1, 1, 1) ON DUPLICATE KEY UPDATE n = n + 1"},
	{"BEGIN", "UPDATE t SET n = n + 1 WHERE k = %[1]d", "UPDATE t SET b = b + 1 WHERE k = %[1]d + 1", "COMMIT"},
	{"BEGIN", "INSERT INTO t VALUES (%[1]d, 9, 9, 9) ON CONFLICT (k) DO UPDATE SET a = 9", "UPDATE t SET n = 3 WHERE k = %[1]d", "COMMIT"},
	{"BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM t", "UPDATE t SET n = n + 1 WHERE k <= %[1]d", "COMMIT"},
	{"UPDATE t SET k = k + 20, a = 2 WHERE k = %[1]d"},
	{"DELETE FROM t WHERE k = %[1]d"},
}

// TestRowsStayWhole runs writes of parts of rows against whatever removes many rows
// at once: a row that is there has all of its columns, at any moment and at the end.
func TestRowsStayWhole(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	rounds, writes := seeds.Amount(4, 15), seeds.Amount(100, 200)
	t.Logf("seed %d", *harness.Seed)
	stores := []string{"mem", "pebble", "bigtable"}
	names := slices.Sorted(maps.Keys(removers))
	for i := range seeds.Part(t, len(stores)*len(names), seeds.Whole) {
		store, name := stores[i/len(names)], names[i%len(names)]
		t.Run(store+"/"+name, func(t *testing.T) {
			v := variant{store: store}
			e := engine{v, v.open(t)}
			r := rounds
			if store == "bigtable" {
				r = rounds / 4
			}
			rowsStayWhole(t, e, removers[name], r, writes)
		})
	}
}

// mayLose are what a write or a removal that met another may answer.
func mayLose(err error) bool {
	switch sqlerr.CodeOf(err) {
	case sqlerr.SerializationFailure, sqlerr.DeadlockDetected, sqlerr.UniqueViolation, sqlerr.UndefinedTable,
		sqlerr.InFailedSQLTransaction:
		return true
	}
	return err == nil
}

func rowsStayWhole(t *testing.T, e engine, remove []string, rounds, writes int) {
	ctx := context.Background()
	open := func() slt.Conn {
		c, err := e.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	main := open()
	must(ctx, t, main, "CREATE TABLE "+removedTable)
	var wg sync.WaitGroup
	var stop atomic.Bool
	for w := range 6 {
		c := open()
		rnd := rand.New(rand.NewPCG(*harness.Seed, uint64(w)))
		wg.Go(func() {
			for i := 0; i < writes || !stop.Load(); i++ {
				k := rnd.IntN(50) + 1
				for _, q := range partWrites[rnd.IntN(len(partWrites))] {
					if strings.Contains(q, "%") {
						q = fmt.Sprintf(q, k)
					}
					if _, _, err := c.Exec(ctx, q); !mayLose(err) {
						t.Errorf("%s: %v", q, err)
						return
					}
				}
			}
		})
	}
	check := func(when string) (ok bool) {
		rows, _, err := main.Exec(ctx, "SELECT k, a, b, n FROM t")
		if err != nil {
			t.Errorf("%s: %v", when, err)
			return false
		}
		for _, row := range rows {
			for _, v := range row {
				if v == nil {
					t.Errorf("%s: row %s is torn", when, show(row))
					return false
				}
			}
		}
		return true
	}
	for round := range rounds {
		for _, q := range remove {
			if _, _, err := main.Exec(ctx, q); !mayLose(err) {
				t.Errorf("%s: %v", q, err)
			}
			for range 200 {
				runtime.Gosched()
			}
		}
		if !check(fmt.Sprint("round ", round)) {
			break
		}
	}
	stop.Store(true)
	wg.Wait()
	check("the end")
}

func show(row []*string) string {
	out := "("
	for i, v := range row {
		if i > 0 {
			out += ", "
		}
		if v == nil {
			out += "NULL"
		} else {
			out += *v
		}
	}
	return out + ")"
}
