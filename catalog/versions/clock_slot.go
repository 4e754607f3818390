package versions

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// clockSlots is how many servers of a store have milliseconds of their own for
// the timestamps of rows: the more, the sooner a row that is written often runs
// ahead of the wall clock.
//
//saltsql:limit the server: servers over one Bigtable instance (53300)
const clockSlots = 16

// takeSlot writes this server's row with a slot that no other live server has,
// and tells it to whoever gives timestamps. put writes the row. Two servers
// that choose one slot at once both write, then both look: at least the one
// that wrote last sees the other, and chooses again. Where none is free it waits
// for that of a server that has died; 53300 where all live. m.mu is held.
func (c *Keeper) takeSlot(ctx context.Context, put func() error) error {
	m := &c.me
	for try := 0; ; try++ {
		if m.slot < 0 {
			if err := c.awaitSlot(ctx); err != nil {
				return err
			}
		}
		if err := put(); err != nil {
			return err
		}
		used, _, err := c.usedSlots(ctx)
		if err != nil {
			return err
		}
		if !used[m.slot] {
			break
		}
		m.slot = -1 // so that both can have it
		if err := put(); err != nil {
			return err
		}
		if err := storage.Pause(ctx, min(try, 5), 2*raceUnit); err != nil {
			return err
		}
	}
	m.since = time.Now()
	if c.Options.Slot != nil {
		c.Options.Slot(m.slot, clockSlots)
	}
	return nil
}

// awaitSlot chooses by chance among the free slots. Two servers of one slot would take each
// other's versions of a row, and marks of entries, for their own.
func (c *Keeper) awaitSlot(ctx context.Context) error {
	known := c.deadAfter(c.Options.Lease) // those that have just died are known as dead then
	told := false
	for begun := time.Now(); ; {
		used, longest, err := c.usedSlots(ctx)
		if err != nil {
			return err
		}
		known = max(known, longest)
		for _, s := range rand.Perm(clockSlots) {
			if !used[s] {
				c.me.slot = s
				return nil
			}
		}
		if time.Since(begun) > known+known/4 {
			return sqlerr.New(sqlerr.TooManyConnections, "too many servers are at work on this store").
				WithDetail("%d are, and no more can be told apart.", clockSlots).WithHint("Stop one of them.")
		}
		if !told {
			c.Options.Logger.Warn("catalog: no clock slot is free; waiting for that of a server that has died", "slots", clockSlots, "at most", known)
			told = true
		}
		if err := Sleep(ctx, min(slotPause, known/16)); err != nil {
			return err
		}
	}
}

// slotPause is between two looks for a free slot.
const slotPause = time.Second

// deadAfter is how old a server's row is when others take it for dead: two leases, so that
// clocks may differ by one.
func (c *Keeper) deadAfter(lease time.Duration) time.Duration { return 2 * lease }

// usedSlots says which slots other servers have that are not silent, and for how long the longest
// lease of theirs is one.
func (c *Keeper) usedSlots(ctx context.Context) (used [clockSlots]bool, longest time.Duration, err error) {
	list, err := c.Servers(ctx)
	if err != nil {
		return used, 0, err
	}
	for _, s := range list {
		if s.Slot >= 0 && s.Slot < clockSlots && !c.Silent(&s) {
			used[s.Slot] = true
			longest = max(longest, c.deadAfter(s.length(c.Options.Lease)))
		}
	}
	return used, longest, nil
}
