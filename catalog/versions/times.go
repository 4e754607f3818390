package versions

import (
	"cmp"
	"context"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
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
	return c.setTimes(ctx, func(r catalog.Root) (lease, refresh time.Duration, err error) {
		if r.Lease > 0 {
			return 0, 0, nil
		}
		return c.Options.Lease, c.Options.Poll, nil
	})
}

func (c shared) times() (lease, refresh time.Duration, ok bool) {
	return c.Options.Lease, c.Options.Poll, true
}

// Times gives the lease and the refresh that this server goes by; ok is false where it has the
// store to itself.
func (c *Keeper) Times() (lease, refresh time.Duration, ok bool) { return c.coord.times() }

// SetTimes changes the lease and the refresh of a store that servers share; 0 leaves one. Each
// server goes by them from its next start on. 22023 for what CheckTimes refuses.
func (c *Keeper) SetTimes(ctx context.Context, lease, refresh time.Duration) error {
	return c.setTimes(ctx, func(r catalog.Root) (time.Duration, time.Duration, error) {
		err := CheckTimes(cmp.Or(lease, time.Duration(r.Lease)*time.Millisecond), cmp.Or(refresh, time.Duration(r.Refresh)*time.Millisecond))
		return lease, refresh, err
	})
}

// setTimes has the root say what choose makes of it; 0 leaves one.
func (c *Keeper) setTimes(ctx context.Context, choose func(catalog.Root) (lease, refresh time.Duration, err error)) error {
	_, err := c.Update(ctx, func(s *catalog.Snapshot) (*Edit, error) {
		lease, refresh, err := choose(s.Root)
		if err != nil || lease == 0 && refresh == 0 {
			return nil, err
		}
		e := NewEdit(s)
		e.Lease, e.Refresh = lease.Milliseconds(), refresh.Milliseconds()
		return &e, nil
	})
	return err
}

// What servers go by where nobody says another, and what may be said.
const (
	DefaultLease, DefaultRefresh = 30 * time.Second, time.Second

	minLease, maxLease = 2 * time.Second, 10 * time.Minute
	maxRefresh         = 5 * time.Second
)

// CheckTimes says which lease and refresh a store may have: 2 s to 10 min, and above 0 up to 5 s,
// of which four go into a lease. 22023 for others.
func CheckTimes(lease, refresh time.Duration) error {
	bad := func(format string, args ...any) error {
		return sqlerr.New(sqlerr.InvalidParameterValue, format, args...)
	}
	switch {
	case lease < minLease || lease > maxLease:
		return bad("a lease of %v is outside the valid range (%v .. %v)", lease, minLease, maxLease)
	case refresh <= 0 || refresh > maxRefresh:
		return bad("a refresh of the catalog each %v is outside the valid range (above 0 .. %v)", refresh, maxRefresh)
	case refresh > lease/4:
		return bad("a lease of %v is shorter than four times the refresh of the catalog, %v", lease, refresh)
	}
	return nil
}
