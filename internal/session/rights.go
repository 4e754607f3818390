package session

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/plan"
)

// mayRun refuses a plan that the session's role has not the rights for: 42501. It looks once,
// and again where the role or the catalog has changed.
func (s *Session) mayRun(st *Stmt) error {
	if err := s.identity().MayRun(st.plan, &st.allowed); err != nil {
		return err
	}
	return populated(st.plan, nil)
}

// populated refuses a plan that reads a materialized view without rows, but for one: 55000.
func populated(p *plan.Plan, but *catalog.Table) error {
	for _, t := range p.Tables {
		if m := t.Materialized; m != nil && !m.Populated && t != but {
			return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `materialized view "%s" has not been populated`, t.Name).
				WithHint("Use the REFRESH MATERIALIZED VIEW command.")
		}
	}
	return nil
}

// asActor gives the catalog calls of a statement the session's role.
func (s *Session) asActor(ctx context.Context) context.Context {
	return catalog.WithSearchPath(catalog.WithActor(ctx, s.identity().Current.ID, s.opts.Database), s.searchPath())
}

// seen is the catalog as the session's role sees it.
func (s *Session) seen(snap *catalog.Snapshot) planner.Catalog {
	if i := s.identity(); !i.Superuser {
		return i.Looking(snap)
	}
	return snap
}
