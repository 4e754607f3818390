package session

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// rowIDs gives the hidden keys of rows, unique over all servers of a store without a
// round trip:
//
//	63                                  12     8          0
//	| µs since 2020, this server's clock | slot | process |
//
// No two live servers share a slot unless there are more of them than slots; process is
// drawn when the server starts, so that one which takes over a slot while its clock is
// behind gives other values. An INSERT looks whether its key is free in any case.
type rowIDs struct {
	now     func() time.Time
	process int64
	slot    atomic.Int64
	mu      sync.Mutex
	next    int64 // µs that were not given yet
}

const (
	rowIDSlotBits    = 4
	rowIDProcessBits = 8
	rowIDStep        = 1 << (rowIDSlotBits + rowIDProcessBits)
	// rowIDAhead is how far keys run ahead of the clock, in µs: one a µs is the rate.
	rowIDAhead = 10_000
)

var rowIDEpoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

func newRowIDs(now func() time.Time) *rowIDs {
	if now == nil {
		now = time.Now
	}
	return &rowIDs{now: now, process: rand.Int64N(1 << rowIDProcessBits)}
}

func (r *rowIDs) setSlot(slot int) { r.slot.Store(int64(slot)) }

// take gives n keys: first, first+step, …
func (r *rowIDs) take(n int) (first, step int64) {
	r.mu.Lock()
	clock := max(r.now().Sub(rowIDEpoch).Microseconds(), 0)
	at := max(r.next, clock)
	r.next = at + int64(n)
	r.mu.Unlock()
	if ahead := at - clock - rowIDAhead; ahead > 0 && ahead < time.Second.Microseconds() {
		time.Sleep(time.Duration(ahead) * time.Microsecond) // one that was set back is not waited for
	}
	return at*rowIDStep | r.slot.Load()<<rowIDProcessBits | r.process, rowIDStep
}
