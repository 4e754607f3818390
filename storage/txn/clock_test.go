package txn

import (
	"fmt"
	"testing"
	"time"
)

// simulated runs a clock by hand: who has to wait moves it on.
type simulated struct{ at time.Time }

func (s *simulated) now() time.Time { return s.at }

// A row written all the time runs ahead of the wall clock by MaxAhead at most, whatever
// share of the milliseconds the server has, and its writes are as many as those are.
func TestClockIsBounded(t *testing.T) {
	for _, slots := range []int{1, 16} {
		sim := &simulated{time.Unix(1e9, 0)}
		c := NewClock(sim.now)
		c.SetSlot(slots/2, slots)
		key := []byte("hot")
		start, seen := sim.at, int64(0)
		const writes = 40_000
		var furthest time.Duration
		for range writes {
			ts := c.Next(key, seen)
			if ts <= seen {
				t.Fatal("not above what was read")
			}
			sim.at = sim.at.Add(10*time.Microsecond + c.Wait(key, ts))
			furthest = max(furthest, time.UnixMicro(ts).Sub(sim.at))
			seen = ts
		}
		if furthest > c.MaxAhead {
			t.Errorf("%d slots: %v ahead, more than %v", slots, furthest, c.MaxAhead)
		}
		least := time.Duration(writes*slots)*time.Millisecond - c.MaxAhead
		if took := sim.at.Sub(start); took > least+time.Second || c.Waits() == 0 {
			t.Errorf("%d slots: %d writes took %v, with %d waits; want about %v", slots, writes, took, c.Waits(), least)
		}
	}
}

// Rows that another clock, or this one before it was set back, has put far ahead are written
// without a wait.
func TestClockAfterAFault(t *testing.T) {
	sim := &simulated{time.Unix(1e9, 0)}
	c := NewClock(sim.now)
	key := []byte("hot")
	seen := sim.at.Add(time.Hour).UnixMicro()
	for range 5000 {
		ts := c.Next(key, seen)
		if ts <= seen {
			t.Fatal("not above what was read")
		}
		if w := c.Wait(key, ts); w > 0 {
			t.Fatalf("a wait of %v for a clock at fault", w)
		}
		seen = ts
	}
}

// A load of many rows at once does not wait: what rows of one stripe push each other is little.
func TestClockLoad(t *testing.T) {
	sim := &simulated{time.Unix(1e9, 0)}
	c := NewClock(sim.now)
	c.SetSlot(3, 16)
	for i := range 2_000_000 {
		if i%1000 == 0 {
			sim.at = sim.at.Add(time.Millisecond) // a million rows a second
		}
		key := fmt.Appendf(nil, "row %d", i)
		if ts := c.From(key, c.Now()); c.Wait(key, ts) > 0 {
			t.Fatalf("row %d waits", i)
		}
	}
}
