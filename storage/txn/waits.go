package txn

import (
	"context"
	"sync/atomic"
	"time"
)

// Waits is how long calls have waited for what is not the store's own work: for rows and tables
// that others hold, and for timestamps.
type Waits struct{ nanos atomic.Int64 }

// Take gives the time since the last call.
func (w *Waits) Take() time.Duration {
	if w.nanos.Load() == 0 { // nearly always
		return 0
	}
	return time.Duration(w.nanos.Swap(0))
}

type waitsKey struct{}

// WithWaits has calls under ctx add to w how long they wait.
func WithWaits(ctx context.Context, w *Waits) context.Context {
	return context.WithValue(ctx, waitsKey{}, w)
}

// Waited adds the time since began to the Waits of ctx.
func Waited(ctx context.Context, began time.Time) {
	if w, ok := ctx.Value(waitsKey{}).(*Waits); ok {
		w.nanos.Add(int64(time.Since(began)))
	}
}
