package planner

import "github.com/saltsql/saltsql/planner/plan"

// chooseAccess names how a scan with a key condition finds its rows: one key, a
// list of keys, one range, or several. The name tells what the plan does;
// the spans themselves come from the condition.
//
// A list that may be longer than MaxPoints, or whose length only a parameter
// tells, is still a Multi Point Read; the gather above it stays for the case
// that it is read as ranges.
func chooseAccess(_ *Context, n plan.Node) plan.Node {
	s, ok := scanUnder(n)
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
	case len(s.Key.Or) == 1 && oneRange(&s.Key.Or[0]), s.Key.MaxSpans == 1:
		c.Access = plan.RangeScan
	case !boundsFirst(s.Key):
		return nil // only the buckets are pruned
	default:
		c.Access = plan.SkipScan
	}
	return withScan(n, &c)
}

// oneRange says that c is a single value for each of some leading columns, then
// at most bounds on the next.
func oneRange(c *plan.KeyConj) bool {
	run := valueRun(c)
	for i := range c.Terms {
		t := &c.Terms[i]
		switch t.Op {
		case plan.KeyIn, plan.KeyInArray, plan.KeyTupleIn:
			return false
		case plan.KeyNe, plan.KeyNotIn, plan.KeyNotInArray:
			if t.Columns[0] <= run {
				return false
			}
		}
		if t.Columns[0] > run {
			continue // a filter that may narrow further
		}
	}
	return run > 0 || bounds(c, 0)
}

func boundsFirst(k *plan.KeyCond) bool {
	for i := range k.Or {
		if !bounds(&k.Or[i], 0) {
			return false
		}
	}
	return true
}
