package estimate

import (
	"math"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/histogram"
	"github.com/saltsql/saltsql/planner/keyorder"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// Estimator knows roughly how large tables are and where their rows lie. It answers
// at once, from what it has; ok is false where it has nothing.
type Estimator interface {
	// TableRows gives a table's rows.
	TableRows(t *catalog.Table) (rows int64, ok bool)
	// Spread tells of the rows that satisfy cond, every one where it is nil. cond's
	// arguments can be evaluated in env; equal is how many leading key columns it
	// binds to values.
	Spread(t *catalog.Table, cond *plan.KeyCond, equal int, env *expr.Env) (s histogram.Spread, ok bool)
	// Part says which part of these rows satisfies also too, which speaks of key
	// columns from position from on, the first being 0.
	Part(t *catalog.Table, cond, also *plan.KeyCond, from int, env *expr.Env) (part float64, ok bool)
	// Column tells how a column's values are spread, by its ID; nil is not known.
	Column(t *catalog.Table, id int) *colstats.Column
	// SeekRows is how many rows are read in the time of one seek.
	SeekRows() float64
}

// Known is what estimates are made of.
type Known struct {
	// Estimator knows how large tables are; nil knows nothing.
	Estimator Estimator
	// Env evaluates constants; nil leaves them to run time.
	Env *expr.Env
	// SkipScan asks for seeks on tables of any size, whatever is known of them.
	SkipScan bool
}

// FewRows is up to where a table is read as fast as it is sought in.
const FewRows = 1000

// Few says that a table is known to be so small that seeks do not pay.
func Few(by Known, t *catalog.Table) bool {
	if by.Estimator == nil || by.SkipScan {
		return false
	}
	rows, ok := by.Estimator.TableRows(t)
	return ok && rows <= FewRows
}

// What a condition on columns outside of the key is taken to let through, of 100 rows, and one on
// the key where nothing is known of its values.
const (
	PercentEq     = 1
	PercentRange  = 20
	percentFilter = 33
	PercentGroups = 10
)

// PlanRows gives the rows that the nodes of a plan are thought to give; nodes of which
// nothing is known are not in it.
func PlanRows(by Known, p *plan.Plan) map[plan.Node]int64 {
	e := estimates{by: by, into: map[plan.Node]int64{}, groups: map[*plan.Aggregate]float64{}}
	e.node(p.Root)
	return e.into
}

type estimates struct {
	by     Known
	into   map[plan.Node]int64
	groups map[*plan.Aggregate]float64 // of a partial one, over all buckets
}

// node guesses the rows of n and of all nodes below.
func (e *estimates) node(n plan.Node) (rows float64, known bool) {
	var below float64
	known = len(n.Inputs()) > 0
	for _, in := range n.Inputs() {
		r, ok := e.node(in)
		known = known && ok
		below += r
	}
	switch n := n.(type) {
	case *plan.Scan:
		below, known = e.scan(n)
	case *plan.OneRow:
		below, known = 1, true
	case *plan.Values:
		below, known = float64(len(n.Rows)), true
	case *plan.Filter:
		below = PartOf(below, percentFilter)
	case *plan.HashJoin, *plan.MergeJoin, *plan.NestedLoop, *plan.Apply, *plan.LookupJoin:
		below, known = e.join(n)
	case *plan.With:
		below, known = e.of(n.Body)
	case *plan.Aggregate:
		if len(n.Groups) == 0 {
			known = true
		}
		below = e.aggregate(n, below)
	case *plan.DistinctOn:
		below = e.distinctOn(n, below)
	case *plan.Limit:
		below, known = limited(n.Count, below, known)
	case *plan.TopN:
		below, known = limited(n.Count, below, known)
	}
	if known {
		e.into[n] = int64(math.Round(below))
	}
	return below, known
}

// of gives what node has guessed.
func (e *estimates) of(n plan.Node) (float64, bool) {
	rows, known := e.into[n]
	return float64(rows), known
}

// join takes it that a row of the larger side has one match.
func (e *estimates) join(n plan.Node) (float64, bool) {
	kind, ins := plan.AsJoin(n).Kind, n.Inputs()
	left, known := e.of(ins[0])
	if len(ins) == 1 || !kind.GivesRight() || kind == plan.Single {
		return left, known
	}
	right, also := e.of(ins[1])
	return max(left, right), known && also
}

// aggregate gives the groups: the values of a key prefix are known.
func (e *estimates) aggregate(n *plan.Aggregate, below float64) float64 {
	if len(n.Groups) == 0 {
		return 1
	}
	if n.Phase == plan.Final {
		if p := partialBelow(n.Input); p != nil && e.groups[p] > 0 {
			return e.groups[p]
		}
		return below
	}
	runs, values, ok := e.prefixValues(n.Input, n.Groups, below)
	switch {
	case !ok:
		return PartOf(below, PercentGroups)
	case n.Phase == plan.Partial:
		e.groups[n] = values
		return runs
	}
	return values
}

func (e *estimates) distinctOn(n *plan.DistinctOn, below float64) float64 {
	exprs, in := keyorder.Projected(n)
	if _, values, ok := e.prefixValues(in, exprs, below); ok {
		return values
	}
	return PartOf(below, PercentGroups)
}

func partialBelow(n plan.Node) *plan.Aggregate {
	for {
		if a, ok := n.(*plan.Aggregate); ok && a.Phase == plan.Partial {
			return a
		}
		if len(n.Inputs()) != 1 {
			return nil
		}
		n = n.Inputs()[0]
	}
}

// prefixValues gives the number of values that the exprs have in the rows of a scan, where they are
// the first columns of its key, or all but those bound to one value: over all, and
// counted in each bucket.
func (e *estimates) prefixValues(in plan.Node, exprs []expr.Expr, rows float64) (runs, values float64, ok bool) {
	s, ok := walk.ScanUnder(in)
	if !ok {
		return 0, 0, false
	}
	k := 0
	for _, x := range exprs {
		p := keyorder.PrefixOf(s, x)
		if p < 0 {
			return 0, 0, false
		}
		k = max(k, p)
	}
	if k == 0 || !keyorder.GroupsAreRuns(&plan.Aggregate{Groups: exprs}, s, k) {
		return 0, 0, false
	}
	sp, ok := KeySpread(e.by, s)
	if !ok || k >= len(sp.Runs) {
		return 0, 0, false
	}
	if s.Distinct > 0 {
		return min(rows, sp.Runs[k]), min(rows, sp.Distinct[k]), true
	}
	let := 1.0
	if sp.Rows > 0 {
		let = min(rows/sp.Rows, 1)
	}
	return hit(sp.Runs[k], sp.Rows, let), hit(sp.Distinct[k], sp.Rows, let), true
}

// hit is how many of n groups of rows are left with a row where a filter lets a part of
// all rows through.
func hit(n, rows, let float64) float64 {
	if n <= 0 || let >= 1 {
		return n
	}
	return n * (1 - math.Pow(1-let, rows/n))
}

// ScanRows guesses what a scan gives.
func ScanRows(by Known, s *plan.Scan) (float64, bool) {
	e := estimates{by: by}
	return e.scan(s)
}

func (e *estimates) scan(s *plan.Scan) (float64, bool) {
	full, most := s.Key.FullKey(len(s.Table.PrimaryKey))
	if full && most > 0 {
		return float64(most), true
	}
	if e.by.Estimator == nil {
		return 0, false
	}
	sp, ok := KeySpread(e.by, s)
	if !ok {
		return e.scanByRules(s)
	}
	rows := sp.Rows
	let := filterPart(e.by, s)
	if s.Distinct > 0 && s.Distinct < len(sp.Runs) {
		rows = sp.Runs[s.Distinct]
	}
	if sp.Rows > 0 {
		rows = max(rows*let, 1)
	}
	return limited(s.Limit, rows, true)
}

// scanByRules is for a table of which only the number of rows is known.
func (e *estimates) scanByRules(s *plan.Scan) (float64, bool) {
	n, ok := e.by.Estimator.TableRows(s.Table)
	if !ok {
		return 0, false
	}
	return limited(s.Limit, rowsByRules(s, float64(n)), true)
}

// rowsByRules is what a scan lets through of so many rows.
func rowsByRules(s *plan.Scan, rows float64) float64 {
	if s.Key != nil {
		sum := 0.0
		for i := range s.Key.Or {
			sum += conjByRules(rows, &s.Key.Or[i])
		}
		rows = min(rows, sum)
	}
	if s.Filter != nil {
		rows = PartOf(rows, percentFilter)
	}
	if s.Distinct > 0 {
		rows = PartOf(rows, PercentGroups)
	}
	return rows
}

func conjByRules(rows float64, c *plan.KeyConj) float64 {
	for i := range c.Terms {
		switch t := &c.Terms[i]; t.Op {
		case plan.KeyEq:
			rows = PartOf(rows, PercentEq)
		case plan.KeyIn, plan.KeyTupleIn:
			rows = min(rows, PartOf(rows, PercentEq)*float64(len(t.Args)/len(t.Columns)))
		case plan.KeyNe, plan.KeyNotIn, plan.KeyNotInArray:
		default:
			rows = PartOf(rows, PercentRange)
		}
	}
	return rows
}

// PartOf is so many of 100 rows: one at least, if there are any.
func PartOf(rows float64, percent int) float64 {
	if rows == 0 {
		return 0
	}
	return max(rows*float64(percent)/100, 1)
}

func limited(count expr.Expr, rows float64, known bool) (float64, bool) {
	c, ok := count.(*expr.Const)
	if !ok || c.Value.Null || c.Value.Int < 0 {
		return rows, known
	}
	if !known {
		return float64(c.Value.Int), true
	}
	return min(rows, float64(c.Value.Int)), true
}
