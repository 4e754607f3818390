package pebble

import (
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// CallBounds are the upper bounds of the times by which Calls counts.
var CallBounds = [...]time.Duration{
	10 * time.Microsecond, 25 * time.Microsecond, 50 * time.Microsecond, 100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, time.Second, 10 * time.Second,
}

// TimedShare is how many calls there are to one that is timed: a clock costs more than all
// other counting.
const TimedShare = 32

// Calls are those of one kind that a store was asked for since it was opened.
type Calls struct {
	Op   string // get, scan, write or check
	Done int64  // that did well
	// Failed are all others, by their codes.
	Failed map[storage.Code]int64
	// Of one in TimedShare, chosen by chance: how many took at most the CallBounds, how many
	// there were, and their sum.
	Within [len(CallBounds)]uint64
	Timed  uint64
	Time   time.Duration
}

type callKind uint8

const (
	callGet   callKind = iota
	callScan           // one batch of its rows
	callWrite          // of rows, or of a transaction
	callCheck          // and write, of one row
	callKinds
)

var callNames = [callKinds]string{"get", "scan", "write", "check"}

// callCounters count a store's calls.
type callCounters struct {
	start time.Time // of the clock
	kinds [callKinds]struct {
		done   [callShards]paddedCount
		failed [storage.Codes]atomic.Int64
		at     [len(CallBounds) + 1]atomic.Int64 // by the first bound that is not below
		nanos  atomic.Int64
	}
}

// callShards is over how many counters calls are spread, by chance, so that those of several
// processors seldom meet on one.
const callShards = 8

type paddedCount struct {
	atomic.Int64
	_ [56]byte // a cache line's rest
}

// call is one that goes on.
type call struct {
	began time.Duration // where it is timed, else 0
	shard uint32
}

// begin is called before a call, and ended after it.
func (c *callCounters) begin() call {
	r := rand.Uint32()
	x := call{shard: r / TimedShare % callShards}
	if r%TimedShare == 0 {
		x.began = time.Since(c.start)
	}
	return x
}

// ended counts a call.
func (c *callCounters) ended(kind callKind, x call, err error) {
	k := &c.kinds[kind]
	if err != nil && err != io.EOF {
		k.failed[min(storage.CodeOf(err), storage.Codes-1)].Add(1)
	} else {
		k.done[x.shard].Add(1)
	}
	if x.began == 0 {
		return
	}
	took := time.Since(c.start) - x.began
	k.nanos.Add(int64(took))
	at := 0
	for at < len(CallBounds) && took > CallBounds[at] {
		at++
	}
	k.at[at].Add(1)
}

// Calls are what the store was asked for, by kind.
func (s *Store) Calls() []Calls {
	list := make([]Calls, 0, callKinds)
	for i := range s.calls.kinds {
		k, c := &s.calls.kinds[i], Calls{Op: callNames[i], Failed: map[storage.Code]int64{}}
		for shard := range k.done {
			c.Done += k.done[shard].Load()
		}
		for code := range k.failed {
			if n := k.failed[code].Load(); n > 0 {
				c.Failed[storage.Code(code)] = n
			}
		}
		c.Time = time.Duration(k.nanos.Load())
		for at := range k.at {
			if c.Timed += uint64(k.at[at].Load()); at < len(c.Within) {
				c.Within[at] = c.Timed
			}
		}
		list = append(list, c)
	}
	return list
}
