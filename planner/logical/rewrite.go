package logical

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// WithInputs copies a node over other inputs; n itself where they are the same.
func WithInputs(n Node, ins []Node) Node {
	if slices.Equal(n.Inputs(), ins) {
		return n
	}
	switch n := n.(type) {
	case *Select:
		return &Select{Input: ins[0], Cond: n.Cond}
	case *Project:
		return &Project{Input: ins[0], Exprs: n.Exprs, Cols: n.Cols}
	case *ProjectSet:
		return &ProjectSet{Input: ins[0], Sets: n.Sets, Cols: n.Cols}
	case *Join:
		c := *n
		c.Left, c.Right = ins[0], ins[1]
		return &c
	case *GroupBy:
		c := *n
		c.Input = ins[0]
		return &c
	case *Window:
		c := *n
		c.Input = ins[0]
		return &c
	case *Union:
		return &Union{Parts: ins, Cols: n.Cols}
	case *SetOp:
		c := *n
		c.Left, c.Right = ins[0], ins[1]
		return &c
	case *DistinctOn:
		return &DistinctOn{Input: ins[0], Exprs: n.Exprs, Keys: n.Keys, AnyOrder: n.AnyOrder}
	case *Sort:
		return &Sort{Input: ins[0], Keys: n.Keys}
	case *Limit:
		c := *n
		c.Input = ins[0]
		return &c
	case *With:
		c := *n
		c.Query, c.Body = ins[0], ins[1]
		return &c
	case *RecursiveUnion:
		c := *n
		c.Start, c.Step = ins[0], ins[1]
		return &c
	case *Lock:
		c := *n
		c.Input = ins[0]
		return &c
	case *Write:
		c := *n
		c.Input = ins[0]
		return &c
	}
	return n
}

// MapExprs copies a node with fn applied to each of its own expressions; n itself where
// none changed. The expressions of a Write are over positions and are not among them.
func MapExprs(n Node, fn func(expr.Expr) expr.Expr) Node {
	m := exprMapper{fn: fn}
	var out Node
	switch n := n.(type) {
	case *Get:
		if n.Sample == nil {
			return n
		}
		c, s := *n, *n.Sample
		s.Percent, s.Seed = m.one(s.Percent), m.one(s.Seed)
		c.Sample = &s
		out = &c
	case *Values:
		c := &Values{Cols: n.Cols, Rows: make([][]expr.Expr, len(n.Rows))}
		for i, row := range n.Rows {
			c.Rows[i] = m.list(row)
		}
		out = c
	case *FuncScan:
		c := *n
		c.Args = m.list(n.Args)
		out = &c
	case *Select:
		out = &Select{Input: n.Input, Cond: m.one(n.Cond)}
	case *Project:
		out = &Project{Input: n.Input, Exprs: m.list(n.Exprs), Cols: n.Cols}
	case *ProjectSet:
		c := *n
		c.Sets = slices.Clone(n.Sets)
		for i := range c.Sets {
			c.Sets[i].Args = m.list(c.Sets[i].Args)
		}
		out = &c
	case *Join:
		c := *n
		c.On, c.Cond = m.one(n.On), m.one(n.Cond)
		out = &c
	case *GroupBy:
		c := *n
		c.Groups, c.Aggs = m.list(n.Groups), slices.Clone(n.Aggs)
		for i := range c.Aggs {
			a := &c.Aggs[i]
			a.Args, a.Filter, a.OrderBy = m.list(a.Args), m.one(a.Filter), m.keys(a.OrderBy)
		}
		out = &c
	case *Window:
		c := *n
		c.Partition, c.Order, c.Calls = m.list(n.Partition), m.keys(n.Order), slices.Clone(n.Calls)
		for i := range c.Calls {
			w := &c.Calls[i]
			w.Args, w.Filter = m.list(w.Args), m.one(w.Filter)
			for _, b := range []*plan.Bound{&w.Frame.Start, &w.Frame.End} {
				b.Offset, b.Shift = m.one(b.Offset), m.one(b.Shift)
			}
		}
		out = &c
	case *DistinctOn:
		out = &DistinctOn{Input: n.Input, Exprs: m.list(n.Exprs), Keys: m.keys(n.Keys), AnyOrder: n.AnyOrder}
	case *Sort:
		out = &Sort{Input: n.Input, Keys: m.keys(n.Keys)}
	case *Limit:
		out = &Limit{Input: n.Input, Count: m.one(n.Count), Offset: m.one(n.Offset), Ties: m.keys(n.Ties)}
	}
	if !m.changed {
		return n
	}
	return out
}

// exprMapper notes whether anything changed.
type exprMapper struct {
	fn      func(expr.Expr) expr.Expr
	changed bool
}

func (m *exprMapper) one(e expr.Expr) expr.Expr {
	if e == nil {
		return nil
	}
	out := m.fn(e)
	m.changed = m.changed || out != e
	return out
}

func (m *exprMapper) list(es []expr.Expr) []expr.Expr {
	if es == nil {
		return nil
	}
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		out[i] = m.one(e)
	}
	return out
}

func (m *exprMapper) keys(ks []plan.SortKey) []plan.SortKey {
	if ks == nil {
		return nil
	}
	out := slices.Clone(ks)
	for i := range out {
		out[i].Expr = m.one(out[i].Expr)
	}
	return out
}

// VisitExprs calls fn for each of a node's own expressions.
func VisitExprs(n Node, fn func(expr.Expr)) {
	list := func(es []expr.Expr) {
		for _, e := range es {
			if e != nil {
				fn(e)
			}
		}
	}
	keys := func(ks []plan.SortKey) {
		for i := range ks {
			fn(ks[i].Expr)
		}
	}
	one := func(e expr.Expr) {
		if e != nil {
			fn(e)
		}
	}
	switch n := n.(type) {
	case *Get:
		if n.Sample != nil {
			one(n.Sample.Percent)
			one(n.Sample.Seed)
		}
	case *Values:
		for _, row := range n.Rows {
			list(row)
		}
	case *FuncScan:
		list(n.Args)
	case *Select:
		one(n.Cond)
	case *Project:
		list(n.Exprs)
	case *ProjectSet:
		for i := range n.Sets {
			list(n.Sets[i].Args)
		}
	case *Join:
		one(n.On)
		one(n.Cond)
	case *GroupBy:
		list(n.Groups)
		for i := range n.Aggs {
			list(n.Aggs[i].Args)
			one(n.Aggs[i].Filter)
			keys(n.Aggs[i].OrderBy)
		}
	case *Window:
		list(n.Partition)
		keys(n.Order)
		for i := range n.Calls {
			c := &n.Calls[i]
			list(c.Args)
			one(c.Filter)
			for _, b := range []*plan.Bound{&c.Frame.Start, &c.Frame.End} {
				one(b.Offset)
				one(b.Shift)
			}
		}
	case *DistinctOn:
		list(n.Exprs)
		keys(n.Keys)
	case *Sort:
		keys(n.Keys)
	case *Limit:
		one(n.Count)
		one(n.Offset)
		keys(n.Ties)
	}
}

// Volatile says that something in a tree may differ at each run of it: a volatile
// function, a random sample, or a write. Queries inside expressions count.
func Volatile(n Node) bool {
	if VolatileHere(n) {
		return true
	}
	return slices.ContainsFunc(n.Inputs(), Volatile)
}

// VolatileRuns is Volatile for who runs a tree again in one execution, for which a sample is
// drawn once.
func VolatileRuns(n Node) bool {
	return volatileRun(n) || slices.ContainsFunc(n.Inputs(), VolatileRuns)
}

// VolatileHere is Volatile of the node without its inputs.
func VolatileHere(n Node) bool {
	if get, ok := n.(*Get); ok && get.Sample != nil && get.Sample.Seed == nil {
		return true
	}
	return volatileRun(n)
}

func volatileRun(n Node) bool {
	switch n.(type) {
	case *Write, *External, *Lock:
		return true
	}
	found := false
	VisitExprs(n, func(e expr.Expr) { found = found || VolatileExpr(e) })
	return found
}

// VolatileExpr is expr.Volatile with the queries in e.
func VolatileExpr(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		if s, ok := x.(*Subquery); ok {
			found = found || Volatile(s.Query) || s.Cond != nil && VolatileExpr(s.Cond)
		}
		return !found
	})
	return found || expr.Volatile(e)
}
