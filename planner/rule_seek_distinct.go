package planner

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/plan"
)

// seekDistinct lets a scan seek from one value of a key prefix to the next where
// only the first row of each is needed:
//
//	SELECT DISTINCT host                        each host
//	SELECT count(DISTINCT host), max(host)      each host
//	SELECT host, min(ts) … GROUP BY host        each host, for a key (host, ts)
//	SELECT DISTINCT ON (host) * … ORDER BY host, ts DESC
//
// Not where an aggregate counts rows, nor with a filter on columns behind the prefix,
// which the first row may fail and a later one pass. Nor where there are known to be
// so many values that reading on is faster (see seeksPay); where that is not known, the
// scan finds out when it runs.
func seekDistinct(ctx *Context, n plan.Node) plan.Node {
	if ctx.Hints.has(hintRangeScan) {
		return nil
	}
	switch n := n.(type) {
	case *plan.Aggregate:
		if n.Phase != plan.Complete || n.Sets != nil {
			return nil
		}
		if s, ok := scanUnder(n.Input); ok {
			if prefix := distinctPrefix(n, s); prefix > 0 {
				if in := seekEach(ctx, n.Input, prefix); in != nil {
					c := *n
					c.Input = in
					return &c
				}
			}
		}
	case *plan.DistinctOn:
		return seekDistinctOn(ctx, n)
	}
	return nil
}

// seekEach has a scan give the first row of each value of its first key columns.
func seekEach(ctx *Context, n plan.Node, prefix int) plan.Node {
	s, _ := scanUnder(n)
	switch s.Access {
	case plan.FullScan, plan.RangeScan, plan.SkipScan:
	default:
		return nil
	}
	if prefix >= len(s.Table.PrimaryKey) || s.Distinct > 0 || s.Limit != nil || s.Sample != nil || s.Reduced != nil || s.ForUpdate || s.WithKey || s.WithVersion {
		return nil
	}
	for _, cond := range []expr.Expr{s.Filter, s.Recheck} {
		if cond != nil && keyPrefixOf(s, cond) > prefix || cond != nil && keyPrefixOf(s, cond) < 0 {
			return nil
		}
	}
	c := *s
	c.Distinct, c.Skip, c.Access = prefix, nil, plan.SkipScan
	if !seeksPay(ctx, &c, prefix) {
		return nil
	}
	return withScan(n, &c)
}

// distinctPrefix gives how many leading key columns decide n's answer; 0 if that is not so.
func distinctPrefix(n *plan.Aggregate, s *plan.Scan) int {
	if len(n.Groups)+len(n.Aggs) == 0 {
		return 0
	}
	prefix := 0
	for _, g := range n.Groups {
		p := keyPrefixOf(s, g)
		if p < 0 {
			return 0
		}
		prefix = max(prefix, p)
	}
	groups := prefix
	var ends []*plan.AggCall // of the column behind the groups
	for i := range n.Aggs {
		a := &n.Aggs[i]
		if len(a.OrderBy) > 0 || len(a.Args) == 0 {
			return 0
		}
		if a.Filter == nil && firstOfRun(s, a, groups) {
			ends = append(ends, a)
			continue
		}
		switch {
		case a.Distinct:
		case a.Agg.Name == "min", a.Agg.Name == "max", a.Agg.Name == "bool_and", a.Agg.Name == "bool_or", a.Agg.Name == "every":
		default:
			return 0
		}
		for _, e := range append(a.Args[:len(a.Args):len(a.Args)], a.Filter) {
			if e == nil {
				continue
			}
			p := keyPrefixOf(s, e)
			if p < 0 {
				return 0
			}
			prefix = max(prefix, p)
		}
	}
	if len(ends) > 0 && (groups == 0 || prefix > groups || !groupsAreRuns(n, s, groups)) {
		prefix = max(prefix, groups+1)
	}
	return prefix
}

// firstOfRun says that an aggregate is that of the first row, in the direction of the
// scan, of those that agree in so many key columns.
func firstOfRun(s *plan.Scan, a *plan.AggCall, prefix int) bool {
	name := a.Agg.Name
	if name != "min" && name != "max" || len(a.Args) != 1 {
		return false
	}
	col := keyColumnOf(s, a.Args[0])
	if col == nil || col.KeyPos != prefix || !ordersByKey(s, prefix) {
		return false
	}
	return (name == "max") == (col.Desc != (s.Order == plan.Reverse))
}

// groupsAreRuns says that the rows of a group are those that agree in the first key
// columns: these are groups, or bound to one value.
func groupsAreRuns(n *plan.Aggregate, s *plan.Scan, prefix int) bool {
	covered := fixedColumns(s)
	for _, g := range n.Groups {
		if col := keyColumnOf(s, g); col != nil {
			covered[col.KeyPos] = true
		} else if !expr.IsConst(g) {
			return false
		}
	}
	for p := range prefix {
		if !covered[p] {
			return false
		}
	}
	return true
}

// keyColumnOf gives the key column that e is, looking through a cast that keeps every value.
func keyColumnOf(s *plan.Scan, e expr.Expr) *catalog.Column {
	r := keycond.Reader{Scan: s}
	col, _ := r.Column(e)
	return col
}

// keyPrefixOf gives how many leading key columns hold all that e reads; -1 where it reads
// something else, or may differ at each call.
func keyPrefixOf(s *plan.Scan, e expr.Expr) int {
	if expr.Volatile(e) {
		return -1
	}
	prefix := 0
	for _, c := range expr.Cols(e) {
		if c >= len(s.Cols) || s.Table.Columns[s.Cols[c]].KeyPos < 0 {
			return -1
		}
		prefix = max(prefix, s.Table.Columns[s.Cols[c]].KeyPos+1)
	}
	return prefix
}

// seekDistinctOn does so for DISTINCT ON a key prefix, whose rows come in key order.
func seekDistinctOn(ctx *Context, n *plan.DistinctOn) plan.Node {
	exprs, in := projected(n)
	project, _ := n.Input.(*plan.Project)
	s, ok := scanUnder(in)
	if !ok || s.Order == plan.Unordered {
		return nil
	}
	prefix := 0
	for _, e := range exprs {
		p := keyPrefixOf(s, e)
		if p < 0 {
			return nil
		}
		prefix = max(prefix, p)
	}
	if prefix == 0 || !groupsAreRuns(&plan.Aggregate{Groups: exprs}, s, prefix) {
		return nil
	}
	if in = seekEach(ctx, in, prefix); in == nil {
		return nil
	}
	if project != nil {
		in = &plan.Project{Input: in, Exprs: project.Exprs, Cols: project.Cols}
	}
	return &plan.DistinctOn{Input: in, Exprs: n.Exprs}
}

// projected gives the expressions of a DISTINCT ON over what is below a projection under it.
func projected(n *plan.DistinctOn) ([]expr.Expr, plan.Node) {
	project, ok := n.Input.(*plan.Project)
	if !ok {
		return n.Exprs, n.Input
	}
	exprs := make([]expr.Expr, len(n.Exprs))
	for i, e := range n.Exprs {
		exprs[i] = expr.MapCols(e, func(c *expr.Col) expr.Expr { return project.Exprs[c.Index] })
	}
	return exprs, project.Input
}
