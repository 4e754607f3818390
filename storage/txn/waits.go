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

type waitsKey struct{}

// WithWaits has calls under ctx tell w of their waits.
func WithWaits(ctx context.Context, w *Waits) context.Context {
	return context.WithValue(ctx, waitsKey{}, w)
}

// Waiting tells the Waits of ctx that a call waits, until the function that it gives is called.
func Waiting(ctx context.Context, what WaitsFor) (over func()) {
	w, ok := ctx.Value(waitsKey{}).(*Waits)
	if !ok {
		return func() {}
	}
	began := time.Now()
	w.now.Store(uint32(what))
	return func() {
		w.nanos.Add(int64(time.Since(began)))
		w.now.Store(uint32(ForNothing))
	}
}
