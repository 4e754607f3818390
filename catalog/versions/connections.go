package versions

import (
	"context"
	"time"
)

// CountConnections has this server's row say how many connections it has of each role that may have
// a number of them: fn gives them by the roles' IDs, and is called whenever the row is written.
func (c *Keeper) CountConnections(fn func() map[uint32]int) { c.me.count.Store(&fn) }

// Recount has the row written with what CountConnections gives at the next look for changes.
func (c *Keeper) Recount() { c.me.stale.Store(true) }

// Connections counts the connections of a role to all servers, and tells others what this one has.
// Each server writes first, and looks then: of two that let somebody in at once, the one that wrote
// last sees both. So a limit is never passed, and both may be refused at the last place, as in
// PostgreSQL. A connection that has ended counts elsewhere until the next look for changes of its
// server, and those of a server that died for two leases. 57P03 where the store does not answer.
func (c *Keeper) Connections(ctx context.Context, role uint32) (int, error) {
	own, err := c.TellConnections(ctx)
	if err != nil {
		return 0, err
	}
	list, err := c.coord.others(ctx)
	if err != nil {
		return 0, lostTouch(ctx, err)
	}
	n := own[role]
	for i := range list {
		if !c.Silent(&list[i]) {
			n += list[i].Connections[role]
		}
	}
	return n, nil
}

// TellConnections writes the row now, and gives what CountConnections gave.
func (c *Keeper) TellConnections(ctx context.Context) (map[uint32]int, error) {
	return c.coord.tellConnections(ctx)
}

func (c alone) tellConnections(context.Context) (map[uint32]int, error) { return c.count(), nil }

func (c shared) tellConnections(ctx context.Context) (map[uint32]int, error) {
	if err := c.live(ctx); err != nil {
		return nil, err
	}
	c.me.mu.Lock()
	defer c.me.mu.Unlock()
	row, err := c.putMember(ctx, c.me.seen)
	if err != nil {
		return nil, lostTouch(ctx, err)
	}
	return row.Connections, nil
}

// count gives this server's connections.
func (c *Keeper) count() map[uint32]int {
	c.me.stale.Store(false)
	if fn := c.me.count.Load(); fn != nil {
		return (*fn)()
	}
	return nil
}

// Silent says that a server's row has not been renewed for two leases: it is dead, unless clocks
// differ by as much.
func (c *Keeper) Silent(s *ServerJSON) bool {
	return !time.UnixMilli(s.Now).After(c.Options.Now().Add(-c.deadAfter(s.length(c.Options.Lease))))
}
