package planner

import (
	"math"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// pushLimit tells a scan how many rows can be needed of it, so that each bucket
// opens with a small page and stops early.
//
// Only a projection may stand between, or the lookup of an index's rows, or the parts of an Append: a
// Filter, an aggregation or a sort needs more rows than it gives. The scan's own filter is no obstacle, for the limit
// counts the rows that pass it.
func pushLimit(_ *Context, n plan.Node) plan.Node {
	l, ok := n.(*plan.Limit)
	if !ok || l.Count == nil || l.Ties != nil {
		return nil
	}
	limit := sumOf(l.Count, l.Offset)
	if limit == nil {
		return nil
	}
	if in := limitScan(l.Input, limit, false); in != nil {
		return &plan.Limit{Input: in, Count: l.Count, Offset: l.Offset}
	}
	return nil
}

func limitScan(n plan.Node, limit expr.Expr, loose bool) plan.Node {
	if s, ok := walk.ScanUnder(n); ok {
		if s.Limit != nil || s.Access == plan.PointRead {
			return nil
		}
		c := *s
		c.Limit, c.Loose = limit, loose
		return walk.WithScan(n, &c)
	}
	switch n := n.(type) {
	case *plan.Project:
		if in := limitScan(n.Input, limit, loose); in != nil {
			return &plan.Project{Input: in, Exprs: n.Exprs, Cols: n.Cols}
		}
	case *plan.Append:
		out := &plan.Append{Parts: make([]plan.Node, len(n.Parts)), Cols: n.Cols}
		for i, part := range n.Parts {
			if out.Parts[i] = limitScan(part, limit, loose); out.Parts[i] == nil {
				out.Parts[i] = part
			}
		}
		return out
	case *plan.LookupJoin:
		// An entry leads to one row, or to none where it changes meanwhile.
		if n.Index == "" || n.Filter != nil || n.Right.Filter != nil {
			return nil
		}
		c := *n
		c.Limit = limit
		if in := limitScan(n.Left, limit, true); in != nil {
			c.Left = in
		}
		return &c
	}
	return nil
}

// sumOf adds OFFSET to LIMIT; nil if the sum may not be a number of rows. NULL
// stays NULL, which is no limit.
func sumOf(count, offset expr.Expr) expr.Expr {
	if offset == nil {
		return count
	}
	c, cok := count.(*expr.Const)
	o, ook := offset.(*expr.Const)
	switch {
	case ook && o.Value.Null:
		return count
	case cok && ook:
		if c.Value.Null || c.Value.Int < 0 || o.Value.Int < 0 || c.Value.Int > math.MaxInt64-o.Value.Int {
			return nil
		}
		return &expr.Const{Value: types.NewInt(c.Value.Int + o.Value.Int), T: types.Of(types.Int8)}
	}
	sum, err := expr.ResolveOp("+", count, offset, 0)
	if err != nil {
		return nil
	}
	return guardSum(sum, count, offset)
}

// guardSum makes a sum that would overflow NULL: no limit.
func guardSum(sum, count, offset expr.Expr) expr.Expr {
	half := &expr.Const{Value: types.NewInt(math.MaxInt64 / 2), T: types.Of(types.Int8)}
	var tests []expr.Expr
	for _, e := range []expr.Expr{count, offset} {
		if _, ok := e.(*expr.Const); ok && !isHuge(e) {
			continue
		}
		test, err := expr.ResolveOp(">", e, half, 0)
		if err != nil {
			return nil
		}
		tests = append(tests, test)
	}
	cond := tests[0]
	if len(tests) > 1 {
		cond = &expr.Or{Args: tests}
	}
	none := &expr.Const{Value: types.NullDatum, T: types.Of(types.Int8)}
	return &expr.Case{Whens: []expr.When{{Cond: cond, Then: none}}, Else: sum, T: types.Of(types.Int8)}
}

func isHuge(e expr.Expr) bool {
	c, ok := e.(*expr.Const)
	return ok && (c.Value.Null || c.Value.Int > math.MaxInt64/2)
}
