package norm

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// spreadEquals passes comparisons with constants on to columns that a join equates:
//
//	a JOIN b ON a.x = b.x WHERE a.x = 1        b.x = 1 too
//	a LEFT JOIN b ON a.x = b.x WHERE a.x > 1   b.x > 1 too, not the other way round
//
// Only between columns of one type: there the comparison means the same.
func spreadEquals(z *normalizer, n logical.Node) logical.Node {
	s := spreader{z: z, known: map[logical.Node][]comparison{}}
	return s.node(n)
}

// comparison is a condition on one column that holds for all rows of a tree.
type comparison struct {
	col  logical.ColumnID
	cond expr.Expr
}

// maxComparisons bounds how many are passed on of one tree.
const maxComparisons = 64

type spreader struct {
	z     *normalizer
	known map[logical.Node][]comparison
}

func (s *spreader) node(n logical.Node) logical.Node {
	n = logical.MapInputs(n, s.node)
	if j, ok := n.(*logical.Join); ok && !j.Apply {
		n = s.join(j)
	}
	s.known[n] = s.holds(n)
	return n
}

// join passes conditions from side to side.
func (s *spreader) join(n *logical.Join) logical.Node {
	var toLeft, toRight []expr.Expr
	left, right := s.z.facts.Of(n.Left).Out, s.z.facts.Of(n.Right).Out
	toL := n.Kind == plan.Inner || n.Kind == plan.Semi
	toR := toL || n.Kind == plan.Left || n.Kind == plan.Anti || n.Kind == plan.Mark || n.Kind == plan.Single
	for _, c := range logical.Conjuncts(n.On) {
		x, y, ok := equalColumns(c)
		if !ok {
			continue
		}
		if left.Has(y.Index) && right.Has(x.Index) {
			x, y = y, x
		}
		if !left.Has(x.Index) || !right.Has(y.Index) {
			continue
		}
		if toR {
			toRight = s.pass(toRight, s.known[n.Left], x.Index, y, s.known[n.Right])
		}
		if toL {
			toLeft = s.pass(toLeft, s.known[n.Right], y.Index, x, s.known[n.Left])
		}
	}
	if len(toLeft)+len(toRight) == 0 {
		return n
	}
	j := *n
	j.Left, j.Right = s.z.over(n.Left, toLeft), s.z.over(n.Right, toRight)
	for _, side := range []logical.Node{j.Left, j.Right} {
		if _, ok := s.known[side]; !ok {
			s.known[side] = s.holds(side)
		}
	}
	return &j
}

// pass adds what is known of column from as conditions on the column to.
func (s *spreader) pass(add []expr.Expr, known []comparison, from logical.ColumnID, to *expr.Col, have []comparison) []expr.Expr {
next:
	for _, k := range known {
		if k.col != from {
			continue
		}
		cond := expr.MapCols(k.cond, func(c *expr.Col) expr.Expr {
			moved := *to
			moved.At = c.At
			return &moved
		})
		for _, h := range have {
			if h.col == to.Index && expr.Equal(h.cond, cond) {
				continue next
			}
		}
		if !expr.ContainsExpr(add, cond) {
			add = append(add, cond)
		}
	}
	return add
}

// equalColumns gives the columns of x = y, of one type.
func equalColumns(c expr.Expr) (x, y *expr.Col, ok bool) {
	a, b, nulls, ok := logical.Equality(c)
	if !ok || nulls {
		return nil, nil, false
	}
	x, okX := logical.CastFree(a).(*expr.Col)
	y, okY := logical.CastFree(b).(*expr.Col)
	return x, y, okX && okY && x.T.Base() == y.T.Base()
}

// holds lists what is known of the rows of n.
func (s *spreader) holds(n logical.Node) []comparison {
	var out []comparison
	switch n := n.(type) {
	case *logical.Select:
		out = append(out, s.known[n.Input]...)
		for _, c := range logical.Conjuncts(n.Cond) {
			if col, ok := comparedColumn(c); ok {
				out = append(out, comparison{col: col, cond: c})
			}
		}
	case *logical.Join:
		switch n.Kind {
		case plan.Inner:
			out = append(append(out, s.known[n.Left]...), s.known[n.Right]...)
		case plan.Left, plan.Semi, plan.Anti, plan.Mark, plan.Single:
			out = s.known[n.Left]
		}
	case *logical.Sort:
		out = s.known[n.Input]
	case *logical.Limit:
		out = s.known[n.Input]
	case *logical.Window:
		out = s.known[n.Input]
	case *logical.Project:
		for _, k := range s.known[n.Input] {
			for i, e := range n.Exprs {
				if c, ok := e.(*expr.Col); ok && c.Index == k.col && n.Cols[i] == k.col {
					out = append(out, k)
				}
			}
		}
	case *logical.GroupBy:
		plain := logical.PlainGroups(n)
		for _, k := range s.known[n.Input] {
			if n.Sets == nil && plain.Has(k.col) {
				out = append(out, k)
			}
		}
	}
	if len(out) > maxComparisons {
		out = out[:maxComparisons]
	}
	return out
}

// comparedColumn gives the column of a comparison with what is free of columns.
func comparedColumn(c expr.Expr) (logical.ColumnID, bool) {
	of := func(e expr.Expr) (logical.ColumnID, bool) {
		col, ok := logical.CastFree(e).(*expr.Col)
		if !ok {
			return 0, false
		}
		return col.Index, true
	}
	switch c := c.(type) {
	case *expr.Call:
		switch c.Fn.Name {
		case "=", "<", "<=", ">", ">=":
		default:
			return 0, false
		}
		if len(c.Args) != 2 || logical.VolatileExpr(c) {
			return 0, false
		}
		if expr.IsConst(c.Args[1]) {
			return of(c.Args[0])
		}
		if expr.IsConst(c.Args[0]) {
			return of(c.Args[1])
		}
	case *expr.InList:
		for _, e := range c.List {
			if !expr.IsConst(e) {
				return 0, false
			}
		}
		return of(c.X)
	case *expr.AnyAll:
		if !c.All && c.Op.Name == "=" && expr.IsConst(c.Array) {
			return of(c.X)
		}
	}
	return 0, false
}
