package advise

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/keyorder"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// wishes are what a plan wants of a scan's rows.
type wishes struct {
	equal  []int // columns compared with one value
	listed []int // with a list of values
	ranged []int
	joined [][]int // columns that one join's keys are
	sorted []int
	desc   []bool
}

// candidates are the indexes that would serve them.
func (w *wishes) candidates(s *plan.Scan) (list []candidate) {
	begin := func(also []int) candidate {
		c := candidate{table: s.Table}
		for _, col := range slices.Concat(also, w.equal) {
			c.add(col, false)
		}
		return c
	}
	keep := func(c candidate) {
		if len(c.columns) > 0 && !slices.ContainsFunc(list, func(o candidate) bool { return o.same(&c) }) && !leadsKey(&c) {
			list = append(list, c)
		}
	}
	keep(begin(nil))
	for _, col := range w.listed {
		c := begin(nil)
		c.add(col, false)
		keep(c)
	}
	for _, col := range w.ranged {
		c := begin(nil)
		c.add(col, false)
		keep(c)
		if len(w.listed) > 0 {
			c = begin(nil)
			for _, l := range w.listed {
				c.add(l, false)
			}
			c.add(col, false)
			keep(c)
		}
	}
	if len(w.sorted) > 0 {
		c := begin(nil)
		for i, col := range w.sorted {
			c.add(col, w.desc[i])
		}
		keep(c)
	}
	for _, cols := range w.joined {
		keep(begin(cols))
		c := candidate{table: s.Table}
		for _, col := range cols {
			c.add(col, false)
		}
		keep(c)
	}
	return list
}

// leadsKey says that the table's own key begins so.
func leadsKey(c *candidate) bool {
	for i, col := range c.columns {
		if i >= len(c.table.PrimaryKey) || c.table.PrimaryKey[i] != col || c.table.Columns[col].Desc != c.desc[i] {
			return false
		}
	}
	return true
}

// included are the columns that a scan asks for and that an index of its table does not have.
func included(s *plan.Scan, c *candidate) (cols []int) {
	for i, col := range s.Cols {
		if s.Table.Columns[col].KeyPos < 0 && !slices.Contains(c.columns, col) && !slices.Contains(s.Unread, i) {
			cols = append(cols, col)
		}
	}
	return cols
}

// finder looks for what a plan wants of its scans.
type finder struct {
	into  map[*plan.Scan]*wishes
	order []*plan.Scan
}

// visit looks at a plan from the top: sort is the order that something above wants of n and has
// to make itself, conds are conditions over n's columns.
func (f *finder) visit(n plan.Node, sort []plan.SortKey, conds []expr.Expr) {
	if s, ok := walk.ScanUnder(n); ok {
		f.scan(s, sort, conds)
		return
	}
	switch n := n.(type) {
	case *plan.Sort:
		sort, conds = n.Keys, nil
	case *plan.TopN:
		sort, conds = n.Keys, nil
	case *plan.Project:
		sort, conds = keysThrough(sort, n), nil
	case *plan.Filter:
		conds = append(slices.Clip(conds), walk.Conjuncts(n.Cond)...)
	case *plan.Limit:
		conds = nil
	case *plan.HashJoin, *plan.MergeJoin:
		j := plan.AsJoin(n)
		f.join(j.Left, j.Right, j.Keys)
		sort, conds = nil, nil
	default:
		sort, conds = nil, nil
	}
	for _, in := range n.Inputs() {
		f.visit(in, sort, conds)
	}
}

func (f *finder) of(s *plan.Scan) *wishes {
	w := f.into[s]
	if w == nil {
		w = new(wishes)
		f.into[s] = w
		f.order = append(f.order, s)
	}
	return w
}

// join notes the keys that lie in one table of a side.
func (f *finder) join(left, right plan.Node, keys []plan.JoinKey) {
	for side, n := range []plan.Node{left, right} {
		by := map[*plan.Scan][]int{}
		var order []*plan.Scan
		for _, k := range keys {
			if s, col := columnUnder(n, []expr.Expr{k.Left, k.Right}[side]); s != nil {
				if by[s] == nil {
					order = append(order, s)
				}
				by[s] = append(by[s], col)
			}
		}
		for _, s := range order {
			w := f.of(s)
			w.joined = append(w.joined, by[s])
		}
	}
}

func (f *finder) scan(s *plan.Scan, sort []plan.SortKey, conds []expr.Expr) {
	if s.Of != nil || s.Distinct > 0 || s.Sample != nil || s.Access == plan.PointRead || s.Access == plan.MultiPointRead {
		return
	}
	w := f.of(s)
	for pos, fixed := range keyorder.FixedColumns(s) {
		if fixed {
			w.equal = append(w.equal, s.Table.PrimaryKey[pos])
		}
	}
	if s.Filter != nil {
		conds = append(slices.Clip(conds), walk.Conjuncts(s.Filter)...)
	}
	for _, c := range conds {
		if of, col := listedColumn(s, c); of != nil {
			w.listed = append(w.listed, col)
			continue
		}
		call, ok := c.(*expr.Call)
		if !ok || len(call.Args) != 2 || call.Fn.Name == "<>" || call.Fn.Name != "=" && keycond.CompareOps[call.Fn.Name] == 0 {
			continue
		}
		l, r := call.Args[0], call.Args[1]
		if expr.IsConst(l) {
			l, r = r, l
		}
		of, col := columnUnder(s, l)
		switch {
		case of == nil || !expr.IsConst(r):
		case call.Fn.Name == "=":
			w.equal = append(w.equal, col)
		default:
			w.ranged = append(w.ranged, col)
		}
	}
	for _, k := range sort {
		of, col := columnUnder(s, k.Expr)
		if of == nil || k.NullsFirst != k.Desc {
			w.sorted, w.desc = nil, nil
			return
		}
		w.sorted, w.desc = append(w.sorted, col), append(w.desc, k.Desc)
	}
}

// listedColumn finds the column that a condition compares with a list of values; nil for none.
func listedColumn(s *plan.Scan, cond expr.Expr) (*plan.Scan, int) {
	switch c := cond.(type) {
	case *expr.InList:
		if !slices.ContainsFunc(c.List, func(e expr.Expr) bool { return !expr.IsConst(e) }) {
			return columnUnder(s, c.X)
		}
	case *expr.AnyAll:
		if !c.All && c.Op.Name == "=" && expr.IsConst(c.Array) {
			return columnUnder(s, c.X)
		}
	}
	return nil, 0
}

// columnUnder finds the column of a table that an expression over a node's columns is, by which
// values compare as an index has them; nil for none.
func columnUnder(n plan.Node, e expr.Expr) (*plan.Scan, int) {
	for {
		if c, ok := e.(*expr.Cast); ok {
			e = c.X
			continue
		}
		c, ok := e.(*expr.Col)
		if !ok {
			return nil, 0
		}
		if s, ok := walk.ScanUnder(n); ok {
			if c.Index >= len(s.Cols) || s.Of != nil || !mayLeadKey(&s.Table.Columns[s.Cols[c.Index]]) {
				return nil, 0
			}
			return s, s.Cols[c.Index]
		}
		switch at := n.(type) {
		case *plan.Filter:
			n = at.Input
		case *plan.Project:
			if c.Index >= len(at.Exprs) {
				return nil, 0
			}
			n, e = at.Input, at.Exprs[c.Index]
		default:
			ins := n.Inputs()
			if len(ins) != 2 {
				return nil, 0
			}
			left := len(ins[0].Columns())
			if c.Index < left {
				n = ins[0]
				continue
			}
			n, e = ins[1], &expr.Col{Index: c.Index - left, T: c.T, Name: c.Name}
		}
	}
}
