package planner

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// ValueFree says that p, made for a text with parameters in the place of integers, is the
// plan of that text whatever the integers are: each of them stands once, as the value
// of a whole-number key column at least as wide, in a read of rows by their full keys, or of few
// rows by the only index that knows the column. Of the values of a list, those that lie close
// together are read one by one, which the text's own plan may read as one range.
//
//	SELECT v FROM t WHERE k = $1                    yes
//	SELECT v FROM t WHERE k IN ($1, $2)             yes
//	SELECT v FROM t WHERE indexed = $1              if no value is much more frequent than others
//	SELECT v FROM t WHERE k > $1                    no: how many rows that is decides what is read
//	SELECT v FROM t WHERE k = $1 AND k = $2         no: 1 and 2 leave nothing
//	SELECT v FROM t WHERE smallint_key = $1         no: 70000 leaves nothing
func ValueFree(ctx *Context, p *plan.Plan) bool {
	f := valueFree{by: ctx.Known(), p: p, seen: make([]bool, len(p.ParamTypes)), ok: p.ReadOnly}
	f.node(p.Root)
	for _, seen := range f.seen {
		f.ok = f.ok && seen
	}
	return f.ok
}

type valueFree struct {
	by   estimate.Known
	p    *plan.Plan
	seen []bool // parameters that are values of key columns
	ok   bool
}

func (f *valueFree) node(n plan.Node) {
	if s, ok := n.(*plan.Scan); ok {
		f.scan(s)
	}
	f.ok = f.ok && !hasParam(n)
	for _, in := range n.Inputs() {
		f.node(in)
	}
}

func (f *valueFree) scan(s *plan.Scan) {
	if s.Key == nil || len(s.Key.Or) != 1 || s.Recheck != nil || len(s.Key.Within) > 0 {
		f.ok = false
		return
	}
	bound := map[int]bool{}
	for _, t := range s.Key.Or[0].Terms {
		if t.Op != plan.KeyEq && t.Op != plan.KeyIn || len(t.Columns) != 1 || bound[t.Columns[0]] {
			f.ok = false
			return
		}
		bound[t.Columns[0]] = true
		for _, arg := range t.Args {
			f.value(arg, s.Table.Columns[s.Table.PrimaryKey[t.Columns[0]]].Type)
		}
	}
	f.ok = f.ok && (s.PointsOnly() || f.onlyWay(s))
}

// muchLess is how much less a read must cost than one of the whole table, so that it does for
// any value, if none is a few times as frequent as others.
const muchLess = 16

// onlyWay says that a read of an index's entries, and of their rows, is what any values lead
// to: nothing else in the plan selects rows, no other key or index knows the columns that are
// bound, and all values are about as rare.
func (f *valueFree) onlyWay(s *plan.Scan) bool {
	if s.Of == nil || f.by.Estimator == nil || !selectsAlone(f.p.Root) {
		return false
	}
	i := slices.IndexFunc(s.Of.Indexes, func(ix catalog.Index) bool { return ix.Entries().Table == s.Table })
	if i < 0 {
		return false
	}
	rows, ok := f.by.Estimator.TableRows(s.Of)
	source := s.Of.Indexes[i].Entries().Source
	for _, t := range s.Key.Or[0].Terms {
		c := source[s.Table.PrimaryKey[t.Columns[0]]]
		if c < 0 || c == s.Of.PrimaryKey[0] {
			return false
		}
		id := s.Of.Columns[c].ID
		for other := range s.Of.Indexes {
			ix := &s.Of.Indexes[other]
			if other != i && (ix.Parts[0].Column == id || ix.Parts[0].Column == 0 || ix.Where != "") {
				return false
			}
		}
		if !f.evenly(s.Of, id, float64(rows)) {
			return false
		}
	}
	return ok && rows > estimate.FewRows && estimate.Cost(f.by, f.p.Root)*muchLess < float64(rows)
}

// evenly says that no value of a column is more than a few times as frequent as others.
func (f *valueFree) evenly(t *catalog.Table, column int, rows float64) bool {
	known := f.by.Estimator.Column(t, column)
	if known == nil {
		return false
	}
	any, ok := known.EqualAny(rows)
	return ok && (len(known.Freqs) == 0 || slices.Max(known.Freqs) <= muchLess/4*any)
}

// selectsAlone says that a plan is a read of a table's rows by one of its indexes, whose key
// alone says which, perhaps sorted or cut.
func selectsAlone(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.Scan:
		return n.Filter == nil && n.Distinct == 0 && n.Skip == nil && n.Reduced == nil && n.Sample == nil
	case *plan.LookupJoin:
		return n.Index != "" && n.Filter == nil && selectsAlone(n.Right) && selectsAlone(n.Left)
	case *plan.Project, *plan.SaltGather, *plan.SaltMerge, *plan.Sort, *plan.TopN, *plan.Limit:
		return selectsAlone(n.Inputs()[0])
	}
	return false
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
	walk.VisitExprs(n, func(e expr.Expr) {
		expr.Walk(e, func(x expr.Expr) bool {
			_, ok := x.(*expr.Param)
			found = found || ok
			return !found
		})
	})
	return found
}
