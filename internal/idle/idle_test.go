package idle

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/saltsql/saltsql/internal/memory"
)

// TestExpiry: what nobody takes for keptFor goes, each by its own age, and
// no timer is left when nothing is kept.
func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := New[int, int](memory.NewPool(0))
		give := func(n int64) { i.Give(1, 1, n) }
		expect := func(when string, bytes int64, things int) {
			t.Helper()
			synctest.Wait()
			if b, n := i.Held(); b != bytes || n != things {
				t.Errorf("%s: %d bytes of %d things are kept, want %d of %d", when, b, n, bytes, things)
			}
		}
		give(10)
		time.Sleep(keptFor / 2)
		give(20)
		time.Sleep(keptFor/2 - time.Millisecond)
		expect("before the first is old", 30, 2)
		time.Sleep(time.Millisecond)
		expect("when the first is old", 20, 1)
		time.Sleep(keptFor / 2)
		expect("when the second is old", 0, 0)
		if i.timer != nil {
			t.Error("a timer runs for nothing")
		}
		give(i.limit + 1)
		expect("more than the limit", 0, 0)
		give(i.limit)
		give(1)
		expect("past the limit the oldest goes", 1, 1)
		i.End()
		give(1)
		expect("after the end", 0, 0)
	})
}
