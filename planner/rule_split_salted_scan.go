package planner

import "github.com/saltsql/saltsql/planner/plan"

// splitSaltedScan settles how the buckets of a salted table are read: full keys,
// whose buckets follow from them, need no gather; in parallel where all rows are
// wanted; one after another where a Limit without a filter wants any few rows.
//
// A merge for key order has been made by use_key_order and stays.
func splitSaltedScan(ctx *Context, n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.SaltGather:
		if s := n.Scan(); s != nil && s.PointsOnly() {
			return s
		}
		if ctx.Hints.has(hintSerial) && !n.Serial {
			return &plan.SaltGather{Input: n.Input, Serial: true}
		}
	case *plan.SaltMerge:
		if s := n.Scan(); s != nil && s.PointsOnly() {
			return s
		}
	case *plan.Limit:
		if n.Count == nil || n.Ties != nil {
			return nil
		}
		if in := serial(n.Input); in != nil {
			return &plan.Limit{Input: in, Count: n.Count, Offset: n.Offset}
		}
	}
	return nil
}

// serial reads a gather's buckets in turn, if each row read is one given.
func serial(n plan.Node) plan.Node {
	switch n := n.(type) {
	case *plan.Project:
		if in := serial(n.Input); in != nil {
			return &plan.Project{Input: in, Exprs: n.Exprs, Cols: n.Cols}
		}
	case *plan.SaltGather:
		if s := n.Scan(); !n.Serial && s != nil && s.Filter == nil {
			return &plan.SaltGather{Input: n.Input, Serial: true}
		}
	}
	return nil
}
