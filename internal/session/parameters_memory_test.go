package session

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestParametersAreBooked: values that a session sets are in its memory until they are gone, and
// setting many takes time in proportion.
func TestParametersAreBooked(t *testing.T) {
	db := openDB(t, &Options{Memory: 64 << 20})
	s := noticing(t, db, func() {})
	before := s.held.Used()
	err := runAll(s, "SELECT set_config('my.v' || i, repeat('x', 1000000), false) FROM generate_series(1, 300) i")
	if sqlerr.CodeOf(err) != sqlerr.OutOfMemory {
		t.Error("300 MB of values:", err)
	}
	if n := s.held.Used() - before; n > 1<<20 {
		t.Errorf("%d bytes stay booked after the statement failed", n)
	}
	if err := runAll(s, "SELECT set_config('my.v' || i, repeat('x', 1000000), false) FROM generate_series(1, 5) i"); err != nil {
		t.Fatal(err)
	}
	if n := s.held.Used() - before; n < 5_000_000 {
		t.Errorf("%d bytes are booked of 5 MB", n)
	}
	if err := runAll(s, "RESET ALL"); err != nil {
		t.Fatal(err)
	}
	if n := s.held.Used() - before; n > 1<<20 {
		t.Errorf("%d bytes stay booked after RESET ALL", n)
	}
	allocated := func(n int) float64 {
		var was, is runtime.MemStats
		runtime.ReadMemStats(&was)
		if err := runAll(s, fmt.Sprintf("SELECT count(set_config('my.n' || i, 'x', false)) FROM generate_series(1, %d) i", n)); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&is)
		return float64(is.TotalAlloc - was.TotalAlloc)
	}
	if one, eight := allocated(1000), allocated(8000); eight > 16*one {
		t.Errorf("8 times the values take %.1f times the memory", eight/one)
	}
}
