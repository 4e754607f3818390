package seeds

import (
	"flag"
	"hash/fnv"
	"os"
	"strconv"
	"testing"
	"time"
)

// Full says that tests are to do all that the gate asks of them.
func Full() bool { return os.Getenv("SALTSQL_FULL") != "" }

// Amount is how much of something a test does: some of it, and in the gate all of it.
func Amount(some, all int) int {
	if Full() {
		return all
	}
	return some
}

// turn numbers this run's parts: the seed that was asked for, or the day, counted from 1970.
func turn() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("SALTSQL_SEED"), 10, 64); err == nil {
		return n
	}
	return uint64(time.Now().Unix() / (24 * 60 * 60))
}

// InPart says that case i of a list is one of those that this run takes: one of each some, or in the
// gate one of each all, which is 1 for every case.
func InPart(i, some, all int) bool {
	return inPart(turn(), uint64(i), uint64(Amount(some, all)))
}

func inPart(turn, i, n uint64) bool { return (i+turn)%n == 0 }

// Sometimes skips a test but on one day of n; never in the gate, nor where -run asks for tests.
func Sometimes(t testing.TB, n int) {
	t.Helper()
	if named() {
		return
	}
	h := fnv.New32a()
	h.Write([]byte(t.Name()))
	if !InPart(int(h.Sum32()), n, 1) {
		t.Skipf("it has its turn on one day of %d: name it in -run, or set SALTSQL_FULL=1", n)
	}
}

// named says that tests are asked for by -run: whoever names one wants it run.
func named() bool {
	run := flag.Lookup("test.run")
	return run != nil && run.Value.String() != ""
}

// Until gives the question of a campaign's loop, more(done): whether to go on, after so many of
// what it counts. With count, which a flag gives, it goes on up to that; with none for some time,
// in the gate for all of it, and with -short for a tenth. It goes on once at least.
//
//	more := seeds.Until(*statements, 10*time.Second, time.Minute)
//	for s := seed; more(ran); s++ {
func Until(count int, some, all time.Duration) (more func(done int) bool) {
	if count > 0 {
		return func(done int) bool { return done < count }
	}
	if Full() {
		some = all
	}
	if testing.Short() {
		some /= 10
	}
	end := time.Now().Add(some)
	return func(done int) bool { return done == 0 || time.Now().Before(end) }
}
