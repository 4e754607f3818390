package session

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"runtime"
	"testing"

	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/mem"
)

// pointReads runs a prepared point SELECT n times.
func pointReads(t testing.TB, o Options) func(n int) {
	return prepared(t, o, "SELECT bal FROM acc WHERE id = $1", types.NewInt(7))
}

// prepared runs a prepared statement n times, over a table acc of 100 rows.
func prepared(t testing.TB, o Options, text string, param types.Datum) func(n int) {
	t.Helper()
	ctx := context.Background()
	store := mem.New()
	o.NoEstimates = true
	db, err := Open(ctx, store, &o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		db.Close()
		store.Close()
	})
	for _, sql := range []string{"CREATE TABLE acc (id INT PRIMARY KEY, bal INT) SALT_BUCKETS = 16", "INSERT INTO acc SELECT g, g FROM generate_series(1, 100) AS g"} {
		if _, err := s.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	st, err := s.Prepare(ctx, text, []types.T{types.Of(types.Int4)})
	if err != nil {
		t.Fatal(err)
	}
	params := []types.Datum{param}
	return func(n int) {
		for range n {
			p, err := s.Bind(ctx, "", st, params)
			if err != nil {
				t.Fatal(err)
			}
			for err == nil {
				_, err = p.Next(ctx)
			}
			if err != io.EOF {
				t.Fatal(err)
			}
		}
	}
}

// TestObservingAllocates holds that counting a statement that has run before allocates nothing.
func TestObservingAllocates(t *testing.T) {
	measure := func(track int) float64 {
		run := pointReads(t, Options{TrackStatements: track})
		run(10)
		return alloctest.PerRun(200, func() { run(1) })
	}
	off, on := measure(0), measure(5000)
	if on > off {
		t.Errorf("a point SELECT makes %v allocations that is counted, %v that is not", on, off)
	}
}

// BenchmarkObserved is a point SELECT, counted and not.
func BenchmarkObserved(b *testing.B) {
	for name, track := range map[string]int{"off": 0, "on": 5000} {
		b.Run(name, func(b *testing.B) {
			run := pointReads(b, Options{TrackStatements: track})
			run(10)
			b.ReportAllocs()
			b.ResetTimer()
			run(b.N)
		})
	}
}

// TestSlowLogTells reads the slow log's line of a statement that waits for another's lock, and
// of one that waits for nobody.
func TestSlowLogTells(t *testing.T) {
	ctx := context.Background()
	store := mem.New()
	defer store.Close()
	var log bytes.Buffer
	db, err := Open(ctx, store, &Options{Logger: slog.New(slog.NewJSONHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var sessions [2]*Session
	for i := range sessions {
		if sessions[i], err = db.NewSession(SessionOptions{}); err != nil {
			t.Fatal(err)
		}
		defer sessions[i].Close()
	}
	exec := func(s *Session, sql string) {
		t.Helper()
		if _, err := s.Exec(ctx, sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	holds, waits := sessions[0], sessions[1]
	exec(holds, "CREATE TABLE t (k INT PRIMARY KEY, v INT)")
	exec(holds, "INSERT INTO t VALUES (1, 1), (2, 2)")
	exec(holds, "BEGIN")
	exec(holds, "UPDATE t SET v = 7 WHERE k = 1")
	exec(waits, "SET log_min_duration_statement = 0")
	log.Reset()
	done := make(chan error, 1)
	go func() {
		_, err := waits.Exec(ctx, "UPDATE t SET v = 8 WHERE k = 1")
		done <- err
	}()
	for db.LockWaits() == 0 {
		runtime.Gosched()
	}
	exec(holds, "COMMIT")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	exec(waits, "UPDATE t SET v = 9 WHERE k = 2")
	d := json.NewDecoder(&log)
	for i, waited := range []bool{true, false} {
		var line struct {
			Msg, Statement string
			Duration       float64 `json:"duration_ms"`
			Waited         float64 `json:"waited_ms"`
			Written        int     `json:"rows_written"`
		}
		if err := d.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if line.Msg != "slow statement" || line.Statement != "UPDATE t SET v = $1 WHERE k = $2" || line.Written != 1 || line.Duration <= 0 ||
			waited != (line.Waited > 0) || line.Waited > line.Duration {
			t.Errorf("line %d: %+v", i, line)
		}
	}
}
