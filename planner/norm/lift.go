package norm

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// lifter takes conditions that name the columns outer out of a tree.
type lifter struct {
	z     *normalizer
	outer logical.ColSet
}

// lift gives a tree that does not name outer, and conditions over its columns and outer:
// the rows of n are those of the tree for which they are true. The tree's columns are n's
// and those that the conditions name. ok is false where that cannot be.
func (x *lifter) lift(n logical.Node) (out logical.Node, conds []expr.Expr, ok bool) {
	if !x.z.correlated(n, x.outer) {
		return n, nil, true
	}
	switch n := n.(type) {
	case *logical.Select:
		return x.ofSelect(n)
	case *logical.Project:
		return x.project(n)
	case *logical.Join:
		return x.join(n)
	case *logical.Sort:
		return x.lift(n.Input) // an order means nothing to a join
	case *logical.GroupBy:
		if n.Sets != nil || len(n.Groups) == 0 || x.z.usesOf(n, x.outer) || takesOrder(n) {
			return nil, nil, false
		}
		in, conds, ok := x.lift(n.Input)
		if !ok {
			return nil, nil, false
		}
		g := *n
		g.Input, g.Groups, g.GroupCols = in, slices.Clone(n.Groups), slices.Clone(n.GroupCols)
		conds, ok = x.groupBy(&g, conds)
		return &g, conds, ok
	case *logical.Window:
		return x.window(n)
	case *logical.DistinctOn:
		return x.distinctOn(n)
	}
	return nil, nil, false
}

func (x *lifter) names(e expr.Expr) bool { return x.z.facts.ColsOf(e).Intersects(x.outer) }

func (x *lifter) ofSelect(n *logical.Select) (logical.Node, []expr.Expr, bool) {
	if x.z.isGuard(n.Cond) {
		return nil, nil, false
	}
	in, conds, ok := x.lift(n.Input)
	if !ok {
		return nil, nil, false
	}
	var rest []expr.Expr
	for _, c := range logical.Conjuncts(n.Cond) {
		if x.names(c) {
			conds = append(conds, c)
		} else {
			rest = append(rest, c)
		}
	}
	return x.z.over(in, rest), conds, true
}

// project passes on what the conditions from below it name.
func (x *lifter) project(n *logical.Project) (logical.Node, []expr.Expr, bool) {
	if x.z.usesOf(n, x.outer) || slices.ContainsFunc(n.Exprs, logical.VolatileExpr) {
		return nil, nil, false
	}
	in, conds, ok := x.lift(n.Input)
	if !ok {
		return nil, nil, false
	}
	p := &logical.Project{Input: in, Exprs: slices.Clone(n.Exprs), Cols: slices.Clone(n.Cols)}
	below := x.z.facts.Of(in).Out
	for _, c := range conds {
		for _, id := range x.z.facts.ColsOf(c).Intersect(below).Cols() {
			if !slices.Contains(p.Cols, id) {
				p.Exprs, p.Cols = append(p.Exprs, x.z.meta.Ref(id)), append(p.Cols, id)
			}
		}
	}
	return p, conds, true
}

func (x *lifter) join(n *logical.Join) (logical.Node, []expr.Expr, bool) {
	j := *n
	var conds []expr.Expr
	var ok bool
	if j.Left, conds, ok = x.lift(n.Left); !ok {
		return nil, nil, false
	}
	if n.Kind == plan.Inner {
		var more []expr.Expr
		if j.Right, more, ok = x.lift(n.Right); !ok {
			return nil, nil, false
		}
		conds = append(conds, more...)
		var on []expr.Expr
		for _, c := range logical.Conjuncts(n.On) {
			if x.names(c) {
				conds = append(conds, c)
			} else {
				on = append(on, c)
			}
		}
		j.On = logical.AndAll(on)
	} else if !keepsLeft(n.Kind) || x.z.correlated(n.Right, x.outer) || x.z.usesOf(n, x.outer) {
		return nil, nil, false
	}
	// The join gives what the conditions name: those of the left side, or of both.
	return &j, conds, true
}

// groupBy adds to the groups what equalities with outer compare, and says the equalities
// of the groups; ok is false where another condition is among them.
func (x *lifter) groupBy(g *logical.GroupBy, conds []expr.Expr) ([]expr.Expr, bool) {
	var out []expr.Expr
	for _, c := range conds {
		if x.apart(c, g.Input) {
			out = append(out, c)
			continue
		}
		inner, build, ok := x.equality(c)
		if !ok {
			return nil, false
		}
		at := expr.IndexExpr(g.Groups, inner)
		if at < 0 {
			at = len(g.Groups)
			g.Groups, g.GroupCols = append(g.Groups, inner), append(g.GroupCols, x.column(inner))
		}
		out = append(out, build(x.z.meta.Ref(g.GroupCols[at])))
	}
	return out, true
}

// apart says that a condition names no column of a tree, but outer and perhaps what is
// further out: it is the same for all rows of the tree, grouped or not.
func (x *lifter) apart(c expr.Expr, tree logical.Node) bool {
	return !x.z.facts.ColsOf(c).Intersects(x.z.facts.Of(tree).Out)
}

// column is the ID of an expression that becomes a column: its own, if it is one.
func (x *lifter) column(e expr.Expr) logical.ColumnID {
	if c, ok := e.(*expr.Col); ok {
		return c.Index
	}
	return x.z.meta.Add(logical.Column{Name: expr.ToText(e), Type: e.Type()})
}

// equality reads a condition as an equality of something of the tree with something of
// outer; build says it again of another left side.
func (x *lifter) equality(c expr.Expr) (inner expr.Expr, build func(expr.Expr) expr.Expr, ok bool) {
	a, b, nulls, ok := logical.Equality(c)
	if !ok {
		return nil, nil, false
	}
	of := func(e expr.Expr) (outer, tree bool) {
		cols := x.z.facts.ColsOf(e)
		return cols.Intersects(x.outer), !cols.SubsetOf(x.outer)
	}
	aOuter, aTree := of(a)
	bOuter, bTree := of(b)
	if aOuter && !aTree && !bOuter {
		a, b = b, a
	} else if aOuter || !bOuter || bTree {
		return nil, nil, false
	}
	return a, func(e expr.Expr) expr.Expr {
		eq := equals(e, b, nulls)
		if eq == nil {
			return c
		}
		return eq
	}, canEqual(a, b)
}

// canEqual says that an equality of the two can be made.
func canEqual(a, b expr.Expr) bool { return equals(a, b, false) != nil && equals(a, b, true) != nil }

// equals makes a = b, or a IS NOT DISTINCT FROM b; nil where there is no such operator.
func equals(a, b expr.Expr, nullsEqual bool) expr.Expr {
	if nullsEqual {
		d, err := expr.MakeIsDistinct(a, b, 0)
		if err != nil {
			return nil
		}
		return &expr.Not{X: d}
	}
	e, err := expr.ResolveOp("=", a, b, 0)
	if err != nil {
		return nil
	}
	return e
}

// window computes for each value that is compared.
func (x *lifter) window(n *logical.Window) (logical.Node, []expr.Expr, bool) {
	if x.z.usesOf(n, x.outer) {
		return nil, nil, false
	}
	in, conds, ok := x.lift(n.Input)
	if !ok {
		return nil, nil, false
	}
	w := *n
	w.Input, w.Partition = in, slices.Clone(n.Partition)
	for _, c := range conds {
		if x.apart(c, in) {
			continue
		}
		inner, _, ok := x.equality(c)
		if !ok {
			return nil, nil, false
		}
		if !expr.ContainsExpr(w.Partition, inner) {
			w.Partition = append(w.Partition, inner)
		}
	}
	return &w, conds, true
}

// distinctOn keeps the first row for each value that is compared.
func (x *lifter) distinctOn(n *logical.DistinctOn) (logical.Node, []expr.Expr, bool) {
	if x.z.usesOf(n, x.outer) {
		return nil, nil, false
	}
	in, conds, ok := x.lift(n.Input)
	if !ok {
		return nil, nil, false
	}
	d := &logical.DistinctOn{Input: in, Exprs: slices.Clone(n.Exprs)}
	for _, c := range conds {
		if x.apart(c, in) {
			continue
		}
		inner, _, ok := x.equality(c)
		if !ok {
			return nil, nil, false
		}
		if !expr.ContainsExpr(d.Exprs, inner) {
			d.Exprs = append(d.Exprs, inner)
			d.Keys = append(d.Keys, plan.SortKey{Expr: inner})
		}
	}
	d.Keys = append(d.Keys, n.Keys...)
	return d, conds, true
}

// takesOrder says that an aggregation depends on the order of its input, and that this has
// one.
func takesOrder(g *logical.GroupBy) bool {
	for i := range g.Aggs {
		a := &g.Aggs[i]
		switch a.Agg.Name {
		case "count", "sum", "avg", "min", "max", "bool_and", "bool_or", "every":
			continue
		}
		if len(a.OrderBy) == 0 && ordered(g.Input) {
			return true
		}
	}
	return false
}

// ordered says that a Sort decides the order of the rows of n.
func ordered(n logical.Node) bool {
	switch n := n.(type) {
	case *logical.Sort, *logical.DistinctOn:
		return true
	case *logical.Project, *logical.Select, *logical.ProjectSet, *logical.Limit, *logical.Window:
		return ordered(n.Inputs()[0])
	case *logical.Join:
		return ordered(n.Left)
	}
	return false
}
