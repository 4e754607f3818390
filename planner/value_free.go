package planner

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// ValueFree says that p, made for a text with parameters in the place of integers, is the
// plan of that text whatever the integers are: each of them stands once, as the value
// of a whole-number key column at least as wide, in a read of one row by its full key.
//
//	SELECT v FROM t WHERE k = $1                    yes
//	SELECT v FROM t WHERE k > $1                    no: how many rows that is decides what is read
//	SELECT v FROM t WHERE k = $1 AND k = $2         no: 1 and 2 leave nothing
//	SELECT v FROM t WHERE smallint_key = $1         no: 70000 leaves nothing
func ValueFree(p *plan.Plan) bool {
	f := valueFree{seen: make([]bool, len(p.ParamTypes)), ok: p.ReadOnly}
	f.node(p.Root)
	for _, seen := range f.seen {
		f.ok = f.ok && seen
	}
	return f.ok
}

type valueFree struct {
	seen []bool // parameters that are values of key columns
	ok   bool
}

func (f *valueFree) node(n plan.Node) {
	if s, ok := n.(*plan.Scan); ok {
		f.scan(s)
	}
	walk.MapExprs(n, func(e expr.Expr) expr.Expr {
		expr.Walk(e, func(x expr.Expr) bool {
			if _, ok := x.(*expr.Param); ok {
				f.ok = false
			}
			return f.ok
		})
		return e
	})
	for _, in := range n.Inputs() {
		f.node(in)
	}
}

func (f *valueFree) scan(s *plan.Scan) {
	if s.Access != plan.PointRead || s.Key == nil || len(s.Key.Or) != 1 || s.Recheck != nil {
		f.ok = false
		return
	}
	bound := map[int]bool{}
	for _, t := range s.Key.Or[0].Terms {
		if t.Op != plan.KeyEq || len(t.Columns) != 1 || bound[t.Columns[0]] {
			f.ok = false
			return
		}
		bound[t.Columns[0]] = true
		f.value(t.Args[0], s.Table.Columns[s.Table.PrimaryKey[t.Columns[0]]].Type)
	}
}

// value looks at what a key column of type t is equal to.
func (f *valueFree) value(e expr.Expr, t types.T) {
	if c, ok := e.(*expr.Cast); ok {
		e = c.X
	}
	switch e := e.(type) {
	case *expr.Const:
	case *expr.Param:
		if e.N > len(f.seen) { // a join passes it on
			f.ok = false
			return
		}
		wide := t.Kind == types.Int8 && (e.T.Kind == types.Int4 || e.T.Kind == types.Int8) || t.Kind == types.Int4 && e.T.Kind == types.Int4
		f.ok = f.ok && wide && !f.seen[e.N-1]
		f.seen[e.N-1] = true
	default:
		f.ok = false
	}
}

// ValuesMatter says that other values of its parameters may make another plan of p the better
// one: they are in what is read by more than full keys, in joins, or in how many rows are wanted.
func ValuesMatter(p *plan.Plan) bool {
	return len(p.ParamTypes) > 0 && valuesMatter(p.Root)
}

func valuesMatter(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.Scan:
		if n.PointsOnly() {
			return false
		}
	case *plan.Values, *plan.Project, *plan.ProjectSet, *plan.Insert, *plan.Upsert, *plan.Update, *plan.Delete:
		return slices.ContainsFunc(n.Inputs(), valuesMatter)
	}
	return hasParam(n) || slices.ContainsFunc(n.Inputs(), valuesMatter)
}

func hasParam(n plan.Node) bool {
	found := false
	walk.MapExprs(n, func(e expr.Expr) expr.Expr {
		expr.Walk(e, func(x expr.Expr) bool {
			_, ok := x.(*expr.Param)
			found = found || ok
			return !found
		})
		return e
	})
	return found
}
