package query

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Level is one query of a statement while it is bound. Names that its scope does not
// have are looked for in the levels around it.
type Level struct {
	parent *Level
	depth  int
	// Scope is what may be named at the place that is being bound.
	Scope *Scope
	// at is the place where the query of the level below stands.
	at Place
	// deepest is the depth of the innermost level, this one or one around it, of which
	// a column or an aggregate has been named since it was last set to noLevel.
	deepest   int
	aggs      aggs
	windows   windows
	sets      sets
	groupings []groupingCall
	lock      *locking // FOR UPDATE; nil is none
	grouped   bool     // it has GROUP BY, which may name a whole row
	// recursive: the query reads the round before of a recursive one.
	recursive bool
}

const noLevel = -1

// NewLevel begins a query that stands at p, which is nil for a statement's own.
func NewLevel(p *Place) *Level {
	l := &Level{Scope: noColumns, deepest: noLevel}
	if p != nil && p.Level != nil {
		l.parent, l.depth = p.Level, p.Level.depth+1
		p.Level.at = *p
	}
	return l
}

// noColumns is a scope without relations.
var noColumns = &Scope{}

// names records, for l and the levels up to the one of it, that a column of that one is named.
func (l *Level) names(of *Level) {
	for k := l; ; k = k.parent {
		k.deepest = max(k.deepest, of.depth)
		if k == of {
			return
		}
	}
}

// outer gives the level of a depth: l, or one around it.
func (l *Level) outer(depth int) *Level {
	for l.depth > depth {
		l = l.parent
	}
	return l
}

// namedBy runs bind and says which level is the innermost that it names: l itself where
// it names none.
func (l *Level) namedBy(bind func() error) (*Level, error) {
	saved := l.deepest
	l.deepest = noLevel
	err := bind()
	depth := l.deepest
	l.deepest = max(saved, depth)
	if depth == noLevel {
		depth = l.depth
	}
	return l.outer(depth), err
}

// Place is where an expression stands: what it may name and hold. Who keeps one copies it,
// and nobody calls a function value with one: places are many, and stay on the stack.
type Place struct {
	Level  *Level // nil: no columns at all
	Clause string // as in "aggregate functions are not allowed in WHERE"
	// What may stand here: aggregates, window functions, set-returning functions.
	aggs, windows, sets bool
	// NoQueries refuses queries: its text is the hint of the refusal. queries allows them where
	// there is no level yet.
	NoQueries string
	Queries   bool
	// RowQueries takes queries whose one row is assigned to several columns; nil refuses them.
	RowQueries *[]logical.Node
	setsIn     string // what refuses set-returning functions within clause, as CASE
}

// ofGroups says that what stands here, or a query around it, is computed of groups.
func (p *Place) ofGroups() bool {
	if p.aggs && p.Level.grouped {
		return true
	}
	if p.Level == nil {
		return false
	}
	for l := p.Level.parent; l != nil; l = l.parent {
		if l.grouped && l.at.aggs {
			return true
		}
	}
	return false
}

// scope is what may be named here.
func (p *Place) scope() *Scope {
	if p.Level == nil {
		return noColumns
	}
	return p.Level.Scope
}

// aggs are the aggregate calls of one level. In the bound expressions a call stands as
// the column of its ID.
type aggs struct {
	Calls []plan.AggCall
	IDs   []logical.ColumnID
}

// add gives the column for a call; equal calls are computed once.
func (a *aggs) add(m *logical.Meta, call plan.AggCall, pos int) expr.Expr {
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
