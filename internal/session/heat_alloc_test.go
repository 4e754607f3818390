package session

import (
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/internal/types"
)

// TestHeatAllocates holds that counting and sampling what statements read and write allocates nothing: of
// a point SELECT, a scan, and a write of 100 rows as COPY does it.
func TestHeatAllocates(t *testing.T) {
	at := time.Unix(1_000_000_000, 0)
	measure := func(text string, memory int64) float64 {
		run := prepared(t, Options{HeatMemory: memory, Now: func() time.Time { return at }}, text, types.NewInt(7))
		run(200)
		return alloctest.PerRun(100, func() { run(1) })
	}
	for _, text := range []string{
		"SELECT bal FROM acc WHERE id = $1",
		"SELECT * FROM acc WHERE bal > $1",
		"SELECT sum(bal + $1) FROM acc",
		"UPSERT INTO acc SELECT g, $1 FROM generate_series(1, 100) g",
	} {
		if off, on := measure(text, -1), measure(text, 0); on > off+float64(int(off)/500) { // the store's own vary, of a write
			t.Errorf("%s makes %v allocations that is counted, %v that is not", text, on, off)
		}
	}
}

// BenchmarkHeat is a prepared point SELECT, counted and sampled, and not.
func BenchmarkHeat(b *testing.B) {
	for _, c := range []struct {
		name string
		o    Options
	}{{"off", Options{HeatMemory: -1}}, {"on", Options{}}} {
		b.Run(c.name, func(b *testing.B) {
			run := pointReads(b, c.o)
			run(10)
			b.ReportAllocs()
			b.ResetTimer()
			run(b.N)
		})
	}
}
