package bigtable

import (
	"context"
	"sync"
	"time"
)

// Bounds of the writes that all calls of a store have out together.
const (
	flowStart = 32       // requests, before the service has said anything
	flowMax   = 512      // requests
	flowBytes = 64 << 20 // of requests; a larger one goes alone
)

// flow bounds what is out at the service, since it throttles who sends more
// than the instance's nodes can take, and the client library bounds nothing.
//
//	answered          limit += 1/limit       one more per round of answers
//	throttled         limit /= 2             once per round, never below 1
//	RetryInfo         nothing is sent before its delay is over
//	RateLimitInfo     limit *= factor        once per its period
type flow struct {
	mu      sync.Mutex
	limit   float64
	out     int
	bytes   int64
	round   int       // grows with each cut: who was sent before it cuts no more
	hold    time.Time // nothing is sent before
	adjust  time.Time // when RateLimitInfo counts again
	waiting []chan struct{}
}

func newFlow() *flow { return &flow{limit: flowStart} }

// ticket is one request that is out.
type ticket struct {
	bytes int64
	round int
}

// acquire waits until a request of so many bytes may be sent. release must
// follow.
func (f *flow) acquire(ctx context.Context, bytes int64) (ticket, error) {
	for {
		f.mu.Lock()
		held := time.Until(f.hold)
		if held <= 0 && f.fits(bytes) {
			f.out++
			f.bytes += bytes
			t := ticket{bytes, f.round}
			f.mu.Unlock()
			return t, nil
		}
		turn := make(chan struct{})
		f.waiting = append(f.waiting, turn)
		f.mu.Unlock()
		if err := await(ctx, turn, held); err != nil {
			f.leave(turn)
			return ticket{}, err
		}
		f.leave(turn)
	}
}

// await waits for a turn, or for d where it is above 0.
func await(ctx context.Context, turn <-chan struct{}, d time.Duration) error {
	var over <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-turn:
	case <-over:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// leave takes a turn out of the queue; one that was given and is not used goes
// to the next.
func (f *flow) leave(turn chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, w := range f.waiting {
		if w == turn {
			f.waiting = append(f.waiting[:i], f.waiting[i+1:]...)
			return
		}
	}
	f.wake()
}

func (f *flow) fits(bytes int64) bool {
	return f.out == 0 || float64(f.out) < f.limit && f.bytes+bytes <= flowBytes
}

// wake lets the first in the queue look again if anything may be sent.
func (f *flow) wake() {
	if len(f.waiting) > 0 && (f.out == 0 || float64(f.out) < f.limit) {
		close(f.waiting[0])
		f.waiting = f.waiting[1:]
	}
}

// release ends a request. throttled says that the service refused it, or a
// part, for its rate; pause is what its RetryInfo asks for.
func (f *flow) release(t ticket, throttled bool, pause time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.out--
	f.bytes -= t.bytes
	switch {
	case !throttled:
		f.limit = min(f.limit+1/f.limit, flowMax)
	case t.round == f.round:
		f.limit = max(f.limit/2, 1)
		f.round++
	}
	if until := time.Now().Add(pause); pause > 0 && until.After(f.hold) {
		f.hold = until
	}
	f.wake()
	f.wake() // the limit may have grown by one
}

// scale follows what the service says of its load.
func (f *flow) scale(factor float64, period time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if factor <= 0 || now.Before(f.adjust) {
		return
	}
	f.adjust = now.Add(period)
	f.limit = min(max(f.limit*min(max(factor, 0.7), 1.3), 1), flowMax)
}
