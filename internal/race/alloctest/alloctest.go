package alloctest

import (
	"testing"

	"github.com/saltsql/saltsql/internal/race"
)

// PerRun is testing.AllocsPerRun: the average number of allocations of a
// call of f over runs calls, rounded down, after one call to warm up. With the
// race detector it calls f as often, and returns 0.
func PerRun(runs int, f func()) float64 {
	n := testing.AllocsPerRun(runs, f)
	if race.Enabled {
		return 0
	}
	return n
}
