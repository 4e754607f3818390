package servers

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
)

// A schedule is what happens to a few members of one store: the first makes a statement, and at
// one of the store calls that it makes meanwhile is stopped for up to three leases, or killed, or
// that call alone is kept back so long. All write all the while, and the second changes the catalog.
type schedule struct {
	seed      uint64
	members   int
	statement string // of the first
	meanwhile string // of the second, when something has happened to the first
	how       string // "stop", "hold", "kill"; "watch": nothing happens, and the calls are counted
	where     string // the calls of the first that are counted: see places
	at        int    // the one at which it happens
	pause     time.Duration
	// after is a pause that begins when the second's statement has its answer: the second has taken
	// the first for dead, and has put its table in order.
	after bool
	// hasty are the others that were told a third of the first one's lease.
	hasty bool
	// idle are the others that take no job over while the first is away.
	idle bool
	// slow are the second's commits of the catalog, and its removal of rows.
	slow bool
	// lossy are the ways to the store of all, where answers are lost and late.
	lossy bool
	calls *calls // of who watches
}

// calls are how many calls of each place a statement makes when nothing happens to it.
type calls struct {
	once sync.Once
	of   [len(places)]atomic.Int64
}

// places are the calls at which something happens: any, commits of the catalog, the leases of
// servers and jobs, and those on the table t.
var places = [...]string{"all", "commits", "leases", "rows"}

// traces has the calls of each statement. Its schedule in which nothing happens counts them.
type traces struct{ of [len(scheduled)]calls }

func (ts *traces) get(t *testing.T, statement int) *calls {
	c := &ts.of[statement]
	c.once.Do(func() {
		for _, what := range (schedule{seed: 1, members: 2, statement: scheduled[statement], meanwhile: interfering[0], how: "watch", calls: c}).run(t) {
			t.Errorf("watching %q: %s", scheduled[statement], what)
		}
	})
	return c
}

func (s schedule) String() string {
	is := ""
	for word, on := range map[string]bool{"after": s.after, "hasty": s.hasty, "idle": s.idle, "slow": s.slow, "lossy": s.lossy} {
		if on {
			is += " " + word
		}
	}
	return fmt.Sprintf("seed %d: %d members,%s; %q: %s at %d of %s for %v, meanwhile %q", s.seed, s.members, is, s.statement, s.how, s.at, s.where, s.pause, s.meanwhile)
}

// scheduled are statements that change the table t that is written, or lean on what they change.
var scheduled = [...]string{
	"ALTER TABLE t SET SALT_BUCKETS = 5",
	"CREATE INDEX t_w ON t (w)",
	"CREATE UNIQUE INDEX t_u ON t (v, k) SALT_BUCKETS = 3",
	"TRUNCATE t",
	"ALTER TABLE t ALTER w SET NOT NULL",
	"ALTER TABLE t ADD COLUMN x INT NOT NULL DEFAULT 7",
	"ALTER TABLE t DROP COLUMN y",
	"DROP INDEX t_v",
	"ALTER TABLE t ALTER y TYPE TEXT",
	"ALTER TABLE t ADD CHECK (w >= 0)",
	theWrite: "UPDATE t SET w = w + 1 WHERE w < 1000000",
}

// theWrite of scheduled is a statement that has no DDL lease. Others wait for the server that
// makes it by its own lease alone.
const theWrite = 10

// interfering are statements that need the DDL lease, and put in order what was left before.
var interfering = []string{
	"CREATE TABLE z (k INT PRIMARY KEY)",
	"ALTER TABLE t ADD COLUMN z INT",
	"ALTER TABLE t ALTER w SET NOT NULL",
	"ALTER TABLE t SET SALT_BUCKETS = 3",
	"CREATE INDEX t_z ON t (v) INCLUDE (w)",
	"DROP INDEX t_v",
}

// draw makes a schedule of a seed. What breaks is narrow: between two commits of one statement, and
// shortly after a lease is over. So these are met more often than others. The call at which it
// happens is one that the statement makes, by its trace; without traces it is the first.
func draw(t *testing.T, ts *traces, seed uint64) schedule {
	r := rand.New(rand.NewPCG(seed, 7))
	statement := r.IntN(theWrite)
	s := schedule{
		seed: seed, members: 2 + r.IntN(3), statement: scheduled[statement], meanwhile: interfering[r.IntN(len(interfering))],
		how: []string{"stop", "stop", "stop", "hold", "kill"}[r.IntN(5)], hasty: r.IntN(3) == 0, idle: r.IntN(2) == 0, slow: r.IntN(3) == 0, lossy: r.IntN(5) == 0,
	}
	if s.hasty && r.IntN(2) == 0 {
		statement = theWrite
		s.statement = scheduled[statement]
	}
	place, part := []int{0, 1, 1, 2, 3}[r.IntN(5)], r.Float64()
	s.where, s.at = places[place], 1
	if ts != nil {
		s.at += int(part * float64(ts.get(t, statement).of[place].Load()))
	}
	pause := []struct{ from, most time.Duration }{{0, 3 * memberLease}, {memberLease / 4, memberLease / 2}, {memberLease, memberLease / 2}, {memberLease, memberLease}}[r.IntN(4)]
	s.pause = pause.from + time.Duration(r.Int64N(int64(pause.most)))
	if s.after = r.IntN(2) == 0; s.after {
		s.pause = time.Duration(r.Int64N(int64(memberLease / 2)))
	}
	return s
}

// callsAt is a rule that meets the calls of a place.
func callsAt(place, physical string) (rule fault.Rule) {
	switch place {
	case "commits":
		rule.Op, rule.If = storage.OpCheckAndMutate, func(key []byte) bool { return string(key) == versions.RootKey }
	case "leases":
		rule.Op, rule.If = storage.OpCheckAndMutate, func(key []byte) bool { return len(key) > 0 && string(key) != versions.RootKey }
		rule.Table = versions.SystemTable
	case "rows":
		rule.Table = physical
	}
	return rule
}

// rules are those of the first member's store, whose table t is stored under a name.
func (s schedule) rules(physical string) []fault.Rule {
	rule := callsAt(s.where, physical)
	rule.Nth, rule.Do = s.at, fault.Stop
	switch s.how {
	case "watch":
		var list []fault.Rule
		for i, place := range places {
			r := callsAt(place, physical)
			counts := r.If
			r.If = func(key []byte) bool {
				if counts == nil || counts(key) {
					s.calls.of[i].Add(1)
				}
				return false
			}
			list = append(list, r)
		}
		return list
	case "hold":
		rule.Do, rule.Delay = fault.Hold, s.pause
	case "kill": // from that call on none is made
		n, counts := 0, rule.If
		rule.Do, rule.Err, rule.Nth, rule.Times = fault.FailBefore, errDied, 1, -1
		rule.If = func(key []byte) bool {
			if counts == nil || counts(key) {
				n++
			}
			return n >= s.at
		}
		return []fault.Rule{rule, {Err: errDied, Times: -1, If: func([]byte) bool { return n >= s.at }}}
	}
	return []fault.Rule{rule}
}

// nulls says that rows have them.
func (s schedule) nulls() bool { return s.seed%3 == 0 }
