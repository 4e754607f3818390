package planner

import (
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// runByBucket joins tables that are salted alike bucket by bucket, where what they are
// joined by equates the columns that are hashed, and groups by these the same way: what
// belongs together lies in one bucket, so that the buckets need not meet, and are worked on
// in parallel, each with a hash table of its own, or merged (merge_in_bucket).
//
//	Hash Join on a.k = b.k            Salt Gather
//	├─ Salt Gather                    └─ Hash Join on a.k = b.k
//	│  └─ Scan a                  ->     ├─ Scan a
//	└─ Salt Gather                       └─ Scan b
//	   └─ Scan b
//
// Not where SERIAL is asked for, nor of tables that are known to be small.
func runByBucket(ctx *Context, n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.HashJoin:
		return joinByBucket(ctx, n)
	case *plan.Aggregate:
		return groupByBucket(n)
	}
	return nil
}

// salted is a node that can be run once per bucket.
type salted struct {
	node   plan.Node // without the gather
	schema *rowcodec.KeySchema
	// hashed lists where the columns that are hashed are among the node's, in the order in
	// which they are hashed, each way in which they are.
	hashed [][]int
}

// saltedUnder gives what a node gathers; ok is false where that is no salted table.
func saltedUnder(n plan.Node) (s salted, ok bool) {
	switch n := n.(type) {
	case *plan.SaltGather:
		if n.Serial {
			return s, false
		}
		return saltedNode(n.Input)
	case *plan.Filter:
		if s, ok = saltedUnder(n.Input); ok && !expr.Volatile(n.Cond) {
			s.node = &plan.Filter{Input: s.node, Cond: n.Cond}
			return s, true
		}
	case *plan.Project:
		if s, ok = saltedUnder(n.Input); ok && !slices.ContainsFunc(n.Exprs, expr.Volatile) {
			s.node, s.hashed = &plan.Project{Input: s.node, Exprs: n.Exprs, Cols: n.Cols}, projectedCols(s.hashed, n)
			return s, len(s.hashed) > 0
		}
	}
	return s, false
}

// saltedNode looks at what is run by bucket already.
func saltedNode(n plan.Node) (s salted, ok bool) {
	switch n := n.(type) {
	case *plan.Scan:
		if n.Table.Buckets() == 0 || n.Limit != nil || n.Sample != nil || n.ForUpdate || n.WithKey {
			return s, false
		}
		s = salted{node: n, schema: &n.Table.Codec().Key}
		var at []int
		for _, k := range s.schema.HashedColumns() {
			i := slices.Index(n.Cols, n.Table.PrimaryKey[k])
			if i < 0 {
				return s, false
			}
			at = append(at, i)
		}
		s.hashed = [][]int{at}
		return s, true
	case *plan.Filter:
		s, ok = saltedNode(n.Input)
	case *plan.Project:
		s, ok = saltedNode(n.Input)
		s.hashed = projectedCols(s.hashed, n)
	case *plan.HashJoin:
		s, ok = saltedJoin(n.Kind, n.Left, n.Right)
	case *plan.MergeJoin:
		s, ok = saltedJoin(n.Kind, n.Left, n.Right)
	case *plan.Aggregate:
		if s, ok = saltedNode(n.Input); ok {
			s.hashed = groupedCols(s.hashed, n)
		}
	}
	s.node = n
	return s, ok && len(s.hashed) > 0
}

// saltedJoin follows columns through a join.
func saltedJoin(kind plan.JoinKind, l, r plan.Node) (s salted, ok bool) {
	left, leftOK := saltedNode(l)
	right, rightOK := saltedNode(r)
	if !leftOK || !rightOK {
		return s, false
	}
	s = salted{schema: left.schema}
	// A side whose columns may be NULL for a row without a match is not where its hash says.
	if kind != plan.Right && kind != plan.Full {
		s.hashed = left.hashed
	}
	if kind == plan.Inner || kind == plan.Right {
		width := plan.Width(l)
		for _, at := range right.hashed {
			moved := make([]int, len(at))
			for i := range at {
				moved[i] = at[i] + width
			}
			s.hashed = append(slices.Clip(s.hashed), moved)
		}
	}
	return s, true
}

// projectedCols follows columns through a projection.
func projectedCols(hashed [][]int, n *plan.Project) [][]int {
	return moveAt(hashed, len(n.Exprs), func(i int) expr.Expr { return n.Exprs[i] })
}

// groupedCols follows them through an aggregation, whose first columns are the groups.
func groupedCols(hashed [][]int, n *plan.Aggregate) [][]int {
	return moveAt(hashed, len(n.Groups), func(i int) expr.Expr { return n.Groups[i] })
}

// moveAt gives where columns are among the first n of others, which are computed by at.
func moveAt(hashed [][]int, n int, at func(int) expr.Expr) (out [][]int) {
	for _, cols := range hashed {
		var moved []int
		for _, c := range cols {
			for i := range n {
				if x, ok := logical.CastFree(at(i)).(*expr.Col); ok && x.Index == c {
					moved = append(moved, i)
					break
				}
			}
		}
		if len(moved) == len(cols) {
			out = append(out, moved)
		}
	}
	return out
}

func joinByBucket(ctx *Context, j *plan.HashJoin) plan.Node {
	if ctx.Hints.has(hintSerial) || j.Filter != nil && expr.Volatile(j.Filter) || j.Cond != nil && expr.Volatile(j.Cond) {
		return nil
	}
	left, ok := saltedUnder(j.Left)
	if !ok {
		return nil
	}
	right, ok := saltedUnder(j.Right)
	if !ok || !left.schema.SaltsAs(right.schema) || !meetInBucket(j, left, right) || fewSalted(ctx, left.node) && fewSalted(ctx, right.node) {
		return nil
	}
	c := *j
	c.Left, c.Right = left.node, right.node
	c.Reduce = slices.Clone(j.Reduce)
	for i := range c.Reduce {
		c.Reduce[i].Max = max(c.Reduce[i].Max/left.schema.Buckets, 1)
	}
	return &plan.SaltGather{Input: &c}
}

// meetInBucket says that a join's keys equate the columns by which both sides are salted.
func meetInBucket(j *plan.HashJoin, left, right salted) bool {
	equated := func(l, r int) bool {
		return slices.ContainsFunc(j.Keys, func(k plan.JoinKey) bool {
			x, okX := logical.CastFree(k.Left).(*expr.Col)
			y, okY := logical.CastFree(k.Right).(*expr.Col)
			return !k.Unknown && !k.NullsEqual && okX && okY && x.Index == l && y.Index == r
		})
	}
	for _, ls := range left.hashed {
		for _, rs := range right.hashed {
			all := len(ls) == len(rs)
			for i := 0; all && i < len(ls); i++ {
				all = equated(ls[i], rs[i])
			}
			if all {
				return true
			}
		}
	}
	return false
}

// fewSalted says that what is run by bucket reads nothing but tables that are known to be small.
func fewSalted(ctx *Context, n plan.Node) bool {
	for _, s := range plan.BucketScans(nil, n) {
		if !estimate.Few(ctx.Known(), s.Table) {
			return false
		}
	}
	return true
}

// groupByBucket groups rows by columns of which those that are hashed are some: no group has
// rows in two buckets, so that nothing needs to be combined.
func groupByBucket(a *plan.Aggregate) plan.Node {
	if a.Phase != plan.Complete || a.Sets != nil || a.Ordered || len(a.Groups) == 0 {
		return nil
	}
	for i := range a.Aggs {
		if slices.ContainsFunc(a.Aggs[i].Args, expr.Volatile) {
			return nil
		}
	}
	s, ok := saltedUnder(a.Input)
	if !ok || !s.schema.Together() || slices.ContainsFunc(a.Groups, expr.Volatile) {
		return nil
	}
	c := *a
	c.Input = s.node
	if len(groupedCols(s.hashed, &c)) == 0 {
		return nil
	}
	return &plan.SaltGather{Input: &c}
}
