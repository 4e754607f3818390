package txn

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"
)

const (
	stepMicros = 1000    // cell timestamps are whole milliseconds
	stripes    = 1 << 15 // 256 KiB
)

// Clock gives cell timestamps. It never runs backwards, and no two writes of
// one row get the same timestamp:
//
//	Next(row) = max(wall clock, last timestamp given to row + 1 ms),
//	            up to the next millisecond that is this server's
//
// so that "the row's marker cell still has timestamp T" means that nobody
// wrote the row since T was read. What was last given is kept per hash of the
// row key, not per row: two rows that share a stripe only push each other
// ahead.
//
// Servers that share a store share the milliseconds (SetSlot): of n slots,
// slot s has those that leave s when divided by n.
//
//	n = 4, s = 1    0 [1] 2 3 4 [5] 6 7 8 [9] …
//
// A row written through one server more often than once in n ms runs ahead of
// the wall clock by what exceeds that: see Wait.
//
// That two servers' timestamps differ does not say which write was first: their
// clocks may. A compare-and-set is above what it read; a write that has read
// nothing says that it is the latest (storage.Mutation.Latest), so that it
// counts when it arrives.
type Clock struct {
	now  func() time.Time
	seed maphash.Seed
	wall atomic.Int64
	slot atomic.Int64 // slot<<32 | n; 0 is all milliseconds
	last [stripes]atomic.Int64

	// MaxAhead bounds how far rows run ahead; it is set before the first use.
	MaxAhead time.Duration
	faults   sync.Map // stripe -> timestamp that a clock at fault has given
	waits    atomic.Int64
}

// maxAhead is how far a row's timestamps run ahead of the wall clock before its
// writes wait: as much later may its TTL end.
const maxAhead = 10 * time.Second

// NewClock makes a clock over now; nil is time.Now.
func NewClock(now func() time.Time) *Clock {
	if now == nil {
		now = time.Now
	}
	return &Clock{now: now, seed: maphash.MakeSeed(), MaxAhead: maxAhead}
}

// Now is the time in µs, a whole millisecond, never below an earlier answer.
func (c *Clock) Now() int64 {
	t := c.now().UnixMilli() * stepMicros
	for {
		was := c.wall.Load()
		if was >= t {
			return was
		}
		if c.wall.CompareAndSwap(was, t) {
			return t
		}
	}
}

// SetSlot has the clock give only milliseconds that leave slot when divided by
// n; n 1 is all of them. It may be called at any time.
func (c *Clock) SetSlot(slot, n int) {
	if n < 1 || slot < 0 || slot >= n {
		panic("txn: a slot that is not one of its number")
	}
	c.slot.Store(int64(slot)<<32 | int64(n))
}

// ours gives the first timestamp from t on that is this server's; t is a whole
// millisecond.
func (c *Clock) ours(t int64) int64 {
	v := c.slot.Load()
	slot, n := v>>32, v&(1<<32-1)
	if n <= 1 {
		return t
	}
	d := slot - t/stepMicros%n
	if d < 0 {
		d += n
	}
	return t + d*stepMicros
}

// Next gives a timestamp for a write of the row, above every one given for it
// before and above seen, a timestamp read in the row (0 if none was).
func (c *Clock) Next(key []byte, seen int64) int64 {
	s := c.stripe(key)
	t := c.Now()
	if seen-t > 2*c.MaxAhead.Microseconds() && seen > s.Load() {
		c.faults.Store(s, seen)
	}
	if seen >= t {
		t = (seen/stepMicros + 1) * stepMicros
	}
	return c.from(s, t)
}

// From is Next for one of many rows, with the clock read once for all of them:
// now is an answer of Now.
func (c *Clock) From(key []byte, now int64) int64 { return c.from(c.stripe(key), now) }

func (c *Clock) from(s *atomic.Int64, t int64) int64 {
	for {
		was := s.Load()
		if was >= t {
			t = was + stepMicros
		}
		t = c.ours(t)
		if s.CompareAndSwap(was, t) {
			return t
		}
	}
}

// Wait is how long a write of ts, which the clock has given for the row, has to wait so
// that the row does not run further ahead than MaxAhead: who writes one row, or rows
// of one stripe, without a pause comes to 1000/n writes a second. A row that is twice as
// far ahead by another server's clock, or by this one's before it was set back, is not waited
// for: from there it may run as far again.
func (c *Clock) Wait(key []byte, ts int64) time.Duration {
	ahead := ts - c.Now() - c.MaxAhead.Microseconds()
	if ahead <= 0 {
		return 0
	}
	if v, ok := c.faults.Load(c.stripe(key)); ok {
		ahead = min(ahead, ts-v.(int64)-c.MaxAhead.Microseconds())
	}
	if ahead <= 0 {
		return 0
	}
	c.waits.Add(1)
	return time.Duration(ahead) * time.Microsecond
}

// Waits is how many writes had to wait.
func (c *Clock) Waits() int64 { return c.waits.Load() }

// Latest says that no timestamp above ts was given for the row.
func (c *Clock) Latest(key []byte, ts int64) bool {
	return c.stripe(key).Load() <= ts
}

func (c *Clock) stripe(key []byte) *atomic.Int64 {
	return &c.last[maphash.Bytes(c.seed, key)%stripes]
}
