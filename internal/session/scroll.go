package session

import (
	"context"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/scroll"
	"github.com/saltsql/saltsql/internal/types"
)

// newScroll makes what keeps the rows of a cursor that goes back or outlives its transaction;
// nil for any other.
func (s *Session) newScroll(p *Portal, u *tree.DeclareCursor) *scroll.Cursor {
	if !u.Scroll && !u.Hold {
		return nil
	}
	return scroll.New(queryRows{p}, &s.held, s.db.opts.TempDir, u.NoScroll)
}

// queryRows are the rows of a portal's query, whatever its cursor has kept of them.
type queryRows struct{ *Portal }

func (r queryRows) Types() []types.T {
	ts := make([]types.T, len(r.cols))
	for i := range r.cols {
		ts[i] = r.cols[i].Type
	}
	return ts
}

// persist reads what is left of the cursors WITH HOLD that were declared in a transaction,
// before it commits: from then on they need it no more.
func (s *Session) persist(ctx context.Context) error {
	for p := range s.portals.all {
		c, ok := p.run.(*cursorRunner)
		if !ok || c.scroll == nil || !p.declared.hold || p.persisted {
			continue
		}
		if err := c.scroll.ReadAll(ctx); err != nil {
			return err
		}
		p.persisted = true
	}
	return nil
}
