package versions

import "sync/atomic"

// Protection is one of the things that keep what servers of one store have acknowledged. Tests do
// without one at a time, to see that their schedules would miss it.
type Protection uint32

const (
	// TheEpoch has changes that were decided under a lost lease not be committed.
	TheEpoch Protection = 1 << iota
	// TheirLease has a server wait for another for as long as that one's lease is.
	TheirLease
)

var missing atomic.Uint32

// DoWithout switches a protection off until restore is called, for all catalogs of the process. It
// is for tests alone.
func DoWithout(p Protection) (restore func()) {
	was := missing.Load()
	missing.Store(was | uint32(p))
	return func() { missing.Store(was) }
}

// there says that nobody does without p.
func (p Protection) there() bool { return missing.Load()&uint32(p) == 0 }
