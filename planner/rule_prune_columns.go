package planner

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/keyorder"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// pruneColumns lets scans read only the columns that something above them uses,
// in the order the projection above gives them. A scan of which only key
// columns remain, or none for count(*), reads no cells.
//
// Not below a node that writes: it must know the whole row.
func pruneColumns(_ *Context, n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.Project:
		in, at := pruneProjected(n.Input, colsOf(n.Exprs))
		if in == nil {
			return nil
		}
		return &plan.Project{Input: in, Exprs: moveAll(n.Exprs, at), Cols: n.Cols}
	case *plan.Aggregate:
		if n.Phase == plan.Final {
			return sameAsPartial(n)
		}
		in, at := prune(n.Input, colsOfAggregate(n))
		if in == nil {
			return nil
		}
		c := *n
		c.Input = in
		moveAggregate(&c, at)
		return &c
	}
	return nil
}

// sameAsPartial gives a final aggregate the expressions of its pruned partial one.
func sameAsPartial(n *plan.Aggregate) plan.Node {
	p, ok := n.Input.(*plan.Aggregate)
	if !ok || slices.EqualFunc(p.Groups, n.Groups, func(a, b expr.Expr) bool { return a == b }) && len(n.Aggs) == 0 {
		return nil
	}
	c := *n
	c.Groups, c.Aggs = p.Groups, p.Aggs
	return &c
}

// prune gives n with no more than the columns need, as far as it can, and where
// each of them now lies; nil if it stays as it is.
func prune(n plan.Node, need []int) (plan.Node, map[int]int) {
	switch n := n.(type) {
	case *plan.Scan, *plan.SaltGather, *plan.SaltMerge:
		if _, ok := walk.ScanUnder(n); ok {
			return pruneScan(n, need)
		}
		if g, ok := n.(*plan.SaltGather); ok {
			if in, at := prune(g.Input, need); in != nil {
				return &plan.SaltGather{Input: in, Serial: g.Serial}, at
			}
		}
		return nil, nil
	case *plan.Filter:
		in, at := prune(n.Input, addCols(need, n.Cond))
		if in == nil {
			return nil, nil
		}
		return &plan.Filter{Input: in, Cond: expr.MoveCols(n.Cond, at)}, at
	case *plan.Limit:
		in, at := prune(n.Input, addCols(need, keyorder.SortExprs(n.Ties)...))
		if in == nil {
			return nil, nil
		}
		c := *n
		c.Input = in
		if n.Ties != nil {
			c.Ties = moveKeys(n.Ties, at)
		}
		return &c, at
	case *plan.Sort:
		in, at := prune(n.Input, addCols(need, keyorder.SortExprs(n.Keys)...))
		if in == nil {
			return nil, nil
		}
		return &plan.Sort{Input: in, Keys: moveKeys(n.Keys, at)}, at
	case *plan.TopN:
		in, at := prune(n.Input, addCols(need, keyorder.SortExprs(n.Keys)...))
		if in == nil {
			return nil, nil
		}
		return &plan.TopN{Input: in, Keys: moveKeys(n.Keys, at), Count: n.Count, Offset: n.Offset}, at
	case *plan.DistinctOn:
		in, at := prune(n.Input, addCols(need, n.Exprs...))
		if in == nil {
			return nil, nil
		}
		return &plan.DistinctOn{Input: in, Exprs: moveAll(n.Exprs, at)}, at
	case *plan.Project:
		return pruneProject(n, need)
	case *plan.VirtualScan:
		return pruneVirtual(n, need)
	}
	return pruneSource(n, need)
}

func pruneScan(n plan.Node, need []int) (plan.Node, map[int]int) {
	s, _ := walk.ScanUnder(n)
	if s.WithKey || s.WithVersion {
		return nil, nil
	}
	if s.Filter != nil {
		need = addCols(need, s.Filter)
	}
	if s.Recheck != nil {
		need = addCols(need, s.Recheck)
	}
	if s.Reduced != nil {
		need = addCols(need, s.Reduced.Recheck)
	}
	if len(need) == len(s.Cols) && slices.IsSorted(need) {
		return nil, nil
	}
	c := *s
	c.Cols = nil
	at := map[int]int{}
	for i, old := range need {
		at[old] = i
		c.Cols = append(c.Cols, s.Cols[old])
	}
	c.Filter, c.Recheck = expr.MoveCols(s.Filter, at), expr.MoveCols(s.Recheck, at)
	if s.Reduced != nil {
		r := *s.Reduced
		r.Recheck = expr.MoveCols(r.Recheck, at)
		c.Reduced = &r
	}
	return walk.WithScan(n, &c), at
}

// pruneProject drops what nobody reads, unless computing it does something.
func pruneProject(n *plan.Project, need []int) (plan.Node, map[int]int) {
	need = slices.Clip(need)
	for i, e := range n.Exprs {
		if expr.Volatile(e) && !slices.Contains(need, i) {
			need = append(need, i)
		}
	}
	if len(need) == len(n.Exprs) {
		return nil, nil
	}
	out := &plan.Project{Input: n.Input}
	at := map[int]int{}
	for i, old := range need {
		at[old] = i
		out.Exprs = append(out.Exprs, n.Exprs[old])
		out.Cols = append(out.Cols, n.Cols[old])
	}
	if in, below := pruneProjected(n.Input, colsOf(out.Exprs)); in != nil {
		out.Input, out.Exprs = in, moveAll(out.Exprs, below)
	}
	return out, at
}

// colsOf lists the columns of expressions in the order of their first use.
func colsOf(exprs []expr.Expr) []int { return addCols([]int{}, exprs...) }

func addCols(need []int, exprs ...expr.Expr) []int {
	need = slices.Clone(need)
	for _, e := range exprs {
		if e == nil {
			continue
		}
		expr.Walk(e, func(x expr.Expr) bool {
			if c, ok := x.(*expr.Col); ok && !slices.Contains(need, c.Index) {
				need = append(need, c.Index)
			}
			return true
		})
	}
	return need
}

func colsOfAggregate(n *plan.Aggregate) []int {
	exprs := slices.Clip(n.Groups)
	for i := range n.Aggs {
		a := &n.Aggs[i]
		exprs = append(append(append(exprs, a.Args...), a.Filter), keyorder.SortExprs(a.OrderBy)...)
	}
	return colsOf(exprs)
}

func moveAggregate(n *plan.Aggregate, at map[int]int) {
	n.Groups = moveAll(n.Groups, at)
	n.Aggs = slices.Clone(n.Aggs)
	for i := range n.Aggs {
		a := &n.Aggs[i]
		a.Args, a.Filter, a.OrderBy = moveAll(a.Args, at), expr.MoveCols(a.Filter, at), moveKeys(a.OrderBy, at)
	}
}

func moveAll(exprs []expr.Expr, at map[int]int) []expr.Expr {
	out := make([]expr.Expr, len(exprs))
	for i, e := range exprs {
		out[i] = expr.MoveCols(e, at)
	}
	return out
}

func moveKeys(keys []plan.SortKey, at map[int]int) []plan.SortKey {
	out := make([]plan.SortKey, len(keys))
	for i, k := range keys {
		k.Expr = expr.MoveCols(k.Expr, at)
		out[i] = k
	}
	return out
}
