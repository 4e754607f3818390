package txn

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestMarksEnded: marks are of writes that have ended from before the oldest write that is under way,
// or that may land although it has ended.
func TestMarksEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const late = time.Minute
		clock, o, start := NewClock(nil), new(openMarks), time.Now()
		is := func(want time.Duration) {
			t.Helper()
			if got := time.UnixMicro(o.oldest(clock)).Sub(start); got != want {
				t.Errorf("after %v all have ended from before %v, not %v", time.Since(start), got, want)
			}
		}
		var a, b, c StagedWrite
		is(0)
		time.Sleep(time.Second)
		o.begin(&a, clock)
		time.Sleep(time.Second)
		o.begin(&b, clock)
		is(time.Second)
		o.end(&a, false, late)
		is(2 * time.Second)
		o.end(&b, true, late)
		time.Sleep(time.Second)
		is(2 * time.Second)
		o.begin(&c, clock)
		time.Sleep(late / 2)
		o.end(&c, true, late)
		time.Sleep(late/2 - 2*time.Second)
		is(2 * time.Second)
		time.Sleep(time.Second)
		is(3 * time.Second)
		time.Sleep(late)
		is(2*late + 2*time.Second)
	})
}

// TestDoubtsAreFew: writes whose outcomes are not known do not add up.
func TestDoubtsAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const late = time.Minute
		clock, o := NewClock(nil), new(openMarks)
		for range 10_000 {
			var w StagedWrite
			o.begin(&w, clock)
			o.end(&w, true, late)
			time.Sleep(late / 1000)
			o.oldest(clock)
		}
		if n := len(o.doubts); n > doubtsAtOnce+1 {
			t.Errorf("%d doubts", n)
		}
	})
}
