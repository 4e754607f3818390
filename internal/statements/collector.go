package statements

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxBytes is what shapes may take together, by estimate.
	maxBytes = 16 << 20
	// maxShape is how many bytes of a shape's text are kept.
	maxShape = 16 << 10
	// evictShare of the entries go where one has no room.
	evictShare = 20
	entryBytes = 400
)

// Collector holds the counters of one server.
type Collector struct {
	most int // entries

	mu        sync.Mutex
	entries   map[Key]*Entry
	bytes     int
	evictions int64
	reset     time.Time
	totals    Totals
	tables    tables
}

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
	Kind  Kind
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

	gone atomic.Bool // from its Collector
	mu   sync.Mutex
	c    Counters
}

// Counters gives the sums of now.
func (e *Entry) Counters() Counters {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.c
}

// Gone says that the entry was forgotten: what is added to it is seen by nobody.
func (e *Entry) Gone() bool { return e.gone.Load() }

// New makes a Collector of up to most entries; 0 counts totals only.
func New(most int) *Collector {
	return &Collector{most: most, entries: map[Key]*Entry{}, reset: time.Now()}
}

// Entry finds the entry of a statement, or makes it; nil where none are kept. shape is not
// kept where it is longer than 16 kB. path is not the caller's to change.
func (c *Collector) Entry(user, database, shape string, id int64, path []string) *Entry {
	if c.most == 0 {
		return nil
	}
	key := Key{user, database, id}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		return e
	}
	if len(shape) > maxShape {
		shape = ""
	}
	e := &Entry{Key: key, Shape: shape, Path: path}
	if size := e.size(); len(c.entries) >= c.most || c.bytes+size > maxBytes {
		c.evict(size)
	}
	c.entries[key] = e
	c.bytes += e.size()
	return e
}

func (e *Entry) size() int {
	n := entryBytes + len(e.Shape) + len(e.User) + len(e.Database)
	for _, p := range e.Path {
		n += 16 + len(p) // shared by the entries of a session, perhaps
	}
	return n
}

// evict makes room for need bytes and one entry. c.mu is held.
func (c *Collector) evict(need int) {
	type used struct {
		e     *Entry
		calls int64
	}
	list := make([]used, 0, len(c.entries))
	for _, e := range c.entries {
		n := e.Counters()
		list = append(list, used{e, n.Calls + n.Errors})
	}
	slices.SortFunc(list, func(a, b used) int { return cmp.Compare(a.calls, b.calls) })
	least := max(1, len(list)/evictShare)
	for i, u := range list {
		if i >= least && c.bytes+need <= maxBytes {
			break
		}
		delete(c.entries, u.e.Key)
		c.bytes -= u.e.size()
		u.e.gone.Store(true)
	}
	c.evictions++
}

// Add counts an execution; e may be nil.
func (c *Collector) Add(e *Entry, r *Run) {
	c.totals.add(r)
	if e != nil {
		e.mu.Lock()
		e.c.add(r)
		e.mu.Unlock()
	}
}

// Entries lists what is kept, in no order.
func (c *Collector) Entries() []*Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]*Entry, 0, len(c.entries))
	for _, e := range c.entries {
		list = append(list, e)
	}
	return list
}

// Reset forgets all entries. Totals go on: a counter of metrics does not go back.
func (c *Collector) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		e.gone.Store(true)
	}
	clear(c.entries)
	c.bytes, c.evictions, c.reset = 0, 0, time.Now()
}

// Info tells how often entries were forgotten for lack of room, and since when is counted.
func (c *Collector) Info() (evictions int64, since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.evictions, c.reset
}

// Size is how many entries there are, and the bytes they take by estimate.
func (c *Collector) Size() (entries, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries), c.bytes
}

// Totals are the sums over all statements.
func (c *Collector) Totals() *Totals { return &c.totals }
