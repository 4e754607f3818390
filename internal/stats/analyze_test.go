package stats_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/stats"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// analyzed are queries whose conditions are on columns outside of the key. v is the number of
// the row, and w has few values.
var analyzed = []string{
	"SELECT * FROM m WHERE v < 10000",
	"SELECT * FROM m WHERE v >= 25000",
	"SELECT * FROM m WHERE v BETWEEN 1000 AND 6000",
	"SELECT * FROM m WHERE w = 'w3'",
	"SELECT * FROM m WHERE 'w3' = w AND v < 30000",
	"SELECT * FROM m WHERE w <> 'w3'",
	"SELECT * FROM m WHERE w IN ('w1', 'w5')",
	"SELECT * FROM m WHERE w LIKE '%1'",
	"SELECT * FROM m WHERE w IS NULL",
	"SELECT * FROM m WHERE w = 'w3' OR v > 40000",
	"SELECT * FROM m WHERE NOT (w = 'w3')",
	"SELECT * FROM m WHERE host = 'host-0000' AND w = 'w2'",
}

// TestAnalyze wants the rows that conditions on analyzed columns let through told within a
// factor of 2, by every store, also after it was closed and opened, and the work bounded.
func TestAnalyze(t *testing.T) {
	if testing.Short() {
		t.Skip("loads 50,000 rows many times")
	}
	dir := t.TempDir()
	reopen := func() storage.Store {
		s, err := pebble.Open(dir, &pebble.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	known := map[string]int{}
	for name, open := range map[string]func() storage.Store{
		"mem":    func() storage.Store { return mem.New() },
		"pebble": reopen,
		"bigtable": func() storage.Store {
			s, err := bigtable.Open(context.Background(), bigtable.Config{Project: "p", Instance: "i", Emulator: emulator.Start(t)})
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	} {
		if name == "bigtable" && !seeds.Full() && seeds.Turn(0, 4) > 0 {
			continue // the emulator is slow
		}
		t.Run(name, func(t *testing.T) {
			e := openEstimated(t, open())
			e.known = known
			e.loadSkewed(16)
			e.run("ALTER TABLE m ADD COLUMN w TEXT")
			e.run("UPDATE m SET w = CASE WHEN v % 10 < 8 THEN 'w' || v % 10 % 6 END")
			calls, rows := e.db.Estimates().Work()
			e.run("ANALYZE m")
			calls2, rows2 := e.db.Estimates().Work()
			if most := stats.MaxWork() + stats.MaxAnalyzeWork(); calls2-calls > most || name != "mem" && rows2-rows > most+2*colstats.SampleRows {
				t.Errorf("%d calls and %d rows", calls2-calls, rows2-rows)
			}
			for _, q := range analyzed {
				e.near(q)
			}
			if name == "pebble" {
				e.close()
				e = openEstimated(t, reopen())
				e.known = known
				for _, q := range analyzed {
					e.near(q)
				}
			}
			if got := e.lines("SELECT count(*)::text FROM pg_stats WHERE tablename = 'm'")[0]; got != fmt.Sprint(5) {
				t.Errorf("pg_stats has %s columns", got)
			}
			e.close()
		})
	}
}
