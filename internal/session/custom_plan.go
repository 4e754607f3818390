package session

import (
	"context"

	"github.com/saltsql/saltsql/internal/identity"
	"github.com/saltsql/saltsql/internal/plancache"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/plan"
)

// customized gives the statement with a plan for the values of its parameters, where one is
// wanted; else st itself. What cannot be planned so runs as it was planned: it then fails as it
// would have.
func (s *Session) customized(ctx context.Context, st *Stmt, params []types.Datum) *Stmt {
	mode := s.cached().PlanMode
	if st.cached == nil || st.cached.choice == nil || st.base != nil || mode == plancache.ModeGeneric {
		return st
	}
	choice := st.cached.choice
	if mode == plancache.ModeAuto && !choice.WantsCustom() {
		return st
	}
	snap := s.snapshot()
	if snap.Version() != st.key.Catalog || len(params) != len(st.params) {
		return st
	}
	var (
		pc *planner.Context
		p  *plan.Plan
	)
	err := s.armed(ctx, st.Text(), st.whole(), func(ctx context.Context, r *running) (err error) {
		pc = s.contextIn(s.planningEnv(r, st.key), snap, st.params, st.key.RulesOff)
		pc.Notice = nil // the statement was told when it was planned
		pc.Values, pc.Literals = params, st.key.Literals
		p, err = r.plan(pc, st.st)
		return err
	})
	if err != nil || !sameShape(st.cols, columnsOf(p.Columns)) && len(p.Columns) > 0 || len(p.ParamTypes) != len(st.params) {
		return st
	}
	choice.Note(planner.Cost(pc, st.plan, params), planner.Cost(pc, p, params), len(p.Tables))
	own := *st
	own.plan, own.ready, own.allowed, own.once = p, nil, identity.Checked{}, true
	return &own
}
