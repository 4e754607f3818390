package planner

import (
	"math"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// Costs of what nodes do beside reading, in the time it takes to read a row of a scan.
const (
	costRow     = 0.1  // a row passed on
	costMerge   = 0.2  // a row that a merge of buckets gives
	costCompare = 0.05 // two rows compared by a sort
	costKeep    = 1.5  // a row kept in a hash table, or grouped
	costGet     = 0.5  // a row read by its full key among others, of a seek
	costMostGet = 64   // the same at most: over a network many share a call
	costBatch   = 1000 // rows read by key that share a call
)

// leastRows is how many rows a table is taken to have at least: a plan outlives the table's
// first rows, and no choice among so few matters.
const leastRows = 1000

// costOf guesses what running a plan costs.
func costOf(ctx *Context, root plan.Node) float64 {
	c := costing{access: accessPaths{ctx: ctx}}
	return c.node(root).total
}

// nodeCost is what a node costs: until its first row, and to the last of its rows.
type nodeCost struct{ start, total, rows float64 }

// costing guesses what running plans costs.
type costing struct {
	access accessPaths
	known  map[plan.Node]nodeCost // nil where no node is asked for twice
}

func (c *costing) node(n plan.Node) nodeCost {
	if c.known == nil {
		return c.guess(n)
	}
	out, ok := c.known[n]
	if !ok {
		out = c.guess(n)
		c.known[n] = out
	}
	return out
}

func (c *costing) guess(n plan.Node) nodeCost {
	if s, ok := walk.ScanUnder(n); ok {
		out := c.scan(s)
		if _, ok := n.(*plan.SaltMerge); ok {
			out.total += out.rows * costMerge
		}
		return out
	}
	ins := n.Inputs()
	var in, last, all nodeCost
	for i, below := range ins {
		cost := c.node(below)
		if i == 0 {
			in = cost
		}
		last = cost
		all.start += cost.start
		all.total += cost.total
		all.rows = max(all.rows, cost.rows)
	}
	switch n := n.(type) {
	case *plan.Append:
		all.start = in.start // the others open when their turn comes
		if s, ok := walk.ScanUnder(ins[0]); ok && s.Of != nil {
			all.total = in.total + (all.total-in.total)*percentGroups/100 // NULLs, read by themselves
		}
	case *plan.Filter:
		in.rows = max(in.rows*percentFilter/100, min(in.rows, 1))
		return in.passing()
	case *plan.Project, *plan.ProjectSet:
		return in.passing()
	case *plan.Limit:
		return in.first(n.Count, n.Offset)
	case *plan.Sort:
		return in.sorted(in.rows)
	case *plan.TopN:
		kept := in.first(n.Count, n.Offset).rows
		out := in.sorted(kept)
		out.rows = kept
		return out
	case *plan.Aggregate:
		return c.aggregate(n, in)
	case *plan.LookupJoin:
		return c.lookup(n, in)
	case *plan.HashJoin:
		all.total += all.rows * costKeep
		return all.blocking()
	case *plan.Apply:
		in.total += in.rows * last.total
		in.rows = max(in.rows, in.rows*last.rows)
		return in
	case *plan.Update, *plan.Delete, *plan.Insert, *plan.Upsert:
		return all.blocking()
	}
	return all.passing()
}

// passing is the cost of a node that gives each row on.
func (c nodeCost) passing() nodeCost {
	c.total += c.rows * costRow
	return c
}

// blocking is that of a node which reads all before it gives the first row.
func (c nodeCost) blocking() nodeCost {
	c.start = c.total
	return c
}

// sorted is that of a sort which keeps so many rows.
func (c nodeCost) sorted(kept float64) nodeCost {
	c.total += c.rows * (costRow + costCompare*math.Log2(2+kept))
	return c.blocking()
}

// first is that of reading no more than the first rows.
func (c nodeCost) first(count, offset expr.Expr) nodeCost {
	n, known := constRows(count)
	if !known {
		return c
	}
	skip, _ := constRows(offset)
	n += skip
	if n >= c.rows {
		return c
	}
	c.total = c.start + (c.total-c.start)*n/max(c.rows, 1)
	c.rows = n
	return c
}

// constRows reads a number of rows; of a parameter some few are taken.
func constRows(e expr.Expr) (n float64, known bool) {
	switch e := e.(type) {
	case nil:
		return 0, false
	case *expr.Const:
		return float64(e.Value.Int), !e.Value.Null && e.Value.Int >= 0
	}
	return manyValues, true
}

func (c *costing) aggregate(n *plan.Aggregate, in nodeCost) nodeCost {
	out := in
	each := costKeep
	if n.Ordered || len(n.Groups) == 0 {
		each = costRow
	}
	out.total += in.rows * each
	switch {
	case len(n.Groups) == 0:
		out.rows = 1
	default:
		out.rows = part(in.rows, percentGroups)
	}
	if n.Ordered && len(n.Groups) > 0 {
		return out
	}
	return out.blocking()
}

// lookup is about rows read by key for those of the left side.
func (c *costing) lookup(n *plan.LookupJoin, in nodeCost) nodeCost {
	each := c.access.SeekRows()
	if n.FullKey() {
		each = c.get()
	}
	calls := math.Ceil(in.rows/costBatch) * c.access.SeekRows() * costGet
	out := in
	out.start += c.access.SeekRows() * costGet
	out.total += in.rows*each + calls
	return out
}

// get is what reading one row of many by key costs.
func (c *costing) get() float64 { return min(c.access.SeekRows()*costGet, costMostGet) }

// scan is about reading a table, or an index. Rows are counted as large as they are stored.
func (c *costing) scan(s *plan.Scan) nodeCost {
	seek := c.access.SeekRows()
	rows, read := c.rows(s)
	if s.PointsOnly() {
		return nodeCost{start: seek * costGet, total: seek*costGet + rows*c.get(), rows: rows}
	}
	start := c.access.spans(s) * seek
	out := nodeCost{start: start, total: start + read*rowWeight(s), rows: rows}
	if prefix := max(s.Distinct, s.SkipFrom); prefix > 0 && (s.Distinct > 0 || s.Skip != nil) {
		runs := part(read, percentGroups)
		if sp, ok := keySpread(c.access.ctx, s); ok && prefix < len(sp.Runs) {
			runs = sp.Runs[prefix]
		}
		out.total = min(out.total, start+runs*seek+rows)
	}
	if s.Limit != nil {
		return out.first(s.Limit, nil)
	}
	return out
}

// rows guesses the rows that a scan gives, and those that it reads for them.
func (c *costing) rows(s *plan.Scan) (rows, read float64) {
	all := *s
	all.Limit, all.Distinct = nil, 0
	unfiltered := all
	unfiltered.Filter = nil
	if known := c.access.tableRows(s.Table); known < leastRows {
		if full, most := s.Key.FullKey(len(s.Table.PrimaryKey)); full && most > 0 {
			return float64(most), float64(most)
		}
		return rowsByRules(&all, leastRows), rowsByRules(&unfiltered, leastRows)
	}
	return c.access.rows(&all), c.access.rows(&unfiltered)
}

// rowWeight is what reading a row costs that has so many cells: those of an index
// are small.
func rowWeight(s *plan.Scan) float64 {
	cells := len(s.Table.Columns) - len(s.Table.PrimaryKey)
	return min(0.6+0.1*float64(cells), 2)
}
