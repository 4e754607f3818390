package planner

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// indexPath is a way to a table's rows by one of its indexes. The index's entries are a
// relation of their own, with a key, a salt and a codec, so that all that finds, orders and
// limits the rows of a table does so for an index.
//
//	wide columns     a table's, then the expressions that the index keeps
//	at               where the index has each of them; -1 is nowhere
type indexPath struct {
	table *catalog.Table
	index *catalog.Index
	rel   *catalog.Table // its entries
	exprs []expr.Expr    // over the table's columns: wide columns from len(table.Columns) on
	at    []int          // per wide column, an index into rel.Columns
	parts []int          // the wide columns of its parts
	where []expr.Expr    // conjuncts over the table's columns that entries satisfy
}

// widened is the leaf of a plan over an index's wide columns: the conditions right above
// the scan, and which wide columns the scan gives.
type widened struct {
	path     *indexPath
	scan     *plan.Scan
	conds    []expr.Expr // over positions in cols
	volatile []expr.Expr // likewise: evaluated once for each row, last
	cols     []int       // wide columns
}

// widen says a leaf of a plan, a scan under a filter or not, over the wide columns of a path.
// What the index's own predicate says is dropped from the conditions: ok is false where
// they do not imply it, so that rows wanted may have no entry.
func (p *indexPath) widen(s *plan.Scan, cond expr.Expr) (w *widened, ok bool) {
	w = &widened{path: p, scan: s, cols: slices.Clone(s.Cols)}
	for i := range p.exprs {
		w.cols = append(w.cols, len(p.table.Columns)+i)
	}
	var conds []expr.Expr
	if cond != nil {
		conds = walk.Conjuncts(cond)
	}
	inTable := make([]expr.Expr, len(conds))
	for i, c := range conds {
		inTable[i] = expr.MapCols(c, func(c *expr.Col) expr.Expr {
			if c.Index >= len(s.Cols) {
				return c
			}
			m := *c
			m.Index = s.Cols[c.Index]
			return &m
		})
	}
	if !keycond.Implied(p.where, inTable) {
		return nil, false
	}
	subst := w.substitute()
	for i, c := range conds {
		switch {
		case expr.Volatile(c):
			w.volatile = append(w.volatile, c)
		case !expr.ContainsExpr(p.where, inTable[i]):
			w.conds = append(w.conds, subst(c))
		}
	}
	return w, true
}

// substitute gives what puts the index's expressions, where they stand in an expression over
// the scan's columns, in the form of their columns.
func (w *widened) substitute() func(expr.Expr) expr.Expr {
	p := w.path
	if len(p.exprs) == 0 {
		return func(e expr.Expr) expr.Expr { return e }
	}
	over := make([]expr.Expr, len(p.exprs)) // over the scan's positions; nil where it lacks a column
	for i, e := range p.exprs {
		missing := false
		m := expr.MapCols(e, func(c *expr.Col) expr.Expr {
			at := slices.Index(w.scan.Cols, c.Index)
			if at < 0 {
				missing = true
				return c
			}
			col := *c
			col.Index = at
			return &col
		})
		if !missing {
			over[i] = m
		}
	}
	first := len(w.scan.Cols)
	return func(e expr.Expr) expr.Expr {
		if e == nil {
			return nil
		}
		out, err := expr.Map(e, func(e expr.Expr) (expr.Expr, error) {
			for i, o := range over {
				if o != nil && expr.Equal(e, o) {
					return &expr.Col{Index: first + i, T: e.Type(), Name: expr.ToText(e)}, nil
				}
			}
			return nil, nil
		})
		if err != nil {
			return e // not reached: the function above gives no error
		}
		return out
	}
}

// entriesUnder is a scan of all that the index has, and the conditions that it can test.
func (w *widened) entriesUnder() (*plan.Scan, []expr.Expr) {
	var has []int
	at := map[int]int{}
	for i, c := range w.cols {
		if w.path.at[c] >= 0 {
			at[i] = len(has)
			has = append(has, c)
		}
	}
	var conds []expr.Expr
	for _, c := range w.conds {
		if !slices.ContainsFunc(expr.Cols(c), func(col int) bool { _, ok := at[col]; return !ok }) {
			conds = append(conds, expr.MoveCols(c, at))
		}
	}
	s, _ := w.entries(has)
	return s, conds
}

// covers says that the index has all the columns that are asked for.
func (w *widened) covers() bool {
	if w.scan.WithKey || w.scan.WithVersion || expires(w.path.table) {
		return false
	}
	for _, c := range w.cols {
		if w.path.at[c] < 0 {
			return false
		}
	}
	return true
}

// entries is a scan of the index's entries that gives wide columns.
func (w *widened) entries(cols []int) (*plan.Scan, plan.Node) {
	p := w.path
	s := &plan.Scan{Source: plan.Source{Table: p.rel, Of: p.table, Alias: w.scan.Alias, Cols: make([]int, len(cols))}}
	for i, c := range cols {
		s.Cols[i] = p.at[c]
	}
	if p.rel.Buckets() > 0 {
		return s, &plan.SaltGather{Input: s}
	}
	return s, s
}

// covered reads the index alone.
func (w *widened) covered() plan.Node {
	s, n := w.entries(w.cols)
	s.Covered = true
	return filtered(n, append(slices.Clip(w.conds), w.volatile...))
}

// fetched reads the rows that the index leads to. Conditions on what it has are tested
// before. Its columns are those of w.cols, then the row key and the version where
// they are asked for.
func (w *widened) fetched() plan.Node {
	p := w.path
	// The left side: what the index has, and the primary key.
	left := slices.Clone(p.table.PrimaryKey)
	leftAt := func(c int) int {
		i := slices.Index(left, c)
		if i < 0 {
			i, left = len(left), append(left, c)
		}
		return i
	}
	// The right side: the rest, and what tells an entry that is not the row's.
	whole := w.scan.WithKey
	right := []int{}
	if whole {
		right = slices.Clone(w.scan.Cols)
	}
	rightAt := func(c int) int {
		i := slices.Index(right, c)
		if i < 0 {
			i, right = len(right), append(right, c)
		}
		return i
	}
	type pos struct {
		right bool
		at    int
	}
	nTable := len(p.table.Columns)
	place := make([]pos, len(w.cols))
	for i, c := range w.cols {
		switch {
		case p.at[c] >= 0 && !(whole && c < nTable):
			place[i] = pos{at: leftAt(c)}
		case c >= nTable:
			place[i] = pos{at: -1} // asked for by nothing
		default:
			place[i] = pos{right: true, at: rightAt(c)}
		}
	}
	var onLeft, onRight, onBoth []expr.Expr
	for _, cond := range w.conds {
		inIndex, inTable := true, true
		for _, c := range expr.Cols(cond) {
			inIndex = inIndex && p.at[w.cols[c]] >= 0
			inTable = inTable && w.cols[c] < nTable && (p.at[w.cols[c]] < 0 || whole)
		}
		switch {
		case inIndex:
			onLeft = append(onLeft, expr.MapCols(cond, func(c *expr.Col) expr.Expr { return moved(c, leftAt(w.cols[c.Index])) }))
		case inTable:
			onRight = append(onRight, expr.MapCols(cond, func(c *expr.Col) expr.Expr { return moved(c, rightAt(w.cols[c.Index])) }))
		default:
			onBoth = append(onBoth, cond)
		}
	}
	// Between reading the entry and the row the row may change; and on stores without
	// transactions over several rows an entry may be one of a write that did not end.
	type check struct {
		left  int
		right expr.Expr
	}
	var checks []check
	for _, c := range p.parts {
		if c < nTable && p.table.Columns[c].KeyPos >= 0 {
			continue
		}
		var e expr.Expr
		if c < nTable {
			col := &p.table.Columns[c]
			e = &expr.Col{Index: rightAt(c), T: col.Type, Name: col.Name}
		} else {
			e = expr.MapCols(p.exprs[c-nTable], func(c *expr.Col) expr.Expr { return moved(c, rightAt(c.Index)) })
		}
		checks = append(checks, check{leftAt(c), e})
	}
	var holds []expr.Expr
	for _, e := range p.where {
		holds = append(holds, expr.MapCols(e, func(c *expr.Col) expr.Expr { return moved(c, rightAt(c.Index)) }))
	}
	width := len(left)
	ls, in := w.entries(left)
	leftCols := ls.Columns()
	j := &plan.LookupJoin{
		Kind: plan.Inner, Index: p.index.Name, Left: filtered(in, onLeft),
		Right: &plan.Scan{Source: plan.Source{Table: p.table, Alias: w.scan.Alias, Cols: right, ForUpdate: w.scan.ForUpdate, WithKey: w.scan.WithKey, WithVersion: w.scan.WithVersion}, Pushed: plan.Pushed{Filter: walk.AndAll(onRight)}},
	}
	for i, c := range p.table.PrimaryKey {
		col := &p.table.Columns[c]
		j.Values = append(j.Values, &expr.Col{Index: i, T: col.Type, Name: col.Name})
	}
	var both []expr.Expr
	for _, c := range onBoth {
		both = append(both, expr.MapCols(c, func(c *expr.Col) expr.Expr {
			at := place[c.Index]
			if at.right {
				return moved(c, width+at.at)
			}
			return moved(c, at.at)
		}))
	}
	for _, c := range checks {
		left := &expr.Col{Index: c.left, T: leftCols[c.left].Type, Name: leftCols[c.left].Name}
		j.Same = append(j.Same, plan.JoinKey{Left: left, Right: c.right})
	}
	if len(holds) > 0 {
		yes := &expr.Const{Value: types.NewBool(true), T: types.Of(types.Bool)}
		j.Same = append(j.Same, plan.JoinKey{Left: yes, Right: walk.AndAll(holds)})
	}
	j.Filter = walk.AndAll(both)
	out := &plan.Project{Input: j}
	give := func(at int, c plan.Column) {
		out.Exprs = append(out.Exprs, &expr.Col{Index: at, T: c.Type, Name: c.Name})
		out.Cols = append(out.Cols, c)
	}
	rightCols := j.Right.Columns()
	n := len(w.cols)
	if whole {
		n = len(w.scan.Cols) // nothing above knows of the others
	}
	for i := range n {
		switch at := place[i]; {
		case at.right:
			give(width+at.at, rightCols[at.at])
		case at.at >= 0:
			give(at.at, leftCols[at.at])
		}
	}
	for i := len(right); i < len(rightCols); i++ {
		give(width+i, rightCols[i])
	}
	return filtered(out, w.volatile)
}

func moved(c *expr.Col, to int) *expr.Col {
	m := *c
	m.Index = to
	return &m
}

func filtered(n plan.Node, conds []expr.Expr) plan.Node {
	if len(conds) == 0 {
		return n
	}
	return &plan.Filter{Input: n, Cond: walk.AndAll(conds)}
}
