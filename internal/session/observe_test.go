package session

import (
	"context"
	"io"
	"testing"

	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/mem"
)

// pointReads runs a prepared point SELECT n times.
func pointReads(t testing.TB, track int) func(n int) {
	t.Helper()
	ctx := context.Background()
	store := mem.New()
	db, err := Open(ctx, store, &Options{TrackStatements: track, NoEstimates: true})
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
	st, err := s.Prepare(ctx, "SELECT bal FROM acc WHERE id = $1", []types.T{types.Of(types.Int4)})
	if err != nil {
		t.Fatal(err)
	}
	params := []types.Datum{types.NewInt(7)}
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
		run := pointReads(t, track)
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
			run := pointReads(b, track)
			run(10)
			b.ReportAllocs()
			b.ResetTimer()
			run(b.N)
		})
	}
}
