package lower

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// get reads every column of every row, gathered from all buckets.
func (l *lowering) get(n *logical.Get) *rel {
	s := l.scan(n)
	r := &rel{node: s, cols: n.Out()}
	if n.Table.Buckets() > 0 {
		r.node = &plan.SaltGather{Input: s}
	}
	return r
}

func (l *lowering) scan(n *logical.Get) *plan.Scan {
	s := &plan.Scan{Source: plan.Source{Table: n.Table, Alias: n.Alias, Cols: allOf(len(n.Table.Columns)), ForUpdate: n.ForUpdate, WithKey: n.WithKey, WithVersion: n.WithKey}}
	if n.Sample == nil {
		return s
	}
	sample := *n.Sample
	sample.Percent, sample.Seed, sample.N = l.expr(nil, sample.Percent), l.expr(nil, sample.Seed), n.Out()[0]
	s.Sample = &sample
	return s
}

func allOf(n int) []int {
	cols := make([]int, n)
	for i := range cols {
		cols[i] = i
	}
	return cols
}

func (l *lowering) values(n *logical.Values) *rel {
	if len(n.Cols) == 0 && len(n.Rows) == 1 {
		return &rel{node: &plan.OneRow{}}
	}
	v := &plan.Values{Rows: make([][]expr.Expr, len(n.Rows)), Cols: l.columns(n.Cols)}
	for i, row := range n.Rows {
		v.Rows[i] = l.exprs(nil, row)
	}
	return &rel{node: v, cols: n.Cols}
}

func (l *lowering) union(n *logical.Union) *rel {
	a := &plan.Append{Parts: make([]plan.Node, len(n.Parts)), Cols: l.columns(n.Cols)}
	for i, p := range n.Parts {
		a.Parts[i] = l.inputOf(p).node
	}
	return &rel{node: a, cols: n.Cols}
}

// inputOf lowers a node whose columns are meant by their order.
func (l *lowering) inputOf(n logical.Node) *rel {
	return l.exactly(l.node(n), n.Out())
}

// write puts the rows' source below a node that writes. What a DELETE does not look at is
// not read.
func (l *lowering) write(n *logical.Write) *rel {
	in := l.inputOf(n.Input)
	r := &rel{cols: n.Cols}
	switch p := n.Plan.(type) {
	case *plan.Insert:
		c := *p
		c.Input = in.node
		r.node = &c
		l.noteSet(p.Set)
		l.note(p.Returning, p.Where)
	case *plan.Upsert:
		c := *p
		c.Input = in.node
		r.node = &c
		l.noteSet(p.Defaults)
		l.noteSet(p.Set)
		l.note(p.Returning, nil)
	case *plan.Update:
		c := *p
		c.Input, c.Again = in.node, againOf(p.Again, n.Input)
		r.node = &c
		l.noteSet(p.Set)
		l.note(p.Returning, p.Cond)
	case *plan.Delete:
		c := *p
		c.Input, c.Again = in.node, againOf(p.Again, n.Input)
		markUnread(&c)
		r.node = &c
		l.note(p.Returning, p.Cond)
	default:
		panic(invalid("a write by %T", n.Plan))
	}
	return r
}

// againOf is what a write does with rows that have changed, where it has turned out that
// each row of its input is joined with one other.
func againOf(a *plan.Again, input logical.Node) *plan.Again {
	if a == nil || !a.Joined || oneOfSeveral(input) {
		return a
	}
	c := *a
	c.Joined = false
	return &c
}

// oneOfSeveral says that n passes one row of several.
func oneOfSeveral(n logical.Node) bool {
	switch n := n.(type) {
	case *logical.DistinctOn:
		return true
	case *logical.Project, *logical.Select:
		return oneOfSeveral(n.Inputs()[0])
	case *logical.Join:
		return oneOfSeveral(n.Left)
	}
	return false
}

// markUnread tells the scan of a DELETE which columns nothing asks for. The rows of tables
// made by Phoenix may lack the marker cell, and are told by any of their cells.
func markUnread(d *plan.Delete) {
	need := append(slices.Clip(d.Returning), d.Cond)
	n := d.Input
	for {
		switch m := n.(type) {
		case *plan.Limit:
			n = m.Input
			continue
		case *plan.Sort:
			for _, k := range m.Keys {
				need = append(need, k.Expr)
			}
			n = m.Input
			continue
		case *plan.Filter:
			need = append(need, m.Cond)
			n = m.Input
			continue
		case *plan.SaltGather:
			n = m.Input
			continue
		}
		break
	}
	s, ok := n.(*plan.Scan)
	if !ok || s.Table.Adopted || s.Table.KeepsIndexes() {
		return
	}
	read := make([]bool, len(s.Cols))
	for _, e := range need {
		if e == nil {
			continue
		}
		expr.Walk(e, func(x expr.Expr) bool {
			if c, ok := x.(*expr.Col); ok && c.Index < len(read) {
				read[c.Index] = true
			}
			return true
		})
	}
	for i, r := range read {
		if !r {
			s.Unread = append(s.Unread, i)
		}
	}
}
