package bigtable

import (
	"container/list"
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
// than the instance's nodes can take.
//
//	answered          limit += 1/limit       one more per round of answers
//	throttled         limit /= 2             once per round, never below 1
//	RetryInfo         nothing is sent before its delay is over
//	RateLimitInfo     limit *= factor        once per its period
type flow struct {
	mu     sync.Mutex
	limit  float64
	out    int
	bytes  int64
	round  int       // grows with each cut: who was sent before it cuts no more
	hold   time.Time // nothing is sent before
	adjust time.Time // when RateLimitInfo counts again
	queue  list.List // of *waiter: who came first goes first, however large
	timer  *time.Timer
	looks  int // at the queue's first, for tests
}

// waiter is one request in the queue.
type waiter struct {
	bytes int64
	round int
	turn  chan struct{} // closed when it is out
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
	w := &waiter{bytes: bytes, turn: make(chan struct{})}
	f.mu.Lock()
	place := f.queue.PushBack(w)
	f.admit()
	f.mu.Unlock()
	select {
	case <-w.turn:
		return ticket{bytes, w.round}, nil
	default:
	}
	select {
	case <-w.turn:
		return ticket{bytes, w.round}, nil
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-w.turn: // at the same time
		f.out--
		f.bytes -= bytes
	default:
		f.queue.Remove(place)
	}
	f.admit()
	return ticket{}, ctx.Err()
}

// admit lets out those at the queue's head that fit. Whatever may make one fit
// calls it: who waits never looks by himself.
func (f *flow) admit() {
	for e := f.queue.Front(); e != nil; e = f.queue.Front() {
		f.looks++
		w := e.Value.(*waiter)
		if held := time.Until(f.hold); held > 0 {
			f.wakeIn(held)
			return
		}
		if !f.fits(w.bytes) {
			return
		}
		f.queue.Remove(e)
		f.out++
		f.bytes += w.bytes
		w.round = f.round
		close(w.turn)
	}
}

// wakeIn has the queue looked at again when nothing is held any more.
func (f *flow) wakeIn(d time.Duration) {
	if f.timer != nil {
		f.timer.Reset(d)
		return
	}
	f.timer = time.AfterFunc(d, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.admit()
	})
}

func (f *flow) fits(bytes int64) bool {
	return f.out == 0 || float64(f.out) < f.limit && f.bytes+bytes <= flowBytes
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
	f.admit()
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
	f.admit()
}
