package versions

import (
	"context"
	"math/rand/v2"
	"time"
)

// clockSlots is how many servers of a store have milliseconds of their own for
// the timestamps of rows: the more, the sooner a row that is written often runs
// ahead of the wall clock.
const clockSlots = 16

// takeSlot writes this server's row with a slot that no other live server has,
// and tells it to whoever gives timestamps. put writes the row. Two servers
// that choose one slot at once both write, then both look: at least the one
// that wrote last sees the other, and chooses again. With more servers than
// slots some share one. m.mu is held.
func (c *Keeper) takeSlot(ctx context.Context, put func() error) error {
	m := &c.me
	for try := 0; ; try++ {
		if try > 0 || m.slot < 0 {
			used, err := c.usedSlots(ctx)
			if err != nil {
				return err
			}
			m.slot = freeSlot(&used)
		}
		if err := put(); err != nil {
			return err
		}
		used, err := c.usedSlots(ctx)
		if err != nil {
			return err
		}
		if !used[m.slot] {
			break
		}
		if try == 2*clockSlots {
			c.Options.Logger.Warn("catalog: no clock slot is free: writes of one row through two servers in one millisecond may be taken for one", "slots", clockSlots)
			break
		}
	}
	if c.Options.Slot != nil {
		c.Options.Slot(m.slot, clockSlots)
	}
	return nil
}

// usedSlots says which slots other servers have. A row that has not been
// renewed for two leases is a dead server's, unless clocks differ by as much.
func (c *Keeper) usedSlots(ctx context.Context) (used [clockSlots]bool, err error) {
	list, err := c.Servers(ctx)
	if err != nil {
		return used, err
	}
	oldest := c.Options.Now().Add(-2 * c.Options.Lease)
	for _, s := range list {
		if s.Slot >= 0 && s.Slot < clockSlots && time.UnixMilli(s.Now).After(oldest) {
			used[s.Slot] = true
		}
	}
	return used, nil
}

// freeSlot chooses by chance among the free slots, or among all where none is.
func freeSlot(used *[clockSlots]bool) int {
	slots := rand.Perm(clockSlots)
	for _, s := range slots {
		if !used[s] {
			return s
		}
	}
	return slots[0]
}
