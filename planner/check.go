package planner

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// check refuses a plan that could lose rows or answer in the wrong order: a rule
// that makes one is at fault, and an error is better than a wrong answer.
func check(n plan.Node) error { return checkNode(n, false, false) }

// checkNode checks n; limited says that a Limit above wants no more rows of n than it
// gives, byBucket that n is run once per salt bucket.
func checkNode(n plan.Node, limited, byBucket bool) error {
	if s, ok := walk.ScanUnder(n); ok {
		if s.Limit != nil && !limited {
			return invalidPlan("the scan of %s is limited, and nothing above it asks for that", s.Table.Name)
		}
		if err := checkScan(s); err != nil {
			return err
		}
	}
	switch n := n.(type) {
	case *plan.Scan:
		if n.Table.Buckets() > 0 && !n.PointsOnly() && !byBucket {
			return invalidPlan("%s on salted table %s is neither gathered nor merged", n.Access, n.Table.Name)
		}
		return nil
	case *plan.SaltMerge:
		s := n.Scan()
		if s == nil {
			if len(n.Keys) == 0 {
				return invalidPlan("a merge of buckets by no key")
			}
			return checkByBucket(n.Input)
		}
		if s.Order == plan.Unordered {
			return invalidPlan("a merge of the buckets of %s that are read in no order", s.Table.Name)
		}
		return nil
	case *plan.SaltGather:
		if n.Scan() == nil {
			return checkByBucket(n.Input)
		}
		return nil
	case *plan.Aggregate:
		if err := checkAggregate(n); err != nil {
			return err
		}
		limited = false
	case *plan.Limit:
		limited = true
	case *plan.Project, *plan.Append:
	case *plan.LookupJoin:
		limited = limited && n.Index != ""
	default:
		limited = false
	}
	for _, in := range n.Inputs() {
		if err := checkNode(in, limited, byBucket); err != nil {
			return err
		}
	}
	return nil
}

// checkByBucket checks what is run once per bucket.
func checkByBucket(n plan.Node) error {
	scans := plan.BucketScans(nil, n)
	if len(scans) == 0 {
		return invalidPlan("a node without a salted scan is run by bucket")
	}
	for _, s := range scans {
		if s.Table.Buckets() != scans[0].Table.Buckets() {
			return invalidPlan("%s and %s, which have other buckets, are run by bucket together", scans[0].Table.Name, s.Table.Name)
		}
	}
	return checkNode(n, false, true)
}

// checkScan refuses positions outside of the table.
func checkScan(s *plan.Scan) error {
	if s.Distinct > 0 && s.Distinct >= len(s.Table.PrimaryKey) {
		return invalidPlan("the scan of %s gives one row of each of %d key columns, of %d", s.Table.Name, s.Distinct, len(s.Table.PrimaryKey))
	}
	for _, c := range s.Cols {
		if c < 0 || c >= len(s.Table.Columns) {
			return invalidPlan("column %d of %s does not exist", c, s.Table.Name)
		}
	}
	return nil
}

func checkAggregate(n *plan.Aggregate) error {
	if n.Sets != nil && (n.Phase != plan.Complete || n.Ordered) {
		return invalidPlan("grouping sets in parts, or in order")
	}
	switch n.Phase {
	case plan.Final:
		if p, ok := n.Input.(*plan.Aggregate); !ok || p.Phase != plan.Partial || len(p.Groups) != len(n.Groups) || len(p.Aggs) != len(n.Aggs) {
			return invalidPlan("a final aggregate without the partial one it combines")
		}
	case plan.Partial:
		switch n.Input.(type) {
		case *plan.SaltGather, *plan.SaltMerge:
		default:
			return invalidPlan("a partial aggregate of something other than salt buckets")
		}
	}
	return nil
}

func invalidPlan(format string, args ...any) error {
	return sqlerr.New(sqlerr.InternalError, "invalid plan: "+format, args...)
}
