package planner

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// check refuses a plan that could lose rows or answer in the wrong order: a rule
// that makes one is at fault, and an error is better than a wrong answer.
func check(n plan.Node) error { return checkNode(n, false) }

// checkNode checks n; limited says that a Limit above wants no more rows of n than it gives.
func checkNode(n plan.Node, limited bool) error {
	if s, ok := scanUnder(n); ok {
		if s.Limit != nil && !limited {
			return invalidPlan("the scan of %s is limited, and nothing above it asks for that", s.Table.Name)
		}
		if err := checkScan(s); err != nil {
			return err
		}
	}
	switch n := n.(type) {
	case *plan.Scan:
		if n.Table.Options.SaltBuckets > 0 && !n.PointsOnly() {
			return invalidPlan("%s on salted table %s is neither gathered nor merged", n.Access, n.Table.Name)
		}
		return nil
	case *plan.SaltMerge:
		if n.Input.Order == plan.Unordered {
			return invalidPlan("a merge of the buckets of %s that are read in no order", n.Input.Table.Name)
		}
		return nil
	case *plan.SaltGather:
		return nil
	case *plan.Aggregate:
		if err := checkAggregate(n); err != nil {
			return err
		}
		limited = false
	case *plan.Limit:
		limited = true
	case *plan.Project:
	default:
		limited = false
	}
	for _, in := range n.Inputs() {
		if err := checkNode(in, limited); err != nil {
			return err
		}
	}
	return nil
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
