package txn

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/saltsql/saltsql/storage"
)

// buffer is the log of a transaction's row changes. One goroutine writes; any
// number read.
//
//	log    change 0 | change 1 | …            order of statements; a mark is a length
//	rows   table -> key -> its changes        what a read merges with the store's row
//	sorted table -> rows by key               made when a scan first needs it
//
// A reader says how much of the log it sees, so that a statement does not
// read what it writes itself.
type buffer struct {
	mu     sync.RWMutex
	tables lookup[*tableBuffer]
	log    []*rowBuffer
	first  [4]*rowBuffer // what log starts as
	arena  arena
	keys   chunks[byte]      // names of rows and of their locks: an undo leaves them
	slab   chunks[rowBuffer] // rows
	bytes  int64
	max    int64
	merges int // changes of cells that were merged: see merged.go
	// versions names each table's cell that every write of a row renews.
	versions map[string]storage.Col
	touched  []*rowBuffer // in the order of that
}

type tableBuffer struct {
	name   string
	rows   lookup[*rowBuffer]
	sorted []*rowBuffer  // never changed in place: scans hold parts of it
	tail   []*rowBuffer  // not yet in sorted
	first  [1]*rowBuffer // what tail starts as
}

func (t *tableBuffer) named() string { return t.name }
func (r *rowBuffer) named() string   { return r.key }

// rowBuffer is one row's changes, in order. A row whose changes were all
// undone stays, without any.
type rowBuffer struct {
	key     string
	changes []change
	first   [1]change // what changes starts as
	merged  []mergedState
	seen    baseSeen // where the store is not atomic
	// version is what the changes depend on, where others write the rows: the store's row was
	// committed at it when they were made. It is 0 where the row never was.
	version  int64
	versions bool // version is known
	touched  bool // it was locked, and is to be as it was even if it has no change
}

type change struct {
	seq  int // index in the log
	muts []storage.Mutation
	// cond, where set, is what this change and those before it depend on: it
	// held for the store's row when the change was made, and must at commit.
	cond *storage.Cond
	of   *entryOf // where the row is an entry of an index: see entries.go
}

// cond gives what all of a row's changes depend on, or nil.
func (r *rowBuffer) cond() *storage.Cond {
	for i := len(r.changes) - 1; i >= 0; i-- {
		if c := r.changes[i].cond; c != nil {
			return c
		}
	}
	return nil
}

// perChange is about what a change costs beside its bytes.
const perChange = 160

// add appends a change; ts, if not 0, replaces its timestamps. cond, where not
// nil, must imply the conditions of the row's changes before.
func (b *buffer) add(table string, key []byte, muts []storage.Mutation, ts int64, cond *storage.Cond) error {
	size := int64(perChange + 2*len(key) + len(muts)*88)
	for i := range muts {
		size += int64(len(muts[i].Qualifier) + len(muts[i].Value))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bytes+size > b.max {
		return &BufferFullError{Max: b.max}
	}
	b.bytes += size
	r := b.row(table, key)
	if cond != nil {
		c := *cond
		c.Qualifier = bytes.Clone(c.Qualifier)
		cond = &c
	}
	r.changes = append(r.changes, change{seq: len(b.log), muts: b.arena.copy(muts, ts), cond: cond})
	if b.log == nil {
		b.log = b.first[:0]
	}
	b.log = append(b.log, r)
	return nil
}

// row gives a row, made where the transaction has not had it yet. The caller has the lock.
func (b *buffer) row(table string, key []byte) *rowBuffer {
	t := b.tables.find(table)
	if t == nil {
		t = &tableBuffer{name: table}
		t.tail = t.first[:0]
		b.tables.add(t)
	}
	r := t.rows.find(stringOf(key))
	if r == nil {
		k := b.keys.take(len(key))
		copy(k, key)
		r = &b.slab.take(1)[0]
		r.key = stringOf(k)
		r.changes = r.first[:0]
		t.rows.add(r)
		t.tail = append(t.tail, r)
	}
	return r
}

type bufferMark struct {
	seq     int
	touched int
	arena   arenaMark
	bytes   int64
}

func (b *buffer) mark() bufferMark {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return bufferMark{len(b.log), len(b.touched), b.arena.mark(), b.bytes}
}

// undo drops the changes made since the mark.
func (b *buffer) undo(m bufferMark) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := len(b.log) - 1; i >= m.seq; i-- {
		r := b.log[i]
		r.changes = r.changes[:len(r.changes)-1]
		r.forget()
		r.versions = r.versions && (len(r.changes) > 0 || r.touched)
		b.log[i] = nil
	}
	b.log = b.log[:m.seq]
	b.arena.undo(m.arena)
	b.bytes = m.bytes
}

func (b *buffer) seq() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.log)
}

// find gives a row that was changed, or nil.
func (b *buffer) find(table string, key []byte) *rowBuffer {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if t := b.tables.find(table); t != nil {
		return t.rows.find(stringOf(key))
	}
	return nil
}

// changed says whether a row has changes among the first seq of the log.
func (b *buffer) changed(table string, key []byte, seq int) bool {
	r := b.find(table, key)
	if r == nil {
		return false
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(r.upTo(seq)) > 0
}

func (r *rowBuffer) upTo(seq int) []change {
	n := len(r.changes)
	for n > 0 && r.changes[n-1].seq >= seq {
		n--
	}
	return r.changes[:n:n]
}

// within lists the rows in spans by key, some perhaps without changes.
func (b *buffer) within(table string, spans []storage.Span) []*rowBuffer {
	b.mu.RLock()
	t := b.tables.find(table)
	if t == nil {
		b.mu.RUnlock()
		return nil
	}
	if len(t.tail) > 0 {
		b.mu.RUnlock()
		b.mu.Lock()
		t.sort()
		b.mu.Unlock()
		b.mu.RLock()
	}
	sorted := t.sorted
	b.mu.RUnlock()

	var out []*rowBuffer
	for i, s := range spans {
		lo, _ := slices.BinarySearchFunc(sorted, s.Start, compareKey)
		hi := len(sorted)
		if len(s.End) > 0 {
			hi, _ = slices.BinarySearchFunc(sorted, s.End, compareKey)
		}
		if i == 0 {
			out = sorted[lo:hi:hi]
		} else if lo < hi {
			out = append(out, sorted[lo:hi]...)
		}
	}
	return out
}

func compareKey(r *rowBuffer, key []byte) int { return strings.Compare(r.key, string(key)) }

// sort takes the tail into a new sorted list.
func (t *tableBuffer) sort() {
	if len(t.tail) == 0 {
		return
	}
	byKey := func(a, b *rowBuffer) int { return strings.Compare(a.key, b.key) }
	slices.SortFunc(t.tail, byKey)
	if len(t.sorted) == 0 {
		t.sorted, t.tail = t.tail, nil
		return
	}
	merged := make([]*rowBuffer, 0, len(t.sorted)+len(t.tail))
	a, b := t.sorted, t.tail
	for len(a) > 0 && len(b) > 0 {
		if a[0].key < b[0].key {
			merged, a = append(merged, a[0]), a[1:]
		} else {
			merged, b = append(merged, b[0]), b[1:]
		}
	}
	t.sorted = append(append(merged, a...), b...)
	t.tail = nil
}

// hasTable says whether the table was ever written in this transaction.
func (b *buffer) hasTable(table string) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.tables.find(table) != nil
}

// reset empties the buffer. Scans may still look at what it held.
func (b *buffer) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tables, b.log, b.touched, b.bytes = lookup[*tableBuffer]{}, nil, nil, 0
	b.arena, b.keys, b.slab = arena{}, chunks[byte]{}, chunks[rowBuffer]{}
}
