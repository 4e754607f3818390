package statements

import (
	"math"
	"slices"
	"sync"
	"time"
	"unsafe"
)

// Key tells an entry.
type Key struct {
	User, Database string
	ID             int64 // of the shape
}

// Work is what a statement did in the store.
type Work struct{ Calls, RowsRead, Bytes, Written, Buckets, SpillBytes int64 }

// Run is what one execution of a statement did.
type Run struct {
	Time time.Duration
	Rows int64 // given to the client, or written
	// Given are the rows given to the client alone.
	Given int64
	Work
	Class [2]byte // of its SQLSTATE: "00" where it did well
}

// failed says that the statement ended with an error.
func (r *Run) failed() bool { return r.Class != Succeeded }

// Succeeded is the class of successful completion.
var Succeeded = [2]byte{'0', '0'}

// Counters are sums over executions.
type Counters struct {
	Calls, Errors                                                      int64
	Rows, StorageCalls, RowsRead, BytesRead, Written, Buckets, Spilled int64
	Total, Min, Max                                                    time.Duration // Min and Max of those without an error
	sumSquares                                                         float64       // of ms, about mean
	mean                                                               float64
}

// StdDev is the standard deviation of the times.
func (c *Counters) StdDev() time.Duration {
	if c.Calls < 2 {
		return 0
	}
	return time.Duration(math.Sqrt(c.sumSquares/float64(c.Calls)) * float64(time.Millisecond))
}

func (c *Counters) add(r *Run) {
	c.StorageCalls += r.Calls
	c.RowsRead += r.RowsRead
	c.BytesRead += r.Bytes
	c.Written += r.Written
	c.Buckets += r.Buckets
	c.Spilled += r.SpillBytes
	if r.failed() { // as in PostgreSQL, calls are those that came to their end
		c.Errors++
		return
	}
	c.Calls++
	c.Rows += r.Rows
	c.Total += r.Time
	if c.Calls == 1 || r.Time < c.Min {
		c.Min = r.Time
	}
	c.Max = max(c.Max, r.Time)
	ms := float64(r.Time) / float64(time.Millisecond)
	was := c.mean
	c.mean += (ms - was) / float64(c.Calls)
	c.sumSquares += (ms - was) * (ms - c.mean)
}

// Entry is a shape with its counters.
type Entry struct {
	Key
	Shape string
	// Path are the schemas that names were looked for in when the entry was made.
	Path []string
	Kind Kind

	mu     sync.Mutex
	c      Counters
	given  int64
	nanos  int64           // of all runs
	at     [slots]int64    // runs, by the first of Bounds that is not below
	failed []failedOfClass // in no order
	uses   []*Use
}

type failedOfClass struct {
	class [2]byte
	n     int64
}

// Use is an entry as statements use it that are about the same tables: a name may mean another
// one in another session, or after DROP and CREATE.
type Use struct {
	entry  *Entry
	tables []uint32
	writes bool
	// Under the entry's mutex:
	n    int64 // runs
	gone bool  // nothing is counted here any more
}

// Add counts a run. It answers false where the Use is gone: the run is to be counted by one that
// is found anew.
func (u *Use) Add(r *Run) bool {
	e := u.entry
	e.mu.Lock()
	if u.gone {
		e.mu.Unlock()
		return false
	}
	u.n++
	e.c.add(r)
	e.given += r.Given
	e.nanos += int64(r.Time)
	e.at[slotOf(r.Time)]++
	if r.failed() {
		e.addFailed(r.Class, 1)
	}
	e.mu.Unlock()
	return true
}

func (e *Entry) addFailed(class [2]byte, n int64) {
	for i := range e.failed {
		if e.failed[i].class == class {
			e.failed[i].n += n
			return
		}
	}
	e.failed = append(e.failed, failedOfClass{class, n})
}

// maxUses bounds what an entry tells apart: a program may make its tables again and again.
const maxUses = 8

// use finds or makes a Use; one that had to make room for it is given too.
func (e *Entry) use(tables []uint32, writes bool) (u, old *Use) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range e.uses {
		if u.writes == writes && slices.Equal(u.tables, tables) {
			return u, nil
		}
	}
	if len(e.uses) == maxUses {
		old = e.uses[0]
		old.gone = true
		e.uses = slices.Delete(e.uses, 0, 1)
	}
	u = &Use{entry: e, tables: slices.Clone(tables), writes: writes}
	e.uses = append(e.uses, u)
	return u, old
}

// Counters gives the sums of now.
func (e *Entry) Counters() Counters {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.c
}

// size is what the entry takes, by estimate: with its place in the Collector's map.
func (e *Entry) size() int {
	n := int(unsafe.Sizeof(*e)) + 100 + len(e.Shape) + len(e.User) + len(e.Database)
	for _, p := range e.Path {
		n += int(unsafe.Sizeof(p)) + len(p) // shared by the entries of a session, perhaps
	}
	for _, u := range e.uses {
		n += int(unsafe.Sizeof(*u)) + 8 + 4*len(u.tables)
	}
	return n
}
