package session

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/saltsql/saltsql/exec"
	"github.com/saltsql/saltsql/internal/memory"
)

// TestIdleOperatorsExpire: what nobody takes for idleTime goes, each by its own age, and
// no timer is left when nothing is kept.
func TestIdleOperatorsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newIdle(memory.NewPool(0))
		give := func(n int64) { i.give(&operators{Statement: &exec.Statement{}}, n) }
		expect := func(when string, bytes int64, operators int) {
			t.Helper()
			synctest.Wait()
			if b, n := i.held(); b != bytes || n != operators {
				t.Errorf("%s: %d bytes of %d operators are kept, want %d of %d", when, b, n, bytes, operators)
			}
		}
		give(10)
		time.Sleep(idleTime / 2)
		give(20)
		time.Sleep(idleTime/2 - time.Millisecond)
		expect("before the first is old", 30, 2)
		time.Sleep(time.Millisecond)
		expect("when the first is old", 20, 1)
		time.Sleep(idleTime / 2)
		expect("when the second is old", 0, 0)
		if i.timer != nil {
			t.Error("a timer runs for nothing")
		}
		give(i.limit + 1)
		expect("more than the limit", 0, 0)
		give(i.limit)
		give(1)
		expect("past the limit the oldest goes", 1, 1)
		i.end()
		give(1)
		expect("after the end", 0, 0)
	})
}
