package storage

import (
	"context"
	"time"
)

// Fence says until when a write may be made, and whether it still may: once it may not, it
// may again only if nobody else could have written meanwhile. A process that was stopped finds
// so what its timers have not told it yet.
type Fence func() (until time.Time, held bool)

type fenceKey struct{}

// WithFence has writes of a context not be sent when f does not hold, and not be taken for
// made when it does not hold as they are answered (CodeAmbiguous). Adapters of stores that
// several processes write obey it, in all that is derived from the context, beside that which
// the context has already.
func WithFence(ctx context.Context, f Fence) context.Context {
	if outer, _ := ctx.Value(fenceKey{}).(Fence); outer != nil {
		inner := f
		f = func() (time.Time, bool) {
			until, held := inner()
			by, also := outer()
			if by.Before(until) {
				until = by
			}
			return until, held && also
		}
	}
	return context.WithValue(ctx, fenceKey{}, f)
}

// Unfenced is ctx without its fences, for writes that their conditions make safe at any time.
func Unfenced(ctx context.Context) context.Context {
	return context.WithValue(ctx, fenceKey{}, Fence(nil))
}

// FenceOf gives the fence of a context: its own deadline where it has no other.
func FenceOf(ctx context.Context) Fence {
	f, _ := ctx.Value(fenceKey{}).(Fence)
	return func() (time.Time, bool) {
		until, bounded := ctx.Deadline()
		held := ctx.Err() == nil && (!bounded || time.Now().Before(until))
		if f == nil || !held {
			return until, held
		}
		by, held := f()
		if !bounded || by.Before(until) {
			until = by
		}
		return until, held && time.Now().Before(by)
	}
}
