package versions

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/catalog"
)

// coord is how those who have a store open agree on which version of the catalog each goes by.
// Nobody else asks whether there may be others.
//
//	alone    one process has the store: what it commits all of it sees at once, and writes that
//	         have to wait do so in memory (write_hold.go)
//	shared   servers have leases (member.go), look for changes, and wait for each other
type coord interface {
	join(ctx context.Context) error // before the catalog is read
	start(ctx context.Context)      // once it is in order
	leave()
	// live makes sure that what is known of the catalog is not older than the others think.
	live(ctx context.Context) error
	enter(ctx context.Context, tables []*catalog.Table) (_ context.Context, leave func(), err error)
	tryEnter(ctx context.Context, tables []*catalog.Table) (_ context.Context, leave func(), ok bool)
	writable(ctx context.Context, tables []*catalog.Table) error
	still(ctx context.Context, h *Held, table uint32) (*Still, error)
	// await waits until all others have seen a version.
	await(ctx context.Context, h *Held, version uint64) error
	others(ctx context.Context) ([]ServerJSON, error)
	// tellConnections tells the others how many this server has of each role that is limited.
	tellConnections(ctx context.Context) (map[uint32]int, error)
	raise(ctx context.Context, h *Held) error
	// times takes the lease and the refresh from the root, and says them to one that has none.
	takeTimes(r catalog.Root)
	sayTimes(ctx context.Context) error
	// times are the lease and the refresh that this server goes by; ok is false where it is alone.
	times() (lease, refresh time.Duration, ok bool)
}

func newCoord(c *Keeper) coord {
	if c.as == Member || c.as == Observer && !c.Store.Caps().Exclusive {
		return shared{c}
	}
	return alone{c}
}

// Shared says that other servers may have the store open too.
func (c *Keeper) Shared() bool {
	_, is := c.coord.(shared)
	return is
}

// AtOnce says that every write sees a change of the catalog as soon as it is made.
func (c *Keeper) AtOnce() bool { return !c.Shared() }

// alone is the coord of one process that has the store to itself.
type alone struct{ *Keeper }

func (alone) join(context.Context) error                   { return nil }
func (alone) start(context.Context)                        {}
func (alone) leave()                                       {}
func (alone) live(context.Context) error                   { return nil }
func (alone) await(context.Context, *Held, uint64) error   { return nil }
func (alone) others(context.Context) ([]ServerJSON, error) { return nil, nil }
func (alone) raise(context.Context, *Held) error           { return nil }
func (alone) takeTimes(catalog.Root)                       {}
func (alone) times() (_, _ time.Duration, ok bool)         { return 0, 0, false }
func (alone) sayTimes(context.Context) error               { return nil }
func (c alone) writable(ctx context.Context, ts []*catalog.Table) error {
	return c.writableHere(ctx, ts)
}

func (c alone) enter(ctx context.Context, tables []*catalog.Table) (context.Context, func(), error) {
	leave, err := c.enterHere(ctx, tables)
	return ctx, leave, err
}

func (c alone) tryEnter(ctx context.Context, tables []*catalog.Table) (context.Context, func(), bool) {
	leave, _, err := c.tryHere(ctx, tables)
	return ctx, leave, leave != nil && err == nil
}

func (c alone) still(ctx context.Context, h *Held, table uint32) (*Still, error) {
	release, err := c.HoldSoon(ctx, table)
	return &Still{h: h, table: table, release: release}, err
}

// shared is the coord of servers that have one store open.
type shared struct{ *Keeper }

func (c shared) start(ctx context.Context) {
	if err := c.compareClocks(ctx); err != nil {
		c.Options.Logger.Warn("catalog: the clocks of other servers could not be read", "err", err)
	}
	c.Background(c.poll)
}

func (c shared) others(ctx context.Context) ([]ServerJSON, error) { return c.Servers(ctx) }
