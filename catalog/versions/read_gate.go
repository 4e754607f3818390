package versions

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/catalog"
)

// readGate counts the statements that run by the version of the catalog they were planned
// under: what they read is not removed before they end. Every statement passes it twice, so
// that it is counted without a lock.
type readGate struct {
	newest atomic.Pointer[readers] // those asked for last
	mu     sync.Mutex
	open   []*readers // one of each version
}

// readers are the statements that read by one version. What is not open any more is less
// than 0 and counts none.
type readers struct {
	version uint64
	n       atomic.Int64
}

// noReaders is what readers have where they are not open.
const noReaders = math.MinInt64 / 2

// of gives the readers of a version, and closes those of others where there are none.
func (g *readGate) of(version uint64) *readers {
	if r := g.newest.Load(); r != nil && r.version == version {
		return r
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = slices.DeleteFunc(g.open, func(r *readers) bool {
		return r.version != version && r.n.CompareAndSwap(0, noReaders)
	})
	i := slices.IndexFunc(g.open, func(r *readers) bool { return r.version == version })
	if i < 0 {
		i = len(g.open)
		g.open = append(g.open, &readers{version: version})
	}
	g.newest.Store(g.open[i])
	return g.open[i]
}

// BeginRead notes that a statement reads by the catalog of now, and gives it. EndRead must
// follow, with its version.
func (c *Keeper) BeginRead() *catalog.Snapshot {
	for {
		s := c.Snapshot()
		r := c.reads.of(s.Version())
		// Who has looked for readers before this one was counted took s for the newest, or one before it.
		if r.n.Add(1) > 0 && c.Snapshot() == s {
			return s
		}
		r.n.Add(-1)
	}
}

// EndRead ends what BeginRead began.
func (c *Keeper) EndRead(version uint64) { c.reads.of(version).n.Add(-1) }

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
	for _, r := range g.open {
		if r.n.Load() > 0 {
			oldest = min(oldest, r.version)
		}
	}
	return oldest
}

// OldestRead gives the oldest version that a statement of any server reads by, once all have seen
// version: what was taken out of the catalog by then, and is not of that version or a later one,
// nobody reads. One that died is forgotten when its lease has run out.
func (h *Held) OldestRead(ctx context.Context, version uint64) (uint64, error) {
	c := h.Keeper
	if err := c.AwaitServers(ctx, h, version); err != nil {
		return 0, err
	}
	oldest := uint64(math.MaxUint64)
	list, err := c.coord.others(ctx)
	if err != nil {
		return 0, catalog.FromStorage(err, "looking at the other servers")
	}
	for _, s := range list {
		oldest = min(oldest, s.Reads)
	}
	return min(oldest, c.oldestReadHere()), nil
}
