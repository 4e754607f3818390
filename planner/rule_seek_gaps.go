package planner

import (
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// seekGaps lets a scan leave out the rows between those that a condition on a later key
// column wants, where a column before it is not bound to values:
//
//	key (a, b, c):   b = 5             for each a, seek b = 5
//	                 a = 1 AND c > 7   for each b of a = 1, seek c > 7
//
// The condition stays in the filter. Where the number of values before it is known, it
// decides (see estimate.SeeksPay); else the scan finds out when it runs: with many, it reads on.
// Small lists and ranges need none of this: their cross product is read as spans.
//
// Not for full keys, nor for a table known to be small.
func seekGaps(ctx *Context, n plan.Node) plan.Node {
	s, ok := walk.ScanUnder(n)
	if !ok || s.Skip != nil || s.Distinct > 0 || s.Reduced != nil || ctx.Hints.has(hintRangeScan) {
		return nil
	}
	switch s.Access {
	case plan.FullScan, plan.RangeScan, plan.SkipScan:
	default:
		return nil
	}
	g, ok := keycond.ReadGaps(s)
	if !ok || !estimate.SeeksPay(ctx.Known(), s, g.From) {
		return nil
	}
	c := *s
	c.Skip, c.SkipFrom, c.Access = g.Skip, g.From, plan.SkipScan
	return walk.WithScan(n, &c)
}
