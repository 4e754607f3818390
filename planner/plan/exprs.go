package plan

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
)

// Exprs goes over the places of a node's own expressions, in one order: a node's EachExpr hands
// each of them in. Nodes of the logical tree are gone over by it too.
//
//	VisitExprs     a function is called with each
//	Mapping        it is asked for each first; what it gives is put into a copy where one is new
//
// Places that are nil are left out.
type Exprs struct {
	fn      func(expr.Expr) expr.Expr
	out     []expr.Expr // what fn gave, in order; nil where it is not kept
	keep    bool
	put     bool // out is put in
	changed bool
}

// EachExprer has expressions.
type EachExprer interface{ EachExpr(*Exprs) }

// VisitExprs calls fn with each of a node's own expressions.
func VisitExprs(n EachExprer, fn func(expr.Expr)) {
	n.EachExpr(&Exprs{fn: func(e expr.Expr) expr.Expr {
		fn(e)
		return e
	}})
}

// Mapping has a function make other expressions of those of nodes.
type Mapping struct{ x Exprs }

// NewMapping maps by fn.
func NewMapping(fn func(expr.Expr) expr.Expr) *Mapping {
	return &Mapping{Exprs{fn: fn, keep: true}}
}

// Map gives n, or a copy of it where one of its own expressions becomes another.
func Map[N EachExprer](m *Mapping, n N, copied func(N) N) N {
	kept := m.x.out[:0]
	m.x.out, m.x.put, m.x.changed = kept, false, false
	n.EachExpr(&m.x)
	if m.x.changed {
		kept, m.x.put = m.x.out, true
		n = copied(n)
		n.EachExpr(&m.x)
	}
	m.x.out = kept
	return n
}

// One is a place of one expression.
func (x *Exprs) One(e *expr.Expr) {
	switch {
	case *e == nil:
	case x.put:
		*e, x.out = x.out[0], x.out[1:]
	default:
		out := x.fn(*e)
		if x.keep {
			x.out, x.changed = append(x.out, out), x.changed || out != *e
		}
	}
}

// List is a list of them.
func (x *Exprs) List(list *[]expr.Expr) {
	for i := range places(x, list) {
		x.One(&(*list)[i])
	}
}

// Keys are those of an order.
func (x *Exprs) Keys(keys *[]SortKey) {
	for i := range places(x, keys) {
		x.One(&(*keys)[i].Expr)
	}
}

// Rows are those of rows.
func (x *Exprs) Rows(rows *[][]expr.Expr) {
	for i := range places(x, rows) {
		x.List(&(*rows)[i])
	}
}

// Aggs are those of aggregates.
func (x *Exprs) Aggs(calls *[]AggCall) {
	for i := range places(x, calls) {
		c := &(*calls)[i]
		x.List(&c.Args)
		x.One(&c.Filter)
		x.Keys(&c.OrderBy)
	}
}

// Windows are those of window functions.
func (x *Exprs) Windows(calls *[]WindowCall) {
	for i := range places(x, calls) {
		c := &(*calls)[i]
		x.List(&c.Args)
		for _, e := range []*expr.Expr{&c.Filter, &c.Frame.Start.Offset, &c.Frame.Start.Shift, &c.Frame.End.Offset, &c.Frame.End.Shift} {
			x.One(e)
		}
	}
}

// Calls are those of set-returning functions.
func (x *Exprs) Calls(calls *[]SetCall) {
	for i := range places(x, calls) {
		x.List(&(*calls)[i].Args)
	}
}

// Set are those of assignments.
func (x *Exprs) Set(set *[]SetColumn) {
	for i := range places(x, set) {
		x.One(&(*set)[i].Value)
	}
}

// Sampled are those of a sample, which may be nil.
func (x *Exprs) Sampled(s **Sample) {
	if owned(x, s) {
		x.One(&(*s).Percent)
		x.One(&(*s).Seed)
	}
}

func (x *Exprs) match(m *Match) {
	for i := range places(x, &m.Keys) {
		x.One(&m.Keys[i].Left)
		x.One(&m.Keys[i].Right)
	}
	x.One(&m.Filter)
	x.One(&m.Cond)
}

func (x *Exprs) rules(r *RowRules) {
	x.Set(&r.Generated)
	for i := range places(x, &r.Checks) {
		x.One(&r.Checks[i].Cond)
	}
}

// places gives a list whose elements may be set: a copy's own.
func places[T any](x *Exprs, list *[]T) []T {
	if x.put {
		*list = slices.Clone(*list)
	}
	return *list
}

// owned says that there is a part, and has a copy have its own.
func owned[T any](x *Exprs, part **T) bool {
	if *part != nil && x.put {
		c := **part
		*part = &c
	}
	return *part != nil
}
