package versions

import (
	"context"
	"errors"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// Clocks of servers that share a store, by how far they are from the store's own, which stamps
// the cell of the row "clock":
//
//	over warnSkew               the log warns: how old a cell is goes by the clock of the server that wrote it
//	over a fifth of the lease   the server is no member: it does not join, and one that has joined
//	                            ends its lease itself, and has none until the clocks agree
//
// The end of a lease of DDL is a time of the store's clock (storeNow). The holder counts its time by
// a stopwatch, and by its own clock where that has less left; who takes the lease over has asked the
// store's clock since (dead). So no clock of a server, right or wrong, has two of them hold it.
const (
	clockKey  = "clock"
	clockCell = "clock"
)

// warnSkew is from where on clocks that differ are told.
const warnSkew = 500 * time.Millisecond

// bearable is how far the clock of a member may be from the store's.
func (c *Keeper) bearable() time.Duration { return c.Options.Lease / 5 }

// reading is what the store's clock has shown.
type reading struct {
	asked time.Time // by the stopwatch: when it was asked, or earlier
	own   time.Time // by this server's clock
	shown time.Time
	told  bool // that the clocks differ by more than warnSkew
}

// age is how old the reading is: by the stopwatch, or by the clock of a machine that has stood still.
func (r *reading) age(now time.Time) time.Duration {
	return max(time.Since(r.asked), now.Round(0).Sub(r.own).Abs())
}

// now is what it shows, or a little more.
func (r *reading) now() time.Time { return r.shown.Add(time.Since(r.asked)) }

// errClock is the cause of what a server is told whose clock is wrong.
var errClock = errors.New("catalog: the clock is wrong")

// readClock asks what the store's clock shows, and holds this server's against it: 57P03 where they
// differ by more than what is bearable. A store without a clock of its own has this server's.
func (c *Keeper) readClock(ctx context.Context) (time.Time, error) {
	if !c.Store.Caps().Clock {
		return c.Options.Now(), nil
	}
	var r reading
	var before time.Time
	err := storage.Again(ctx, func() (err error) {
		r.asked, before = time.Now(), c.Options.Now()
		r.own = before.Round(0) // without the stopwatch
		r.shown, err = c.Table.Clock(storage.Essential(ctx), []byte(clockKey), storage.Col{Family: SystemFamily, Qualifier: []byte(clockCell)})
		return err
	}, storage.CodeAmbiguous)
	if err != nil {
		return time.Time{}, err
	}
	own, way := before, "ahead of"
	off := before.Truncate(time.Millisecond).Sub(r.shown)
	if off < 0 {
		own, way = c.Options.Now(), "behind"
		off = max(r.shown.Sub(own), 0)
	}
	if off > c.bearable() {
		c.me.clock.Store(nil)
		const show = "2006-01-02 15:04:05.000 MST"
		e := sqlerr.New(sqlerr.CannotConnectNow, "the clock of this server is %v %s that of the store", off.Round(time.Millisecond), way).
			WithDetail("This server's shows %s, the store's %s. They may differ by %v, a fifth of the lease.", own.UTC().Format(show), r.shown.UTC().Format(show), c.bearable()).
			WithHint("Set this server's clock by NTP.")
		e.Cause = errClock
		return time.Time{}, e
	}
	was := c.me.clock.Load()
	if r.told = off > warnSkew; r.told && (was == nil || !was.told) {
		c.Options.Logger.Warn("catalog: this server's clock differs from the store's; it is no member where they differ by more than the limit", "by", off, "way", way, "limit", c.bearable())
	}
	c.me.clock.Store(&r)
	return r.shown, nil
}

// readClockOlder is readClock where the last reading is older than that.
func (c *Keeper) readClockOlder(ctx context.Context, than time.Duration) error {
	if r := c.me.clock.Load(); r != nil && r.age(c.Options.Now()) <= than {
		return nil
	}
	_, err := c.readClock(ctx)
	return err
}

// storeNow is what the store's clock shows, or a little more, by a reading of a quarter of the lease
// ago at most.
func (c *Keeper) storeNow(ctx context.Context) (time.Time, error) {
	if !c.Store.Caps().Clock {
		return c.Options.Now(), nil
	}
	if err := c.readClockOlder(ctx, c.Options.Lease/4); err != nil {
		return time.Time{}, err
	}
	if r := c.me.clock.Load(); r != nil {
		return r.now(), nil
	}
	return c.readClock(ctx) // another caller has found that the clock is wrong
}

// keepTime makes sure that a member's clock is right before its lease is renewed. Where it is wrong
// the lease ends at once.
func (c *Keeper) keepTime(ctx context.Context) error {
	if c.as != Member {
		return nil
	}
	err := c.readClockOlder(ctx, c.Options.Lease/8)
	if errors.Is(err, errClock) {
		c.me.mu.Lock()
		defer c.me.mu.Unlock()
		if c.me.leased() {
			c.me.until.Store(0)
			c.lapsed()
		}
	}
	return err
}
