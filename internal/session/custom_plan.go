package session

import (
	"sync"

	"github.com/saltsql/saltsql/internal/identity"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
)

// planMode is plan_cache_mode.
type planMode uint8

const (
	planAuto planMode = iota
	planGeneric
	planCustom
)

func planModeOf(text string) planMode {
	switch text {
	case "force_generic_plan":
		return planGeneric
	case "force_custom_plan":
		return planCustom
	}
	return planAuto
}

const (
	// triedPlans is after how many runs with plans of their own the one for all values may
	// be taken, as in PostgreSQL.
	triedPlans = 5
	// costPlanning is what planning takes for each table, in the time of reading a row of a
	// scan: 60 to 120 µs.
	costPlanning = 700
)

// planChoice is what is known of a plan for any values of its parameters: what it costs beside
// the plans for the values that came. It belongs to the plan, and so to all sessions that have
// it from the cache.
type planChoice struct {
	mu              sync.Mutex
	tried           int
	generic, custom float64 // costs, of the newest runs the most
}

// wantsCustom says that the next run is to have a plan of its own.
func (c *planChoice) wantsCustom() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tried < triedPlans || c.custom < c.generic
}

// note adds what a run with a plan of its own costs, and what it would without.
func (c *planChoice) note(generic, custom float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried++
	part := 1 / float64(min(c.tried, triedPlans))
	c.generic += (generic - c.generic) * part
	c.custom += (custom - c.custom) * part
}

// customized gives the statement with a plan for the values of its parameters, where one is
// wanted; else st itself. What cannot be planned so runs as it was planned: it then fails as it
// would have.
func (s *Session) customized(st *Stmt, params []types.Datum) *Stmt {
	mode := s.cached().planMode
	if st.cached == nil || st.cached.choice == nil || st.base != nil || mode == planGeneric {
		return st
	}
	choice := st.cached.choice
	if mode == planAuto && !choice.wantsCustom() {
		return st
	}
	snap := s.snapshot()
	if snap.Version() != st.key.Catalog || len(params) != len(st.params) {
		return st
	}
	pc := s.contextIn(s.planningEnv(st.key), snap, st.params, st.key.RulesOff)
	pc.Notice = nil // the statement was told when it was planned
	pc.Values = params
	p, err := planner.Plan(pc, st.st)
	if err != nil || !sameShape(st.cols, columnsOf(p.Columns)) && len(p.Columns) > 0 || len(p.ParamTypes) != len(st.params) {
		return st
	}
	choice.note(planner.Cost(pc, st.plan, params), planner.Cost(pc, p, params)+costPlanning*float64(1+len(p.Tables)))
	own := *st
	own.plan, own.ready, own.allowed, own.once = p, nil, identity.Checked{}, true
	return &own
}
