package versions

import "time"

// slotEnd says of a clock slot until when a server had it that is dead:
//
//	  the server's last row                       its row is gone
//	────┬──────────────────── upTo ───────────────────┬────────── landed ─────▶
//	    its timestamps ──────▶ ┆ those of who has the slot next ──────────────▶
//
// A server sends writes for three quarters of a lease after its last row, and what it sends has
// that as its deadline at the store. Nobody takes its slot for a lease after that row. So a
// timestamp of the slot up to three quarters of a lease after the row is of the dead server, by
// clocks that agree to a quarter of it (CheckSkew).
//
// Of a server that lives its row says up to when the writes of its marks have ended (SayMarks).
type slotEnd struct {
	upTo   int64     // µs, by the dead server's clock; 0: no such server is known
	landed time.Time // from then on nothing that it has sent can land
	marks  int64     // µs: what its server of now has said last; those of before are dead
}

// SayMarks has this server's row say up to when its marks in indexes are of writes that have ended:
// fn gives that, in µs by its clock, and is called whenever the row is written.
func (c *Keeper) SayMarks(fn func() int64) { c.me.says.Store(&fn) }

// noteMarks notes what a server's row says of its marks.
func (c *Keeper) noteMarks(s ServerJSON) {
	if s.Slot < 0 || s.Slot >= clockSlots {
		return
	}
	c.me.endMu.Lock()
	defer c.me.endMu.Unlock()
	e := &c.me.ended[s.Slot]
	e.marks = max(e.marks, s.Marks)
}

// Landed says that the write of a mark, made at a timestamp in µs, has landed or never will: its
// server is dead, or has said so. It goes by what this server knows, and calls no store: false is no
// statement.
func (c *Keeper) Landed(ts int64) bool {
	if !c.Shared() || ts < 0 || c.CheckSkew() != nil {
		return false
	}
	c.me.endMu.Lock()
	defer c.me.endMu.Unlock()
	e := c.me.ended[ts/1000%clockSlots]
	return ts < e.marks || ts <= e.upTo && !time.Now().Before(e.landed)
}

// slotGone notes the slot of a server whose row this one has removed: it has stood still for a
// lease by then.
func (c *Keeper) slotGone(s ServerJSON) {
	c.me.mu.Lock()
	delete(c.me.others, s.Key)
	c.me.mu.Unlock()
	c.noteEnd(s, c.lastOf(s), time.Now())
}

// lastOf is up to when a server has given timestamps that has not renewed its row, by its clock.
func (c *Keeper) lastOf(s ServerJSON) time.Time {
	return time.UnixMilli(s.Now).Add(s.length(c.Options.Lease) * 3 / 4)
}

// slotsLeft notes the slots of servers whose rows stand still for a lease, and of those that were
// there at the last look and are not among those of this one. The latter have left, or another
// server has removed their rows; who has a slot next may have it since the last look. me.mu is held.
func (c *Keeper) slotsLeft(now map[string]ServerJSON) {
	still := make(map[string]observed, len(now))
	for key, is := range now {
		o, seen := c.me.still[key]
		if !seen || o.ts != is.TS {
			o = observed{is.TS, time.Now()}
		}
		if still[key] = o; time.Since(o.since) > is.length(c.Options.Lease) {
			c.noteEnd(is, c.lastOf(is), time.Now())
		}
	}
	c.me.still = still
	for key, was := range c.me.others {
		if is, there := now[key]; there && is.Slot == was.Slot {
			continue
		}
		upTo := c.lastOf(was)
		if seen := c.me.looked.Add(-c.maxSkew()); seen.Before(upTo) {
			upTo = seen
		}
		c.noteEnd(was, upTo, time.Now().Add(was.length(c.Options.Lease)))
	}
}

func (c *Keeper) noteEnd(s ServerJSON, upTo, landed time.Time) {
	if s.Slot < 0 || s.Slot >= clockSlots {
		return
	}
	c.me.endMu.Lock()
	defer c.me.endMu.Unlock()
	if e := &c.me.ended[s.Slot]; upTo.UnixMicro() > e.upTo {
		e.upTo, e.landed = upTo.UnixMicro(), landed
	}
}
