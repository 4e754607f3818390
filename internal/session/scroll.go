package session

import (
	"context"
	"fmt"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/scroll"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
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

// scrollFetch is FETCH and MOVE over a cursor that keeps its rows.
type scrollFetch struct {
	*scroll.Fetch
	p *Portal
	u *tree.Fetch
}

func (f *scrollFetch) next(ctx context.Context) (*vec.Batch, error) {
	b, err := f.Next(ctx)
	if !f.Moved() {
		f.p.broken = true
	}
	return b, err
}

func (f *scrollFetch) tag(rows int64) string {
	if f.u.Move {
		return fmt.Sprintf("MOVE %d", f.Passed())
	}
	return fmt.Sprintf("FETCH %d", rows)
}

func (f *scrollFetch) close() error {
	f.p.Suspend()
	return nil
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
