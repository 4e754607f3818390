package versions

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/catalog"
)

// How long a lease is, and how often servers look for changes, are the store's: the root has
// them. The first server says them, and SetTimes changes them. A server goes by those that it
// finds when it opens the catalog. Its row says how long its lease is, so that servers that have
// opened it before and after a change do not take each other for dead too early.

// takeTimes has the times be those of the store, and says so where others were asked for.
func (c shared) takeTimes(r catalog.Root) {
	if !TheirLease.there() {
		return
	}
	take := func(what string, asked *time.Duration, ms int64) {
		stores := time.Duration(ms) * time.Millisecond
		if ms > 0 && stores != *asked {
			c.Options.Logger.Info("catalog: the store's own is in force, in the place of that which was asked for", "what", what, "asked", *asked, "store", stores)
			*asked = stores
		}
	}
	take("lease", &c.Options.Lease, r.Lease)
	take("refresh of the catalog", &c.Options.Poll, r.Refresh)
}

// sayTimes has a store that has none, since servers of before made it, have those of this server.
func (c shared) sayTimes(ctx context.Context) error {
	if c.as != Member || c.Snapshot().Root.Lease > 0 {
		return nil
	}
	return c.SetTimes(ctx, func(r catalog.Root) (lease, refresh time.Duration) {
		if r.Lease > 0 {
			return 0, 0
		}
		return c.Options.Lease, c.Options.Poll
	})
}

// SetTimes changes the lease and the refresh of the store to what choose makes of those that it
// has; 0 leaves one. Each server goes by them from its next start on.
func (c *Keeper) SetTimes(ctx context.Context, choose func(catalog.Root) (lease, refresh time.Duration)) error {
	_, err := c.Update(ctx, func(s *catalog.Snapshot) (*Edit, error) {
		lease, refresh := choose(s.Root)
		if lease == 0 && refresh == 0 {
			return nil, nil
		}
		e := NewEdit(s)
		e.Lease, e.Refresh = lease.Milliseconds(), refresh.Milliseconds()
		return &e, nil
	})
	return err
}
