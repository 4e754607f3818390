package versions

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// Joins counts the leases of this server that do not follow one another: between two of them
// others may have taken it for dead.
func (c *Keeper) Joins() int64 { return c.me.joins.Load() }

// Holds says that the lease of a join holds now. What a server has in the store by its lease is
// its own for so long: others count it as nobody's when that lease is over for them, which is
// later, or when they see another join.
func (c *Keeper) Holds(join int64) bool { return c.me.leased() && c.me.joins.Load() == join }

// OnLapse has fn called when this server finds that its lease is over, before it takes a new one:
// nothing that fn ends is done under the next lease. fn must not wait for the store.
func (c *Keeper) OnLapse(fn func()) { c.lose.Store(&fn) }

// lapsed ends what goes by a lease that is over. Its timer may not have run: a process that was
// stopped goes on anywhere. me.mu is held.
func (c *Keeper) lapsed() {
	c.endLease()
	if lose := c.lose.Load(); lose != nil {
		(*lose)()
	}
	c.me.joins.Add(1)
}

// Leased is ctx for writes that this server makes by the lease that holds now: they are refused
// (storage.CodeCanceled) once it is over.
func (c *Keeper) Leased(ctx context.Context) context.Context {
	c.me.liveMu.Lock()
	live := c.me.live
	c.me.liveMu.Unlock()
	return storage.WithFence(ctx, c.me.fence(live))
}

// LeaseOf is how long another server's row is a lease while it does not change.
func (c *Keeper) LeaseOf(s ServerJSON) time.Duration { return s.length(c.Options.Lease) }
