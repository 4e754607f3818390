package storage

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	maxTries     = 7  // of a call that changed nothing
	maxThrottled = 41 // of a call that the store refused for its rate: about 20 s
	againPause   = 10 * time.Millisecond
)

// Tries says how often, and after what pauses, a call is made again. The zero Tries suits what a
// statement waits for.
type Tries struct {
	Most int           // of a call that changed nothing; 0 is 7, which are half a second
	Unit time.Duration // of pauses: see Pause; 0 is 10 ms
	Also []Code        // made again after these, too, since the call may be made twice
}

// Again is Tries.Again of the zero Tries with Also.
func Again(ctx context.Context, call func() error, also ...Code) error {
	return Tries{Also: also}.Again(ctx, call)
}

// Again makes a call until it succeeds or fails for good. What did nothing is tried again
// (IsRetryable), and what failed with one of Also. Pauses grow from Unit, or from what a store that
// throttles asks for, to 64 times that, and differ by chance, so that those who met do not
// meet again. If ctx ends in a pause the error is the call's last.
func (p Tries) Again(ctx context.Context, call func() error) error {
	for try := 1; ; try++ {
		err := call()
		if err == nil || !IsRetryable(err) && !slices.Contains(p.Also, CodeOf(err)) {
			return err
		}
		tries, unit := cmp.Or(p.Most, maxTries), cmp.Or(p.Unit, againPause)
		var se *Error
		if errors.As(err, &se) && se.Code == CodeThrottled {
			tries, unit = max(tries, maxThrottled), max(unit, se.RetryAfter>>min(try-1, 6))
		}
		if try == tries || Pause(ctx, try-1, unit) != nil {
			return err
		}
	}
}

// Pause waits before a new try: unit before the first (0), longer each time up to 64
// units, of which it takes half to one and a half by chance. It gives ctx's error.
func Pause(ctx context.Context, try int, unit time.Duration) error {
	d := unit << min(try, 6)
	t := time.NewTimer(d/2 + rand.N(d))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
