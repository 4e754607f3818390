package planner

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// Estimator knows roughly how large tables are. It answers at once, from what it has.
type Estimator interface {
	// TableRows gives a table's rows; ok is false where that is not known.
	TableRows(t *catalog.Table) (rows int64, ok bool)
}

// fewRows is up to where a table is read as fast as it is sought in.
const fewRows = 1000

// few says that a table is known to be so small that seeks do not pay.
func few(ctx *Context, t *catalog.Table) bool {
	if ctx.Estimator == nil || ctx.Hints.has(hintSkipScan) {
		return false
	}
	rows, ok := ctx.Estimator.TableRows(t)
	return ok && rows <= fewRows
}

// What a condition is taken to let through, of 100 rows.
const (
	percentEq     = 1
	percentRange  = 20
	percentFilter = 33
	percentGroups = 10
)

// estimate guesses the rows that each node gives, for EXPLAIN. Tables are counted;
// what conditions do is a rule of thumb, for nothing is known of the values.
func estimate(ctx *Context, n plan.Node, into map[plan.Node]int64) (rows int64, ok bool) {
	var below int64
	known := len(n.Inputs()) > 0
	for _, in := range n.Inputs() {
		r, ok := estimate(ctx, in, into)
		known = known && ok
		below += r
	}
	switch n := n.(type) {
	case *plan.Scan:
		below, known = estimateScan(ctx, n)
	case *plan.OneRow:
		below, known = 1, true
	case *plan.Values:
		below, known = int64(len(n.Rows)), true
	case *plan.Filter:
		below = part(below, percentFilter)
	case *plan.Aggregate:
		switch {
		case len(n.Groups) == 0:
			below, known = 1, true
		case n.Phase != plan.Final:
			below = part(below, percentGroups)
		}
	case *plan.DistinctOn:
		below = part(below, percentGroups)
	case *plan.Limit:
		below, known = limited(n.Count, below, known)
	case *plan.TopN:
		below, known = limited(n.Count, below, known)
	}
	if known {
		into[n] = below
	}
	return below, known
}

func estimateScan(ctx *Context, s *plan.Scan) (int64, bool) {
	full, most := s.Key.FullKey(len(s.Table.PrimaryKey))
	if full && most > 0 {
		return int64(most), true
	}
	if ctx.Estimator == nil {
		return 0, false
	}
	rows, ok := ctx.Estimator.TableRows(s.Table)
	if !ok {
		return 0, false
	}
	if s.Key != nil {
		sum := int64(0)
		for i := range s.Key.Or {
			sum += estimateConj(rows, &s.Key.Or[i])
		}
		rows = min(rows, sum)
	}
	if s.Filter != nil {
		rows = part(rows, percentFilter)
	}
	if s.Distinct > 0 {
		rows = part(rows, percentGroups)
	}
	return limited(s.Limit, rows, true)
}

func estimateConj(rows int64, c *plan.KeyConj) int64 {
	for i := range c.Terms {
		switch t := &c.Terms[i]; t.Op {
		case plan.KeyEq:
			rows = part(rows, percentEq)
		case plan.KeyIn, plan.KeyTupleIn:
			rows = min(rows, part(rows, percentEq)*int64(len(t.Args)/len(t.Columns)))
		case plan.KeyNe, plan.KeyNotIn, plan.KeyNotInArray:
		default:
			rows = part(rows, percentRange)
		}
	}
	return rows
}

func part(rows, percent int64) int64 {
	if rows == 0 {
		return 0
	}
	return max(rows/100*percent+rows%100*percent/100, 1)
}

func limited(count expr.Expr, rows int64, known bool) (int64, bool) {
	c, ok := count.(*expr.Const)
	if !ok || c.Value.Null || c.Value.Int < 0 {
		return rows, known
	}
	if !known {
		return c.Value.Int, true
	}
	return min(rows, c.Value.Int), true
}

// Estimates gives the rows that the nodes of a plan are thought to give; nodes of which
// nothing is known are not in it.
func Estimates(ctx *Context, p *plan.Plan) map[plan.Node]int64 {
	into := map[plan.Node]int64{}
	estimate(ctx, p.Root, into)
	return into
}
