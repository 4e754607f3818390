package seeds

import (
	"flag"
	"hash/fnv"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// share is what one test takes of a plain run, by the clock.
const share = 500 * time.Millisecond

// days is how many days a test waits at most that Sometimes skips.
const days = 8

// Whole bounds no campaign: the gate does all of it.
const Whole time.Duration = math.MaxInt64

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

// Daily gives the seed of a sample of what even the gate does not do all of: another one each day, or
// SALTSQL_SEED. It logs it.
func Daily(t testing.TB) uint64 {
	t.Helper()
	t.Logf("SALTSQL_SEED=%d", turn())
	return turn()
}

// hash spreads tests over turns.
func hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// Part gives the cases of a list of n that this run takes, by their numbers from 0: those that begin
// within a share of time, at least one, in an order that is another each day. The gate takes them in
// order, those that begin within all. A run whose -run names cases, as in TestSLT/joins, is given every
// one, for -run to choose from.
func Part(t testing.TB, n int, all time.Duration) iter.Seq[int] {
	t.Helper()
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	more := within(shareOf(all))
	if strings.Contains(asked(), "/") {
		more = Until(n, all)
	} else if all < Whole || !Full() {
		rand.New(rand.NewPCG(turn(), hash(t.Name()))).Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return func(yield func(int) bool) {
		for done, i := range order {
			if !more(done) || !yield(i) {
				return
			}
		}
	}
}

// Turn gives one number of n, another one each day: i, a case's number, spreads the cases over them.
func Turn(i, n int) int { return int((turn() + uint64(i)) % uint64(n)) }

// HasTurn says whether case i is done in this run: on one day of n; always in the gate, and where -run
// asks for tests.
func HasTurn(i, n int) bool { return Full() || asked() != "" || Turn(i, n) == 0 }

// Sometimes skips a test that cannot be done in part but on one day of eight; never in the gate, nor
// where -run asks for tests.
func Sometimes(t testing.TB) {
	t.Helper()
	if !HasTurn(int(hash(t.Name())%days), days) {
		t.Skipf("it has its turn on one day of %d: name it in -run, or set SALTSQL_FULL=1", days)
	}
}

// asked is what -run asks for: whoever names a test wants it run.
func asked() string {
	if run := flag.Lookup("test.run"); run != nil {
		return run.Value.String()
	}
	return ""
}

// Until gives the question of a campaign's loop, more(done): whether to go on, after so many of
// what it counts. With count, which a flag gives, it goes on up to that; with none for a share of
// time, in the gate for all, and with -short for a tenth. It goes on once at least.
//
//	more := seeds.Until(*statements, time.Minute)
//	for s := seed; more(ran); s++ {
func Until(count int, all time.Duration) (more func(done int) bool) {
	if count > 0 {
		return func(done int) bool { return done < count }
	}
	all = shareOf(all)
	if testing.Short() {
		all /= 10
	}
	return within(all)
}

// shareOf is the time of what takes all in the gate.
func shareOf(all time.Duration) time.Duration {
	if Full() {
		return all
	}
	return min(share, all/4)
}

// within goes on once, and for so long.
func within(all time.Duration) func(done int) bool {
	began := time.Now()
	return func(done int) bool { return done == 0 || time.Since(began) < all }
}
