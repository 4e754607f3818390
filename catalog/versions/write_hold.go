package versions

import (
	"context"
	"sync"
	"time"

	"github.com/saltsql/saltsql/catalog"
)

// On a store that one process has to itself an ALTER TABLE that tightens what rows
// may be holds the table's writes here, in memory, while it tests the rows:
//
//	draining  those under way end; new ones wait, but commits enter
//	closed    the commits that entered end; everybody waits
//
// A write may be under way because it waits for a row's lock, and who has the lock
// lets go of it by committing: commits, which wait for no lock, must pass till then.
type writeHold struct {
	table  uint32
	late   *writers      // the commits let in
	closed bool          // no more of them
	over   chan struct{} // closed when the hold ends
}

// writers are the writes that entered between two holds.
type writers struct {
	n       int
	retired bool          // nobody enters any more
	idle    chan struct{} // closed when retired and n is 0
	leave   func()
}

func newWriters(mu *sync.Mutex) *writers {
	w := &writers{idle: make(chan struct{})}
	w.leave = func() {
		mu.Lock()
		if w.n--; w.retired && w.n == 0 {
			close(w.idle)
		}
		mu.Unlock()
	}
	return w
}

// retire lets nobody in any more; mu is held.
func (w *writers) retire() {
	if w.retired = true; w.n == 0 {
		close(w.idle)
	}
}

// Committing says in a context for Enter that the write is a commit: it has its
// locks and waits for none.
func Committing(ctx context.Context) context.Context {
	return context.WithValue(ctx, committing{}, true)
}

type committing struct{}

// Hold keeps writes of a table out until release is called, and waits until those
// under way have ended. The caller has the DDL lease: there is one hold at a time.
func (g *writeGate) Hold(ctx context.Context, id uint32) (release func(), err error) {
	h := &writeHold{table: id, late: newWriters(&g.mu), over: make(chan struct{})}
	g.mu.Lock()
	g.held = h
	if g.now != nil {
		g.now.retire()
		g.older = append(g.older, g.now)
		g.now = nil
	}
	older := g.older
	g.mu.Unlock()
	release = func() {
		g.mu.Lock()
		g.held = nil
		if !h.closed {
			h.late.retire()
			g.older = append(g.older, h.late)
		}
		g.mu.Unlock()
		close(h.over)
	}
	for _, w := range older {
		if err := w.await(ctx); err != nil {
			release()
			return nil, err
		}
	}
	g.mu.Lock()
	h.closed = true
	h.late.retire()
	g.older = append(g.older[:0], h.late)
	g.mu.Unlock()
	if err := h.late.await(ctx); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

func (w *writers) await(ctx context.Context) error {
	select {
	case <-w.idle:
		return nil
	case <-ctx.Done():
		return catalog.FromStorage(context.Cause(ctx), "waiting for the writes under way")
	}
}

// among gives the writers that a write of tables enters among, or what it has to wait
// for; mu is held.
func (g *writeGate) among(ctx context.Context, tables []*catalog.Table) (*writers, <-chan struct{}) {
	if h := g.held; h != nil && h.concerns(tables) {
		if h.closed || ctx.Value(committing{}) == nil {
			return nil, h.over
		}
		return h.late, nil
	}
	if g.now == nil {
		g.now = newWriters(&g.mu)
	}
	return g.now, nil
}

func (h *writeHold) concerns(tables []*catalog.Table) bool {
	for _, t := range tables {
		if t.ID == h.table {
			return true
		}
	}
	return false
}

// enterHere is Enter on a store that one process has to itself.
func (c *Keeper) enterHere(ctx context.Context, tables []*catalog.Table) (leave func(), err error) {
	for {
		leave, over, err := c.tryHere(ctx, tables)
		if leave != nil || err != nil {
			return leave, err
		}
		if err := awaitRelease(ctx, over); err != nil {
			return nil, err
		}
	}
}

// tryHere enters, or gives what a write of tables has to wait for.
func (c *Keeper) tryHere(ctx context.Context, tables []*catalog.Table) (leave func(), over <-chan struct{}, err error) {
	g := &c.Gate
	g.mu.Lock()
	defer g.mu.Unlock()
	w, over := g.among(ctx, tables)
	if w == nil {
		return nil, over, nil
	}
	frozen, err := c.Snapshot().MayWrite(tables)
	if err != nil {
		return nil, nil, err
	}
	if frozen { // by what was broken off, and LookAround's is to end
		later := make(chan struct{})
		time.AfterFunc(ThawPause, func() { close(later) })
		return nil, later, nil
	}
	w.n++
	g.entered++
	return w.leave, nil, nil
}

// writableHere is Writable on a store that one process has to itself.
func (c *Keeper) writableHere(ctx context.Context, tables []*catalog.Table) error {
	c.Gate.mu.Lock()
	h := c.Gate.held
	c.Gate.mu.Unlock()
	if h == nil || !h.concerns(tables) {
		return nil
	}
	return awaitRelease(ctx, h.over)
}

func awaitRelease(ctx context.Context, over <-chan struct{}) error {
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return catalog.FromStorage(context.Cause(ctx), "waiting for an ALTER TABLE")
	}
}
