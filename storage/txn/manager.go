package txn

import (
	"cmp"
	"context"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// Manager hands out transactions over one store and holds its row locks and
// its clock.
type Manager struct {
	store  storage.Store
	clock  *Clock
	locks  *lockTable
	atomic bool
	shared bool // others write the rows: Caps.Optimistic
	auto   storage.Store

	// Grace is how long after its making a mark in an entry of an index may be of a write
	// that is under way (see staged.go). It is set before the first use, and the same on
	// all servers of a store.
	Grace time.Duration
	// Landed, where set, says that the write for which a timestamp was made has ended: its server
	// is dead, and what it has sent has landed, or its server says so. It is set before the first
	// use, and must not wait for the store.
	Landed func(ts int64) bool
	// Late is how long after its end a write of unknown outcome may land; 0 is Grace. It is set
	// before the first use.
	Late  time.Duration
	marks *openMarks
	logOf func(table string) string // LogWrites; nil is none
	logs  logWriters

	watches *watches
	whole   *Manager // SetWhole
	plain   *Manager // whose whole this is
}

// NewManager makes the manager of a store; clock may be nil.
func NewManager(store storage.Store, clock *Clock) *Manager {
	if clock == nil {
		clock = NewClock(nil)
	}
	m := &Manager{store: store, clock: clock, locks: newLockTable(), atomic: store.Caps().AtomicBatch, shared: store.Caps().Optimistic, Grace: cmp.Or(time.Duration(testGrace.Load()), DefaultGrace), marks: new(openMarks), watches: new(watches)}
	m.logs = logWriters{store: store, clock: clock}
	m.auto = &autoStore{m}
	return m
}

// Over gives a manager of a store that is laid over this one's, with the same locks and clock.
// logOf is as LogWrites takes it.
func (m *Manager) Over(store storage.Store, logOf func(table string) string) *Manager {
	o := &Manager{store: store, clock: m.clock, locks: m.locks, atomic: store.Caps().AtomicBatch, shared: store.Caps().Optimistic, Grace: m.Grace, Landed: m.Landed, Late: m.Late, marks: m.marks, logOf: logOf, watches: m.watches}
	o.logs = logWriters{store: store, clock: m.clock}
	o.auto = &autoStore{o}
	return o
}

// AtomicFor says that rows of a table are committed together with the entries of its indexes: Atomic, but
// for tables beside the distributed ones.
func (m *Manager) AtomicFor(distributed bool) bool { return m.atomic && (distributed || !m.shared) }

// SetWhole names the manager of the tables that take part in transactions over a store which has none
// itself (storage/transact). It is called before the first use.
func (m *Manager) SetWhole(whole *Manager) { m.whole, whole.plain = whole, m }

// Plain gives the manager of tables that are not distributed.
func (m *Manager) Plain() *Manager {
	if m.plain != nil {
		return m.plain
	}
	return m
}

// For gives the manager of a table: the whole one where it is distributed, else the plain one.
func (m *Manager) For(distributed bool) *Manager {
	switch {
	case !distributed:
		return m.Plain()
	case m.whole != nil:
		return m.whole
	}
	return m
}

// Move has a transaction that began under another manager go on under m, whose store is laid
// over that one's, or shows the same tables in another way. Nothing of it may be open, and it has
// not written where the stores commit in different ways. One that is to read one snapshot, and has
// had none, takes it now.
func (m *Manager) Move(ctx context.Context, t *Txn) error {
	t.m, t.view.in = m, m.store
	if t.opts.Isolation != RepeatableRead || t.snap != nil || !m.store.Caps().Snapshots {
		return nil
	}
	var err error
	t.snap, err = m.store.Snapshot(ctx)
	return err
}

// Clock gives the timestamps of all writes.
func (m *Manager) Clock() *Clock { return m.clock }

// Raw is the store itself. Tables that sessions write must not be written
// through it.
func (m *Manager) Raw() storage.Store { return m.store }

// Auto is the store for single writes outside of a transaction: each call is
// one, and waits for transactions that hold the row.
func (m *Manager) Auto() storage.Store { return m.auto }

// Waiting is how many writes wait for a lock now.
func (m *Manager) Waiting() int64 { return m.locks.waiting.Load() }

// Ended says that the write which has made a mark at ts in an entry is not under way any more.
func (m *Manager) Ended(ts int64) bool {
	return ts <= m.clock.Now()-m.Grace.Microseconds() || m.Landed != nil && m.Landed(ts)
}

// Atomic says that Commit applies all rows or none.
func (m *Manager) Atomic() bool { return m.atomic }

// Begin starts a transaction. It must be ended by Commit or Rollback. ctx is
// used for taking the snapshot, and says whose transaction it is (WithWaits).
func (m *Manager) Begin(ctx context.Context, opts Options) (*Txn, error) {
	t := &Txn{m: m, opts: opts, began: m.clock.Now(), owner: owner{who: waitsOf(ctx)}}
	t.buf.max = opts.MaxBytes
	if t.buf.max <= 0 {
		t.buf.max = DefaultMaxBytes
	}
	t.held, t.name = t.first.held[:0], t.first.name[:0]
	t.view.in = m.store
	t.view.t = t
	switch {
	case opts.Snapshot != nil:
		t.shared = opts.Snapshot.Hold()
		t.snap = t.shared.read
	case opts.Isolation == RepeatableRead && m.store.Caps().Snapshots:
		snap, err := m.store.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		t.snap = snap
	}
	return t, nil
}
