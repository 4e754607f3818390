package plan

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
)

// Exprs goes over the places of a node's own expressions, in one order: a node's EachExpr hands
// each of them in. They are listed, or others are put in. Places that are nil are left out. Nodes of
// the logical tree are gone over by it too.
type Exprs struct {
	list []expr.Expr
	put  bool // those of the list are put in
	few  [4]expr.Expr
}

// EachExprer has expressions.
type EachExprer interface{ EachExpr(*Exprs) }

// Of lists a node's own expressions. The list is good until the next.
func (x *Exprs) Of(n EachExprer) []expr.Expr {
	if x.put = false; x.list == nil {
		x.list = x.few[:0]
	}
	x.list = x.list[:0]
	n.EachExpr(x)
	return x.list
}

// VisitExprs calls fn with each of a node's own expressions.
func VisitExprs(n EachExprer, fn func(expr.Expr)) {
	for _, e := range new(Exprs).Of(n) {
		fn(e)
	}
}

// MapExprs gives n, or a copy of it where fn makes another of one of its own expressions. It lists
// them in x.
func MapExprs[N EachExprer](x *Exprs, n N, copied func(N) N, fn func(expr.Expr) expr.Expr) N {
	list, changed := x.Of(n), false
	for i, e := range list {
		list[i] = fn(e)
		changed = changed || list[i] != e
	}
	if !changed {
		return n
	}
	c := copied(n)
	x.put = true
	c.EachExpr(x)
	x.list = list
	return c
}

// One is a place of one expression.
func (x *Exprs) One(e *expr.Expr) {
	switch {
	case *e == nil:
	case x.put:
		*e, x.list = x.list[0], x.list[1:]
	default:
		x.list = append(x.list, *e)
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
