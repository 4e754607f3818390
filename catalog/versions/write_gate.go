package versions

import (
	"context"
	"sync"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/storage"
)

// writeGate counts the writes under way by the version of the catalog they
// began under.
type writeGate struct {
	mu      sync.Mutex
	open    map[uint64]int
	entered int64

	// On a store that one process has to itself: write_hold.go.
	now   *writers   // those who enter now
	older []*writers // those of before that may not have ended
	held  *writeHold // nil: none
}

// Drained says that no write under a version below v is under way. Whoever
// enters later has the present snapshot.
func (g *writeGate) Drained(v uint64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for w := range g.open {
		if w < v {
			return false
		}
	}
	return true
}

// Entered counts the writes that have begun.
func (g *writeGate) Entered() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.entered
}

// Enter begins a write of rows that were encoded by tables, which must still be
// what the table's rows look like: 40001 where an ALTER TABLE has changed
// that. While one is under way Enter waits. The write must use the context that
// comes back, which ends with this server's lease and has it for its fence, and
// call leave when it has its answer.
//
// One storage call is a write; a statement enters for each, and a transaction for
// its commit. On a store that one process has to itself there are no leases, and an
// ALTER TABLE keeps writes waiting only while it tests the rows.
func (c *Keeper) Enter(ctx context.Context, tables ...*catalog.Table) (_ context.Context, leave func(), err error) {
	if err := c.mayChange(); err != nil {
		return nil, nil, err
	}
	return c.coord.enter(ctx, tables)
}

func (c shared) enter(ctx context.Context, tables []*catalog.Table) (_ context.Context, leave func(), err error) {
	for {
		if err := c.live(ctx); err != nil {
			return nil, nil, err
		}
		in, leave, frozen, err := c.enterShared(ctx, tables)
		if err != nil || !frozen {
			return in, leave, err
		}
		if err := c.awaitThaw(ctx); err != nil {
			return nil, nil, err
		}
	}
}

// enterShared is Enter at this moment, of a server whose lease held.
func (c *Keeper) enterShared(ctx context.Context, tables []*catalog.Table) (_ context.Context, leave func(), frozen bool, err error) {
	c.Gate.mu.Lock()
	s := c.Snapshot()
	if frozen, err = s.MayWrite(tables); frozen || err != nil {
		c.Gate.mu.Unlock()
		return nil, nil, frozen, err
	}
	if c.Gate.open == nil {
		c.Gate.open = map[uint64]int{}
	}
	c.Gate.open[s.Version()]++
	c.Gate.entered++
	c.Gate.mu.Unlock()
	c.me.liveMu.Lock()
	live := c.me.live
	c.me.liveMu.Unlock()
	ctx, cancel := context.WithCancel(storage.WithFence(ctx, c.me.fence(live)))
	stop := context.AfterFunc(live, cancel)
	return ctx, func() {
		stop()
		cancel()
		c.Gate.leave(s.Version())
	}, false, nil
}

// TryEnter is Enter of who does not wait, and can do without the write: ok is false where
// Enter would wait or fail.
func (c *Keeper) TryEnter(ctx context.Context, t *catalog.Table) (_ context.Context, leave func(), ok bool) {
	return c.coord.tryEnter(ctx, []*catalog.Table{t})
}

func (c shared) tryEnter(ctx context.Context, tables []*catalog.Table) (_ context.Context, leave func(), ok bool) {
	if !c.me.leased() {
		return nil, nil, false
	}
	in, leave, frozen, err := c.enterShared(ctx, tables)
	return in, leave, err == nil && !frozen
}

func (g *writeGate) leave(v uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open[v]--; g.open[v] == 0 {
		delete(g.open, v)
	}
}

// Writable waits until no table of a statement that writes is frozen, so that
// the statement is planned for what the table becomes.
func (c *Keeper) Writable(ctx context.Context, tables []*catalog.Table) error {
	return c.coord.writable(ctx, tables)
}

func (c shared) writable(ctx context.Context, tables []*catalog.Table) error {
	for {
		frozen, err := c.Snapshot().MayWrite(tables)
		if err != nil || !frozen {
			return nil // an error is the statement's to find
		}
		if err := c.awaitThaw(ctx); err != nil {
			return err
		}
	}
}

// ThawPause is how often a frozen table is looked at.
const ThawPause = 20 * time.Millisecond

func (c *Keeper) awaitThaw(ctx context.Context) error {
	if err := Sleep(ctx, ThawPause); err != nil {
		return catalog.FromStorage(err, "waiting for an ALTER TABLE")
	}
	_, err := c.RefreshSince(ctx, time.Now().Add(-ThawPause)) // one of those who wait looks for all
	return err
}
