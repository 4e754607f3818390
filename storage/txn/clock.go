package txn

import (
	"hash/maphash"
	"sync/atomic"
	"time"
)

const (
	stepMicros = 1000    // cell timestamps are whole milliseconds
	stripes    = 1 << 15 // 256 KiB
)

// Clock gives cell timestamps. It never runs backwards, and no two writes of
// one row in this process get the same timestamp:
//
//	Next(row) = max(wall clock, last timestamp given to row + 1 ms)
//
// so that "the row's marker cell still has timestamp T" means that nobody
// wrote the row since T was read. What was last given is kept per hash of the
// row key, not per row: two rows that share a stripe only push each other
// ahead. A row written more often than a thousand times a second runs ahead of
// the wall clock by what exceeds that rate.
//
// Two processes can give one row the same millisecond. A compare-and-set
// is not fooled by another compare-and-set, whose timestamp is above what it read;
// it can be by a blind write of another process that falls into the very
// millisecond of the write that was read.
type Clock struct {
	now  func() time.Time
	seed maphash.Seed
	wall atomic.Int64
	last [stripes]atomic.Int64
}

// NewClock makes a clock over now; nil is time.Now.
func NewClock(now func() time.Time) *Clock {
	if now == nil {
		now = time.Now
	}
	return &Clock{now: now, seed: maphash.MakeSeed()}
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

// Next gives a timestamp for a write of the row, above every one given for it
// before and above seen, a timestamp read in the row (0 if none was).
func (c *Clock) Next(key []byte, seen int64) int64 {
	return c.next(c.stripe(key), seen)
}

func (c *Clock) next(s *atomic.Int64, seen int64) int64 {
	t := c.Now()
	if seen >= t {
		t = (seen/stepMicros + 1) * stepMicros
	}
	return from(s, t)
}

// From is Next for one of many rows, with the clock read once for all of them:
// now is an answer of Now.
func (c *Clock) From(key []byte, now int64) int64 { return from(c.stripe(key), now) }

func from(s *atomic.Int64, t int64) int64 {
	for {
		was := s.Load()
		if was >= t {
			t = was + stepMicros
		}
		if s.CompareAndSwap(was, t) {
			return t
		}
	}
}

// Latest says that no timestamp above ts was given for the row.
func (c *Clock) Latest(key []byte, ts int64) bool {
	return c.stripe(key).Load() <= ts
}

func (c *Clock) stripe(key []byte) *atomic.Int64 {
	return &c.last[maphash.Bytes(c.seed, key)%stripes]
}
