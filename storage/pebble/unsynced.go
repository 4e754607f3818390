package pebble

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// unsynced are the writes that Pebble shows already and that are not on disk
// yet. A reader that has seen one waits for its sync before it answers: else it
// would tell of rows that a crash, or a failing disk, takes back.
//
//	write  begin ── apply (visible) ───────── sync ── end
//	read              iterator ── rows ── wait ─────────── answer
//
// Writes without sync are not in it: who asks for one accepts that.
type unsynced struct {
	count atomic.Int64  // len(open)
	begun atomic.Uint64 // number of the write begun last

	mu   sync.Mutex
	open []openWrite
	wake chan struct{} // closed when a write ends; nil where nobody waits
}

type openWrite struct {
	w *write
	n uint64
}

// keyRange is what a write changes: sorted rows, or all of some tables.
type keyRange struct {
	rows   []rowWrite
	tables []*tableState
}

// appendTables appends the tables that are written.
func (k *keyRange) appendTables(dst []*tableState) []*tableState {
	dst = append(dst, k.tables...)
	for i := range k.rows {
		if t := k.rows[i].table; len(dst) == 0 || dst[len(dst)-1] != t {
			dst = append(dst, t)
		}
	}
	return dst
}

func (u *unsynced) begin(w *write) {
	u.mu.Lock()
	w.pending = true
	u.open = append(u.open, openWrite{w, u.begun.Add(1)})
	u.count.Store(int64(len(u.open)))
	u.mu.Unlock()
}

func (u *unsynced) end(w *write) {
	u.mu.Lock()
	for i := range u.open {
		if u.open[i].w == w {
			last := len(u.open) - 1
			u.open[i] = u.open[last]
			u.open[last] = openWrite{}
			u.open = u.open[:last]
			break
		}
	}
	u.count.Store(int64(len(u.open)))
	if u.wake != nil {
		close(u.wake)
		u.wake = nil
	}
	u.mu.Unlock()
}

// gather says how long the next sync of the log is put off, for more commits to share it: not
// at all where few wait, who would wait for nothing, and up to 0.3 ms where many do, so that
// the next ones are ready before a sync that costs the processors more than each of them. It
// is asked when a sync has ended, and those whom it was for are still counted.
func (u *unsynced) gather() time.Duration {
	const alone, each, most = 16, 30 * time.Microsecond, 300 * time.Microsecond
	return max(0, min(most, each*time.Duration(u.count.Load()-alone)))
}

// seen is what a reader has looked at.
type seen struct {
	table *tableState
	keys  [][]byte       // sorted
	spans []storage.Span // sorted
	upTo  uint64         // writes begun later are not in the view that was read
}

// durable waits until what a reader has seen is on disk. It is called when the
// rows have been read, and gives the error to answer instead of them.
func (s *Store) durable(ctx context.Context, op, name string, r seen) error {
	u := &s.unsynced
	for u.count.Load() > 0 {
		u.mu.Lock()
		if !u.overlaps(&r) {
			u.mu.Unlock()
			break
		}
		if u.wake == nil {
			u.wake = make(chan struct{})
		}
		wake := u.wake
		u.mu.Unlock()
		select {
		case <-wake:
		case <-s.fault.down:
		case <-ctx.Done():
			return storage.CtxError(op, name, ctx.Err())
		}
	}
	return s.fault.get(op, name)
}

// has says whether the reader has looked at the row.
func (r *seen) has(key []byte) bool {
	if _, ok := slices.BinarySearchFunc(r.keys, key, bytes.Compare); ok {
		return true
	}
	i := sort.Search(len(r.spans), func(i int) bool { return len(r.spans[i].End) == 0 || bytes.Compare(key, r.spans[i].End) < 0 })
	return i < len(r.spans) && bytes.Compare(key, r.spans[i].Start) >= 0
}

// fewRows is up to how many rows of a write are looked at one by one.
const fewRows = 8

func (u *unsynced) overlaps(r *seen) bool {
	for i := range u.open {
		if o := &u.open[i]; o.n <= r.upTo && o.w.keys.overlaps(r) {
			return true
		}
	}
	return false
}

func (k *keyRange) overlaps(r *seen) bool {
	if k.tables != nil {
		return slices.Contains(k.tables, r.table)
	}
	rows := k.rows
	if len(rows) <= fewRows { // most writes
		for i := range rows {
			if rows[i].table == r.table && r.has(rows[i].row.Key) {
				return true
			}
		}
		return false
	}
	id := r.table.id
	rows = rows[sort.Search(len(rows), func(i int) bool { return rows[i].table.id >= id }):]
	rows = rows[:sort.Search(len(rows), func(i int) bool { return rows[i].table.id > id })]
	if len(rows) == 0 || rows[0].table != r.table {
		return false
	}
	from := func(key []byte) int {
		return sort.Search(len(rows), func(i int) bool { return bytes.Compare(rows[i].row.Key, key) >= 0 })
	}
	for _, key := range r.keys {
		if i := from(key); i < len(rows) && bytes.Equal(rows[i].row.Key, key) {
			return true
		}
	}
	for _, sp := range r.spans {
		if i := from(sp.Start); i < len(rows) && (len(sp.End) == 0 || bytes.Compare(rows[i].row.Key, sp.End) < 0) {
			return true
		}
	}
	return false
}
