package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/keyspan"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// removeEmpty answers without a storage call where no row can come: a condition
// that is false or NULL or contradicts itself, LIMIT 0, and what reads from such a node.
//
// Not for an aggregation without groups, which gives a row for no rows. A node
// that writes stays, with nothing to write.
func removeEmpty(_ *Context, n plan.Node) plan.Node {
	if s, ok := walk.ScanUnder(n); ok {
		if contradicts(s.Filter) {
			return &plan.Values{Cols: n.Columns()}
		}
		return nil
	}
	switch n := n.(type) {
	case *plan.Filter:
		if c, ok := n.Cond.(*expr.Const); ok {
			if c.Value.Null || !c.Value.Bool {
				return &plan.Values{Cols: n.Columns()}
			}
			return n.Input
		}
		if contradicts(n.Cond) {
			return &plan.Values{Cols: n.Columns()}
		}
		return emptyLike(n, n.Input)
	case *plan.Limit:
		if c, ok := n.Count.(*expr.Const); ok && !c.Value.Null && c.Value.Int == 0 && offsetIsValid(n.Offset) {
			return &plan.Values{Cols: n.Columns()}
		}
		if limitIsValid(n.Count) && offsetIsValid(n.Offset) {
			return emptyLike(n, n.Input)
		}
	case *plan.Project:
		return emptyLike(n, n.Input)
	case *plan.Sort:
		return emptyLike(n, n.Input)
	case *plan.DistinctOn:
		return emptyLike(n, n.Input)
	case *plan.Aggregate:
		if len(n.Groups) > 0 && n.Sets == nil {
			return emptyLike(n, n.Input)
		}
	case *plan.Append:
		return appendWithoutEmpty(n)
	case *plan.LookupJoin:
		return emptyLike(n, n.Left)
	case *plan.Window:
		return emptyLike(n, n.Input)
	case *plan.ProjectSet:
		return emptyLike(n, n.Input)
	}
	if j := plan.AsJoin(n); j != nil {
		return emptyJoin(n, j.Kind, j.Left, j.Right)
	}
	return nil
}

// contradicts says that a condition wants two values of one column, as x = 1 AND x = 2 does.
func contradicts(cond expr.Expr) bool {
	if cond == nil {
		return false
	}
	conds := walk.Conjuncts(cond)
	if len(conds) < 2 {
		return false
	}
	wanted := map[int]*expr.Const{}
	for _, c := range conds {
		col, val := equalsLiteral(c)
		if col == nil {
			continue
		}
		if first := wanted[col.Index]; first == nil {
			wanted[col.Index] = val
		} else if !types.Equal(col.T, first.Value, val.Value) {
			return true
		}
	}
	return false
}

// equalsLiteral gives the sides of a column's equality with a literal of its own type, or of
// whole numbers; nil of any other condition.
func equalsLiteral(c expr.Expr) (*expr.Col, *expr.Const) {
	call, ok := c.(*expr.Call)
	if !ok || call.Fn.Name != "=" || len(call.Args) != 2 {
		return nil, nil
	}
	col, isCol := call.Args[0].(*expr.Col)
	val, isVal := call.Args[1].(*expr.Const)
	if !isCol || !isVal {
		col, isCol = call.Args[1].(*expr.Col)
		val, isVal = call.Args[0].(*expr.Const)
	}
	if !isCol || !isVal || val.Value.Null || col.T.Kind == types.Bpchar {
		return nil, nil
	}
	if col.T.Kind != val.T.Kind && !(keyspan.IsWholeType(col.T.Kind) && keyspan.IsWholeType(val.T.Kind)) {
		return nil, nil
	}
	return col, val
}

// emptyJoin is a join of which a side has no rows: it has none either where that side's
// rows are what it gives, and the left side's as they are where it looks for what is not there.
func emptyJoin(n plan.Node, k plan.JoinKind, left, right plan.Node) plan.Node {
	l, r := isEmpty(left), isEmpty(right)
	switch k {
	case plan.Inner, plan.Semi:
		if l || r {
			return &plan.Values{Cols: n.Columns()}
		}
	case plan.Anti:
		if r {
			return left
		}
		return emptyLike(n, left)
	case plan.Left, plan.Mark, plan.Single:
		return emptyLike(n, left)
	case plan.Right:
		return emptyLike(n, right)
	case plan.Full:
		if l && r {
			return &plan.Values{Cols: n.Columns()}
		}
	}
	return nil
}

// emptyLike gives an empty result in the place of n if its input is one.
func emptyLike(n, input plan.Node) plan.Node {
	if !isEmpty(input) {
		return nil
	}
	return &plan.Values{Cols: n.Columns()}
}

func isEmpty(n plan.Node) bool {
	v, ok := n.(*plan.Values)
	return ok && len(v.Rows) == 0
}

func appendWithoutEmpty(n *plan.Append) plan.Node {
	var parts []plan.Node
	for _, p := range n.Parts {
		if !isEmpty(p) {
			parts = append(parts, p)
		}
	}
	switch {
	case len(parts) == len(n.Parts):
		return nil
	case len(parts) == 0:
		return &plan.Values{Cols: n.Cols}
	}
	return &plan.Append{Parts: parts, Cols: n.Cols}
}

// A negative number, or one that only a parameter tells, must reach the
// operator, which refuses it.
func limitIsValid(e expr.Expr) bool {
	if e == nil {
		return true
	}
	c, ok := e.(*expr.Const)
	return ok && (c.Value.Null || c.Value.Int >= 0)
}

func offsetIsValid(e expr.Expr) bool { return limitIsValid(e) }
