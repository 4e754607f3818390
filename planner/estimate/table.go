package estimate

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/plan"
)

// What is taken of tables nothing is known of.
const (
	unknownRows = 1000
	unknownSeek = 32
)

// TableRows is how many rows a table has.
func (by Known) TableRows(t *catalog.Table) float64 {
	if by.Estimator != nil {
		if n, ok := by.Estimator.TableRows(t); ok {
			return float64(n)
		}
	}
	return unknownRows
}

// SeekRows is how many rows are read in the time of one seek.
func (by Known) SeekRows() float64 {
	if by.Estimator == nil {
		return unknownSeek
	}
	return max(by.Estimator.SeekRows(), 1)
}

// Rows guesses what a scan gives.
func (by Known) Rows(s *plan.Scan) float64 {
	if r, ok := ScanRows(by, s); ok {
		return r
	}
	return rowsByRules(s, unknownRows)
}

// Spans guesses how many places a scan seeks.
func (by Known) Spans(s *plan.Scan) float64 {
	buckets := float64(max(s.Table.Buckets(), 1))
	if s.Key == nil {
		return buckets
	}
	total := 0.0
	for i := range s.Key.Or {
		c := &s.Key.Or[i]
		n := 1.0
		for j := range c.Terms {
			switch t := &c.Terms[j]; t.Op {
			case plan.KeyIn, plan.KeyTupleIn:
				n *= float64(len(t.Args) / len(t.Columns))
			case plan.KeyInArray:
				n *= ManyValues
			}
		}
		if keycond.ValueRun(c) < len(s.Table.PrimaryKey) && !keycond.BindsBucket(s.Table, c) {
			n *= buckets
		}
		total += n
	}
	return total
}
