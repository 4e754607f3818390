package rowid

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Source gives the hidden keys of rows, unique over all servers of a store without a
// round trip:
//
//	63                                  12     8          0
//	| µs since 2020, this server's clock | slot | process |
//
// No two live servers share a slot unless there are more of them than slots; process is
// drawn when the server starts, so that one which takes over a slot while its clock is
// behind gives other values. An INSERT looks whether its key is free in any case.
type Source struct {
	now     func() time.Time
	process int64
	slot    atomic.Int64
	mu      sync.Mutex
	next    int64 // µs that were not given yet
}

const (
	slotBits    = 4
	processBits = 8
	idStep      = 1 << (slotBits + processBits)
	// maxAhead is how far keys run ahead of the clock, in µs: one a µs is the rate.
	maxAhead = 10_000
)

var epoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// New makes a source by a clock; nil is time.Now.
func New(now func() time.Time) *Source {
	if now == nil {
		now = time.Now
	}
	return &Source{now: now, process: rand.Int64N(1 << processBits)}
}

// SetSlot says which of its slots the store has given this server.
func (r *Source) SetSlot(slot int) { r.slot.Store(int64(slot)) }

// Take gives n keys: first, first+step, …
func (r *Source) Take(n int) (first, step int64) {
	r.mu.Lock()
	clock := max(r.now().Sub(epoch).Microseconds(), 0)
	at := max(r.next, clock)
	r.next = at + int64(n)
	r.mu.Unlock()
	if ahead := at - clock - maxAhead; ahead > 0 && ahead < time.Second.Microseconds() {
		time.Sleep(time.Duration(ahead) * time.Microsecond) // one that was set back is not waited for
	}
	return at*idStep | r.slot.Load()<<processBits | r.process, idStep
}
