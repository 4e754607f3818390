package heat

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// DefaultMemory is how many bytes a server counts in.
const DefaultMemory = 64 << 20

// Heat holds the counters of one server. A nil one counts nothing.
type Heat struct {
	now    func() time.Time
	there  func() func(id uint32) bool
	most   int64 // bytes
	shards uint32
	full   atomic.Bool   // there was no room for a relation
	shift  atomic.Uint32 // log2 of k: one operation in k is sampled
	ring   ring

	mu        sync.Mutex
	used      int64     // bytes
	kept      int64     // bytes of them that minutes take
	held      int64     // bytes of them that keys take
	minute    time.Time // the open minute's beginning
	relations map[key]*relation
}

// key tells relations apart. One whose number of buckets changes is another: statements that read by the
// catalog of before count apart from the others.
type key struct {
	id      uint32
	buckets int
}

// relation is a table or an index.
type relation struct {
	heat   *Heat
	key    // buckets are the cells of a shard: 1 where there is no salt
	since  time.Time
	shards []atomic.Pointer[[]Cell]
	first  *[]Cell // those that shards share for which there is no room; under Heat.mu

	// Under Heat.mu too, see roll.
	minutes []Minute // oldest first
	last    []Counts // the sum when the last minute ended; nil is none
	shed    bool     // there was no room: no minutes are kept
	kept    int64    // bytes of minutes and last
	use     int64    // requests of late

	keys    *keys // nil is none
	keyless bool  // there was no room for keys
}

const (
	cellBytes = int64(unsafe.Sizeof(Cell{}))
	// relationBytes is what a relation takes beside cells: itself, its place in the map.
	relationBytes = 320
	// shardBytes is what a shard of a relation takes beside its cells: a pointer, a slice.
	shardBytes = 8 + 24
)

// New counts in most bytes; nil where that is below 1. there says which relations there are: it is
// asked where there is no room for one more.
func New(most int64, now func() time.Time, there func() func(id uint32) bool) *Heat {
	if most < 1 {
		return nil
	}
	h := &Heat{now: now, there: there, most: most, shards: uint32(4 * runtime.GOMAXPROCS(0)), minute: now().Truncate(time.Minute), relations: map[key]*relation{}}
	h.ring.init(most)
	h.used = ringBytes(most)
	return h
}

// Memory is how many bytes the counters may take.
func (h *Heat) Memory() int64 {
	if h == nil {
		return 0
	}
	return h.most
}

// Full says that there was no room for a relation: those that have no Sum were perhaps not counted.
func (h *Heat) Full() bool { return h == nil || h.full.Load() }

// Counter counts for one session. The zero one counts nothing.
type Counter struct {
	heat  *Heat
	shard uint32
}

// Counter gives the counter of a session by its number.
func (h *Heat) Counter(session int64) Counter {
	if h == nil {
		return Counter{}
	}
	return Counter{h, uint32(session) % h.shards}
}

// Memo is where the cells of a relation are found again by who counts for it often: one that is
// zero, or that has served the same relation.
type Memo struct {
	heat *Heat
	rel  *relation // nil: it is not counted, and will not be
}

// Cells gives the session's cells of a relation, one for each of its buckets: one alone where it
// has no salt. nil is not counted.
func (c Counter) Cells(m *Memo, id uint32, buckets int) []Cell {
	if c.heat == nil {
		return nil
	}
	if m.heat != c.heat {
		m.heat, m.rel = c.heat, c.heat.relation(key{id, max(buckets, 1)})
	}
	if m.rel == nil {
		return nil
	}
	if of := m.rel.shards[c.shard].Load(); of != nil {
		return *of
	}
	return m.rel.make(c.shard)
}

// relation finds or makes a relation. Once there was no room for one, none is made any more: a
// relation that is counted has been since its first read or write.
func (h *Heat) relation(k key) *relation {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.relations[k]; r != nil {
		return r
	}
	need := relationBytes + int64(h.shards)*shardBytes + int64(k.buckets)*cellBytes
	if h.full.Load() {
		return nil
	}
	if h.used+need > h.most {
		h.forget()
	}
	if !h.room(need) {
		h.full.Store(true)
		return nil
	}
	h.used += need
	r := &relation{heat: h, key: k, since: h.now(), shards: make([]atomic.Pointer[[]Cell], h.shards)}
	h.relations[k] = r
	return r
}

// bytes is what the relation has booked: the cells of one shard from the start; with the lock held.
func (r *relation) bytes() int64 {
	n := relationBytes + int64(len(r.shards))*shardBytes + int64(r.buckets)*cellBytes + r.kept
	for i := range r.shards {
		if of := r.shards[i].Load(); of != nil && of != r.first {
			n += int64(r.buckets) * cellBytes
		}
	}
	if r.keys != nil {
		n += r.keys.bytes
	}
	return n
}

// make gives a shard its cells: the first's where there is no room for more.
func (r *relation) make(shard uint32) []Cell {
	h := r.heat
	h.mu.Lock()
	defer h.mu.Unlock()
	if of := r.shards[shard].Load(); of != nil {
		return *of
	}
	need := int64(r.buckets) * cellBytes
	if r.first != nil && !h.room(need) {
		r.shards[shard].Store(r.first)
		return *r.first
	}
	of := make([]Cell, r.buckets)
	if r.first == nil {
		r.first = &of
	} else if h.relations[r.key] == r { // or it is forgotten
		h.used += need
	}
	r.shards[shard].Store(&of)
	return of
}

// sum adds up the shards; with the lock held.
func (r *relation) sum() []Counts {
	sum := make([]Counts, r.buckets)
	add := func(of *[]Cell) {
		for b := range sum {
			(*of)[b].addTo(&sum[b])
		}
	}
	if r.first != nil {
		add(r.first)
	}
	for i := range r.shards {
		if of := r.shards[i].Load(); of != nil && of != r.first {
			add(of)
		}
	}
	return sum
}

// Sum is what was counted of a relation since its first read or write with so many buckets.
type Sum struct {
	ID      uint32
	Since   time.Time
	Buckets []Counts // one alone where it has no salt
	Minutes []Minute `json:",omitempty"` // oldest first; what they lack of Buckets was before them
	Shed    bool     `json:",omitempty"` // there was no room for minutes
}

// Sums gives what was counted of the relations that want says yes to, by OID, a nil want is all;
// with minutes where those are asked for.
func (h *Heat) Sums(want func(id uint32) bool, minutes bool) []Sum {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.roll()
	var list []Sum
	for k, r := range h.relations {
		if want != nil && !want(k.id) {
			continue
		}
		got, sum := r.open()
		s := Sum{ID: k.id, Since: r.since, Buckets: sum}
		if minutes {
			s.Minutes, s.Shed = r.told(got), r.shed
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Sum) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(len(a.Buckets), len(b.Buckets)))
	})
	return list
}

// young is the age below which a relation is kept, though it is not there: a transaction may have
// made it that has not committed.
const young = time.Hour

// forget lets go of the relations that there are no more; with the lock held.
func (h *Heat) forget() {
	there, before := h.there(), h.now().Add(-young)
	for k, r := range h.relations {
		if r.since.Before(before) && !there(k.id) {
			h.used -= r.bytes()
			h.kept -= r.kept
			if r.keys != nil {
				h.held -= r.keys.bytes
			}
			delete(h.relations, k)
		}
	}
}
