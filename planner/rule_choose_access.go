package planner

import (
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// chooseAccess names how a scan with a key condition finds its rows: one key, a
// list of keys, one range, or several. The name tells what the plan does;
// the spans themselves come from the condition.
//
// A list that may be longer than MaxPoints, or whose length only a parameter
// tells, is still a Multi Point Read; the gather above it stays for the case
// that it is read as ranges.
func chooseAccess(_ *Context, n plan.Node) plan.Node {
	s, ok := walk.ScanUnder(n)
	if !ok || s.Key == nil || s.Access != plan.FullScan {
		return nil
	}
	c := *s
	full, most := s.Key.FullKey(len(s.Table.PrimaryKey))
	switch {
	case full && most == 1:
		c.Access = plan.PointRead
	case full:
		c.Access = plan.MultiPointRead
	case len(s.Key.Or) == 1 && keycond.OneRange(&s.Key.Or[0]), s.Key.MaxSpans == 1:
		c.Access = plan.RangeScan
	case len(s.Key.Within) > 0 && !boundsFirst(s.Key):
		c.Access = plan.RangeScan
	case !boundsFirst(s.Key):
		return nil // only the buckets are pruned
	default:
		c.Access = plan.SkipScan
	}
	return walk.WithScan(n, &c)
}

func boundsFirst(k *plan.KeyCond) bool {
	for i := range k.Or {
		if !keycond.Bounds(&k.Or[i], 0) {
			return false
		}
	}
	return true
}
