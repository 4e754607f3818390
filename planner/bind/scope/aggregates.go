package scope

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Aggs are the aggregate calls of one level. In the bound expressions a call stands as
// the column of its ID.
type Aggs struct {
	Calls []plan.AggCall
	IDs   []logical.ColumnID
}

// Add gives the column for a call; equal calls are computed once.
func (a *Aggs) Add(m *logical.Meta, call plan.AggCall, pos int) expr.Expr {
	i := 0
	for i < len(a.Calls) && !equalAgg(&a.Calls[i], &call) {
		i++
	}
	if i == len(a.Calls) {
		a.Calls = append(a.Calls, call)
		a.IDs = append(a.IDs, m.Add(logical.Column{Name: call.Text, Type: call.Agg.T}))
	}
	return &expr.Col{Index: a.IDs[i], T: call.Agg.T, Name: call.Text, At: pos}
}

func equalAgg(a, b *plan.AggCall) bool {
	if a.Agg.Name != b.Agg.Name || a.Agg.T != b.Agg.T || a.Distinct != b.Distinct || !expr.EqualLists(a.Args, b.Args) ||
		!expr.EqualOrNil(a.Filter, b.Filter) || len(a.OrderBy) != len(b.OrderBy) {
		return false
	}
	for i := range a.OrderBy {
		x, y := a.OrderBy[i], b.OrderBy[i]
		if x.Desc != y.Desc || x.NullsFirst != y.NullsFirst || !expr.Equal(x.Expr, y.Expr) {
			return false
		}
	}
	for _, e := range a.Args {
		if expr.Volatile(e) {
			return false
		}
	}
	return a.Filter == nil || !expr.Volatile(a.Filter)
}

// GroupingCall is GROUPING(…). In the bound expressions it stands as the column of its ID.
type GroupingCall struct {
	Args []expr.Expr
	ID   logical.ColumnID
}

// NestedAgg is the place of an aggregate's arguments, as errors call it.
const NestedAgg = "aggregate function calls cannot be nested"

// NoAggregates refuses an aggregate of the level of p.
func (p *Place) NoAggregates(pos int) *sqlerr.Error {
	if p.Clause == NestedAgg {
		return sqlerr.New(sqlerr.GroupingError, "%s", NestedAgg).At(pos)
	}
	return sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in %s", p.Clause).At(pos)
}

// In says that e holds one of the calls.
func (a *Aggs) In(e expr.Expr) bool {
	found := false
	if len(a.IDs) == 0 {
		return false
	}
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Col); ok && slices.Contains(a.IDs, c.Index) {
			found = true
		}
		return !found
	})
	return found
}
