package estimate

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
	costGet     = 0.5  // the first row read by its full key, of a seek
	leastGet    = 16   // each of many: the iterator moves to it, as to a span, and 2 µs on Pebble
	mostGet     = 64   // the same at most: over a network many share a call
	costBatch   = 1000 // rows read by key that share a call
)

// LeastRows is how many rows a table is taken to have at least: a plan outlives the table's
// first rows, and no choice among so few matters.
const LeastRows = 1000

// Cost guesses what running a plan costs.
func Cost(by Known, root plan.Node) float64 {
	c := Costing{By: by}
	return c.Node(root).Total
}

// NodeCost is what a node costs: until its first row, and to the last of its rows.
type NodeCost struct{ start, Total, rows float64 }

// Start is the cost until the first row.
func (c NodeCost) Start() float64 { return c.start }

// Rows is how many rows there are.
func (c NodeCost) Rows() float64 { return c.rows }

// Costing guesses what running plans costs.
type Costing struct {
	By   Known
	Seen map[plan.Node]NodeCost // nil where no node is asked for twice
}

// Node guesses what a node and all below it cost.
func (c *Costing) Node(n plan.Node) NodeCost {
	if c.Seen == nil {
		return c.guess(n)
	}
	out, ok := c.Seen[n]
	if !ok {
		out = c.guess(n)
		c.Seen[n] = out
	}
	return out
}

func (c *Costing) guess(n plan.Node) NodeCost {
	if s, ok := walk.ScanUnder(n); ok {
		out := c.scan(s)
		if _, ok := n.(*plan.SaltMerge); ok {
			out.Total += out.rows * costMerge
		}
		return out
	}
	ins := n.Inputs()
	var in, last, all NodeCost
	for i, below := range ins {
		cost := c.Node(below)
		if i == 0 {
			in = cost
		}
		last = cost
		all.start += cost.start
		all.Total += cost.Total
		all.rows = max(all.rows, cost.rows)
	}
	switch n := n.(type) {
	case *plan.Append:
		all.start = in.start // the others open when their turn comes
		if s, ok := walk.ScanUnder(ins[0]); ok && s.Of != nil {
			all.Total = in.Total + (all.Total-in.Total)*PercentGroups/100 // NULLs, read by themselves
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
		all.Total += all.rows * costKeep
		return all.blocking()
	case *plan.Apply:
		in.Total += in.rows * last.Total
		in.rows = max(in.rows, in.rows*last.rows)
		return in
	case *plan.Update, *plan.Delete, *plan.Insert, *plan.Upsert:
		return all.blocking()
	}
	return all.passing()
}

// passing is the cost of a node that gives each row on.
func (c NodeCost) passing() NodeCost {
	c.Total += c.rows * costRow
	return c
}

// blocking is that of a node which reads all before it gives the first row.
func (c NodeCost) blocking() NodeCost {
	c.start = c.Total
	return c
}

// sorted is that of a sort which keeps so many rows.
func (c NodeCost) sorted(kept float64) NodeCost {
	c.Total += c.rows * (costRow + costCompare*math.Log2(2+kept))
	return c.blocking()
}

// first is that of reading no more than the first rows.
func (c NodeCost) first(count, offset expr.Expr) NodeCost {
	n, known := constRows(count)
	if !known {
		return c
	}
	skip, _ := constRows(offset)
	n += skip
	if n >= c.rows {
		return c
	}
	c.Total = c.start + (c.Total-c.start)*n/max(c.rows, 1)
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
	return ManyValues, true
}

func (c *Costing) aggregate(n *plan.Aggregate, in NodeCost) NodeCost {
	out := in
	each := costKeep
	if n.Ordered || len(n.Groups) == 0 {
		each = costRow
	}
	out.Total += in.rows * each
	switch {
	case len(n.Groups) == 0:
		out.rows = 1
	default:
		out.rows = PartOf(in.rows, PercentGroups)
	}
	if n.Ordered && len(n.Groups) > 0 {
		return out
	}
	return out.blocking()
}

// lookup is about rows read by key for those of the left side.
func (c *Costing) lookup(n *plan.LookupJoin, in NodeCost) NodeCost {
	each := c.By.SeekRows()
	if n.FullKey() {
		each = c.GetCost()
	}
	calls := math.Ceil(in.rows/costBatch) * c.By.SeekRows() * costGet
	out := in
	out.start += c.By.SeekRows() * costGet
	out.Total += in.rows*each + calls
	return out
}

// GetCost is what reading one row of many by key costs.
func (c *Costing) GetCost() float64 {
	return min(max(c.By.SeekRows()/spansPerSeek, leastGet), mostGet)
}

// scan is about reading a table, or an index. Rows are counted as large as they are stored.
func (c *Costing) scan(s *plan.Scan) NodeCost {
	seek := c.By.SeekRows()
	rows, read := c.ScanRows(s)
	if s.PointsOnly() {
		return NodeCost{start: seek * costGet, Total: seek*costGet + rows*c.GetCost(), rows: rows}
	}
	start := c.By.Spans(s) * seek
	out := NodeCost{start: start, Total: start + read*rowWeight(s), rows: rows}
	if prefix := max(s.Distinct, s.SkipFrom); prefix > 0 && (s.Distinct > 0 || s.Skip != nil) {
		runs := PartOf(read, PercentGroups)
		if sp, ok := KeySpread(c.By, s); ok && prefix < len(sp.Runs) {
			runs = sp.Runs[prefix]
		}
		out.Total = min(out.Total, start+runs*seek+rows)
	}
	if s.Limit != nil {
		return out.first(s.Limit, nil)
	}
	return out
}

// ScanRows guesses the rows that a scan gives, and those that it reads for them.
func (c *Costing) ScanRows(s *plan.Scan) (rows, read float64) {
	all := *s
	all.Limit, all.Distinct = nil, 0
	unfiltered := all
	unfiltered.Filter = nil
	if known := c.By.TableRows(s.Table); known < LeastRows {
		if full, most := s.Key.FullKey(len(s.Table.PrimaryKey)); full && most > 0 {
			return float64(most), float64(most)
		}
		return rowsByRules(&all, LeastRows), rowsByRules(&unfiltered, LeastRows)
	}
	return c.By.Rows(&all), c.By.Rows(&unfiltered)
}

// rowWeight is what reading a row costs that has so many cells: those of an index
// are small.
func rowWeight(s *plan.Scan) float64 {
	cells := len(s.Table.Columns) - len(s.Table.PrimaryKey)
	return min(0.6+0.1*float64(cells), 2)
}

// Reads guesses how many rows, of tables and indexes, a plan reads.
func Reads(by Known, n plan.Node) float64 {
	c := Costing{By: by}
	if s, ok := walk.ScanUnder(n); ok {
		_, read := c.ScanRows(s)
		if most, known := constRows(s.Limit); known && s.Filter == nil {
			read = min(read, most)
		}
		return read
	}
	sum := 0.0
	if l, ok := n.(*plan.LookupJoin); ok {
		sum = c.Node(l.Left).rows
		if most, known := constRows(l.Limit); known {
			sum = min(sum, most)
		}
	}
	for _, in := range n.Inputs() {
		sum += Reads(by, in)
	}
	return sum
}
