package txn

import (
	"context"
	"sync/atomic"
	"time"
)

// WaitsFor is what a call waits for that is not the store's own work.
type WaitsFor uint32

const (
	ForNothing   WaitsFor = iota
	ForLock               // of rows or a table that another transaction holds
	ForAdvisory           // lock
	ForTimestamp          // of a row that is written more often than it has some
)

// Waits is what the calls of a statement wait for, and how long they have waited.
type Waits struct {
	nanos atomic.Int64
	now   atomic.Uint32
}

// Now is what a call waits for now, of several calls any.
func (w *Waits) Now() WaitsFor { return WaitsFor(w.now.Load()) }

// Take gives the time since the last call.
func (w *Waits) Take() time.Duration {
	if w.nanos.Load() == 0 { // nearly always
		return 0
	}
	return time.Duration(w.nanos.Swap(0))
}

// Blocked is a wait for a lock of rows or of a table that goes on, and who is in its way.
type Blocked struct {
	Who   *Waits
	By    []*Waits // who has the lock, or stands before Who in its queue; some more than once
	Since time.Time
}

// Blocked lists who waits for a lock now, of those whose calls tell a Waits.
func (m *Manager) Blocked() []Blocked {
	t := m.locks
	t.waits.Lock()
	defer t.waits.Unlock()
	var list []Blocked
	for o, since := range t.blocked {
		var by []*owner
		switch {
		case o.who == nil: // nobody asks for it
		case o.waitsFor != nil:
			by = o.waitsFor.blockers(o)
		case o.queued != nil:
			by = o.queued.blockers(o)
		}
		b := Blocked{Who: o.who, Since: since}
		for _, other := range by {
			if other.who != nil && other.who != o.who {
				b.By = append(b.By, other.who)
			}
		}
		if len(b.By) > 0 { // else it was granted just now
			list = append(list, b)
		}
	}
	return list
}

type waitsKey struct{}

// WithWaits has calls under ctx tell w of their waits.
func WithWaits(ctx context.Context, w *Waits) context.Context {
	return context.WithValue(ctx, waitsKey{}, w)
}

// waitsOf gives what calls under ctx tell of their waits; nil is nothing.
func waitsOf(ctx context.Context) *Waits {
	w, _ := ctx.Value(waitsKey{}).(*Waits)
	return w
}

// Waiting tells the Waits of ctx that a call waits, until the function that it gives is called.
func Waiting(ctx context.Context, what WaitsFor) (over func()) {
	w := waitsOf(ctx)
	if w == nil {
		return func() {}
	}
	began := time.Now()
	w.now.Store(uint32(what))
	return func() {
		w.nanos.Add(int64(time.Since(began)))
		w.now.Store(uint32(ForNothing))
	}
}
