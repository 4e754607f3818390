package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/keyorder"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
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
// so many values that reading on is faster (see estimate.SeeksPay); where that is not known, the
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
		if s, ok := walk.ScanUnder(n.Input); ok {
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
	s, _ := walk.ScanUnder(n)
	switch s.Access {
	case plan.FullScan, plan.RangeScan, plan.SkipScan:
	default:
		return nil
	}
	if prefix >= len(s.Table.PrimaryKey) || s.Distinct > 0 || s.Limit != nil || s.Sample != nil || s.Reduced != nil || s.ForUpdate || s.WithKey || s.WithVersion {
		return nil
	}
	for _, cond := range []expr.Expr{s.Filter, s.Recheck} {
		if cond != nil && keyorder.PrefixOf(s, cond) > prefix || cond != nil && keyorder.PrefixOf(s, cond) < 0 {
			return nil
		}
	}
	c := *s
	c.Distinct, c.Skip, c.Access = prefix, nil, plan.SkipScan
	if !estimate.SeeksPay(ctx.Known(), &c, prefix) {
		return nil
	}
	return walk.WithScan(n, &c)
}

// distinctPrefix gives how many leading key columns decide n's answer; 0 if that is not so.
func distinctPrefix(n *plan.Aggregate, s *plan.Scan) int {
	if len(n.Groups)+len(n.Aggs) == 0 {
		return 0
	}
	prefix := 0
	for _, g := range n.Groups {
		p := keyorder.PrefixOf(s, g)
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
			p := keyorder.PrefixOf(s, e)
			if p < 0 {
				return 0
			}
			prefix = max(prefix, p)
		}
	}
	if len(ends) > 0 && (groups == 0 || prefix > groups || !keyorder.GroupsAreRuns(n, s, groups)) {
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
	col := keyorder.ColumnOf(s, a.Args[0])
	if col == nil || col.KeyPos != prefix || !keyorder.OrdersByKey(s, prefix) {
		return false
	}
	return (name == "max") == (col.Desc != (s.Order == plan.Reverse))
}

// seekDistinctOn does so for DISTINCT ON a key prefix, whose rows come in key order.
func seekDistinctOn(ctx *Context, n *plan.DistinctOn) plan.Node {
	exprs, in := keyorder.Projected(n)
	project, _ := n.Input.(*plan.Project)
	s, ok := walk.ScanUnder(in)
	if !ok || s.Order == plan.Unordered {
		return nil
	}
	prefix := 0
	for _, e := range exprs {
		p := keyorder.PrefixOf(s, e)
		if p < 0 {
			return nil
		}
		prefix = max(prefix, p)
	}
	if prefix == 0 || !keyorder.GroupsAreRuns(&plan.Aggregate{Groups: exprs}, s, prefix) {
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
