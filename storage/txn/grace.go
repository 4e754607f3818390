package txn

import (
	"sync/atomic"
	"time"
)

// DefaultGrace is Manager.Grace where nothing else is said.
const DefaultGrace = 10 * time.Minute

var testGrace atomic.Int64 // of new managers, ns; 0 is DefaultGrace

// TestGrace has managers that are made from now on take another Grace, until restore is called: who
// kills servers cannot wait for ten minutes. It is for tests alone.
func TestGrace(d time.Duration) (restore func()) {
	was := testGrace.Swap(int64(d))
	return func() { testGrace.Store(was) }
}
