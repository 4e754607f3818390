package statements

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// maxBytes is what shapes may take together, by estimate.
	maxBytes = 16 << 20
	// maxShape is how many bytes of a shape's text are kept.
	maxShape = 16 << 10
	// evictShare of the entries go where one has no room.
	evictShare = 20
	// maxTables bounds the tables that entries which are gone have left counts of. Asking for
	// the totals lets go of those that are dropped.
	maxTables = 1 << 16
	// leastReview is how many tables are left at least when the dropped ones are looked for.
	leastReview = 64
)

// Collector holds the counters of one server. All that is counted stands in the entries, each
// under a mutex of its own, and in what entries that are gone have left: a run of a statement
// whose Use is known takes one mutex and no map, and sums over all are made by who asks.
type Collector struct {
	most int // entries

	mu        sync.Mutex // before an Entry's
	entries   map[Key]*Entry
	bytes     int
	evictions int64
	reset     time.Time
	left      Totals // of entries that are gone
	review    int    // how many tables left has when those that are gone are looked for
}

// New makes a Collector of up to most entries.
func New(most int) *Collector {
	return &Collector{most: max(most, 1), entries: map[Key]*Entry{}, review: leastReview, reset: time.Now()}
}

// Use finds where to count the runs of a statement, or makes it. The caller may keep it until
// Add says otherwise, for as long as the statement is about the same tables. A shape of more
// than 16 kB is not kept. path is not the caller's to change.
func (c *Collector) Use(key Key, shape string, path []string, kind Kind, tables []uint32, writes bool) *Use {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		if len(shape) > maxShape {
			shape = ""
		}
		e = &Entry{Key: key, Shape: shape, Path: path, Kind: kind}
		u, _ := e.use(tables, writes)
		if size := e.size(); len(c.entries) >= c.most || c.bytes+size > maxBytes {
			c.evict(size)
		}
		c.entries[key] = e
		c.bytes += e.size()
		return u
	}
	was := e.size()
	u, old := e.use(tables, writes)
	if old != nil {
		c.left.addUse(old)
	}
	if c.bytes += e.size() - was; c.bytes > maxBytes {
		c.evict(0) // it may be among those that go
	}
	return u
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
		c.forget(u.e)
	}
	c.evictions++
}

// forget takes an entry out; its counts stay in the sums. c.mu is held.
func (c *Collector) forget(e *Entry) {
	delete(c.entries, e.Key)
	c.bytes -= e.size()
	c.left.add(e, true)
	if len(c.left.tables) > maxTables {
		c.left.tables = nil // nobody asks for them
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
		c.forget(e)
	}
	c.evictions, c.reset = 0, time.Now()
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

// Totals gives the sums over all statements. What is left of tables for which there answers false,
// which are gone, is let go of when it may be half of all that is left.
func (c *Collector) Totals(there func(table uint32) bool) *Totals {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.left.tables) >= c.review {
		maps.DeleteFunc(c.left.tables, func(id uint32, _ TableCount) bool { return !there(id) })
		c.review = max(leastReview, 2*len(c.left.tables))
	}
	t := c.left.clone()
	for _, e := range c.entries {
		t.add(e, false)
	}
	return t
}
