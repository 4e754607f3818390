package versions

import (
	"context"
	"math"
	"sync"

	"github.com/saltsql/saltsql/catalog"
)

// readGate counts the statements that run by the version of the catalog they were planned
// under: what they read is not removed before they end.
type readGate struct {
	mu   sync.Mutex
	open map[uint64]int
}

// BeginRead notes that a statement reads by the catalog of now, and gives it. EndRead must
// follow, with its version.
func (c *Keeper) BeginRead() *catalog.Snapshot {
	g := &c.reads
	g.mu.Lock()
	defer g.mu.Unlock()
	s := c.Snapshot()
	if g.open == nil {
		g.open = map[uint64]int{}
	}
	g.open[s.Version()]++
	return s
}

// EndRead ends what BeginRead began.
func (c *Keeper) EndRead(version uint64) {
	g := &c.reads
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open[version]--; g.open[version] == 0 {
		delete(g.open, version)
	}
}

// oldestReadHere is the oldest version that a statement of this server reads by, or will.
func (c *Keeper) oldestReadHere() uint64 {
	g := &c.reads
	g.mu.Lock()
	defer g.mu.Unlock()
	s := c.Snapshot()
	if s == nil { // the server joins
		return 0
	}
	oldest := s.Version()
	for v := range g.open {
		oldest = min(oldest, v)
	}
	return oldest
}

// OldestRead is oldestReadHere of all servers. One that died counts until its lease has run
// out and somebody has removed its row.
func (c *Keeper) OldestRead(ctx context.Context) (uint64, error) {
	oldest := uint64(math.MaxUint64)
	if c.Shared() {
		list, err := c.Servers(ctx)
		if err != nil {
			return 0, catalog.FromStorage(err, "looking at the other servers")
		}
		for _, s := range list {
			oldest = min(oldest, s.Reads)
		}
	}
	return min(oldest, c.oldestReadHere()), nil
}
