package servers

import (
	"flag"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/storage/txn"
)

var missedWithin = flag.Int("schedules.miss", 0, "how many schedules TestSchedulesMiss runs without each protection, from -schedules.seed on; 0 takes the seeds that it has")

// missing is a protection, with what schedules are about it, and with the seed of one that loses
// something without it.
type missing struct {
	name  string
	of    versions.Protection
	about func(s schedule) bool
	seed  uint64
	at    int // the call at which it happens: a trace is one of a run, and the count differs by one at times
}

var missed = []missing{
	{"the epoch", versions.TheEpoch, func(s schedule) bool {
		return strings.Contains(s.statement, "SALT_BUCKETS") && s.how == "stop" && s.where == "commits" && s.after && s.idle && !s.hasty && !s.lossy
	}, 1842, 5},
	{"the lease of others", versions.TheirLease, func(s schedule) bool {
		entries := strings.HasPrefix(s.meanwhile, "CREATE INDEX") || strings.Contains(s.meanwhile, "NOT NULL") && s.nulls()
		return entries && s.how == "stop" && s.where == "rows" && s.statement == scheduled[theWrite] && s.after && !s.lossy
	}, 147, 1},
}

const missedTries = 60 // of a schedule that is to lose something: what runs at one moment is not drawn from its seed

// TestSchedulesMiss: without one of the protections a random schedule loses something, and with it
// the same schedule does not. With -schedules.miss it looks for such schedules.
func TestSchedulesMiss(t *testing.T) {
	t.Cleanup(txn.TestGrace(scheduledGrace))
	var ts traces
	for _, m := range missed {
		t.Run(m.name, func(t *testing.T) {
			if *missedWithin > 0 {
				m.look(t, &ts)
				return
			}
			s := draw(t, nil, m.seed)
			s.at = m.at
			if lost := s.run(t); len(lost) > 0 {
				t.Errorf("with it: %q", lost)
			}
			defer versions.DoWithout(m.of)()
			for range missedTries {
				if lost := s.run(t); len(lost) > 0 {
					t.Logf("without it: %q", lost)
					return
				}
			}
			t.Errorf("without it nothing is lost: %v", s)
		})
	}
}

// look tells the schedules about a protection that lose something without it.
func (m *missing) look(t *testing.T, ts *traces) {
	seeds := make([]uint64, 0, *missedWithin)
	for seed := *scheduleSeed; len(seeds) < *missedWithin; seed++ {
		if m.about(draw(t, nil, seed)) {
			seeds = append(seeds, seed)
		}
	}
	for _, seed := range seeds {
		draw(t, ts, seed) // the traces, with all protections
	}
	defer versions.DoWithout(m.of)()
	var found atomic.Int64
	each(len(seeds), func(i int) {
		t.Run(fmt.Sprint(seeds[i]), func(t *testing.T) {
			if lost := draw(t, ts, seeds[i]).run(t); len(lost) > 0 {
				found.Add(1)
				t.Logf("%q", lost)
			}
		})
	})
	t.Logf("of %d schedules %d lose something", len(seeds), found.Load())
}
