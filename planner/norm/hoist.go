package norm

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// hoister makes joins of the queries inside expressions, so that none is left:
//
//	WHERE EXISTS (q), x IN (q), x > ANY (q)     semi join
//	WHERE NOT EXISTS (q), x NOT IN (q), ALL     anti join; of IN and ALL with three values
//	EXISTS, IN, ANY, ALL elsewhere              mark join: a boolean column beside the rows
//	(q) as a value                              single join, or left where q has one row at most
//	ARRAY(q)                                    join with the one row that collects q
//
// A query that names columns of what stands around it makes an Apply. One that does not is
// run once, whatever it calls, as PostgreSQL runs it.
//
// Where a value is asked for only on a condition (CASE, COALESCE, AND, OR), a query that
// could fail is run on that condition only.
type hoister struct {
	meta  *logical.Meta
	facts *logical.Facts
	// done are the queries that have become columns: an operand that is compared twice, as
	// that of BETWEEN, is one query that stands in two places.
	done map[*logical.Subquery][]hoisted
}

// hoisted is a column of *cur that stands for a query wherever guard is true.
type hoisted struct {
	cur   *logical.Node
	guard []expr.Expr
	col   *expr.Col
}

// known gives the column that stands for a query already. What is asked for under a guard
// is asked for before what stands under a longer one.
func (h *hoister) known(cur *logical.Node, s *logical.Subquery, guard []expr.Expr) *expr.Col {
	for _, d := range h.done[s] {
		if d.cur != cur {
			continue
		}
		if len(d.guard) > len(guard) || !slices.Equal(d.guard, guard[:len(d.guard)]) {
			panic(sqlerr.Unsupported("a query that is compared in several branches of an expression is not supported",
				"Compute it in a subquery in FROM and use its column.").At(s.At))
		}
		return d.col
	}
	return nil
}

func anySubquery(n logical.Node) bool {
	found := false
	logical.VisitExprs(n, func(e expr.Expr) { found = found || logical.HoldsQuery(e) })
	return found
}

// node hoists in a tree. Its columns are the same, in their order.
func (h *hoister) node(n logical.Node) logical.Node {
	n = logical.MapInputs(n, h.node)
	if !anySubquery(n) {
		return n
	}
	return exactly(h.meta, h.hoist(n), n.Out())
}

// exactly gives n with cols for its columns.
func exactly(meta *logical.Meta, n logical.Node, cols []logical.ColumnID) logical.Node {
	if slices.Equal(n.Out(), cols) {
		return n
	}
	return &logical.Project{Input: n, Exprs: meta.Refs(cols), Cols: cols}
}

// kept is exactly, but old itself where that comes to the same.
func kept(meta *logical.Meta, old, n logical.Node, cols []logical.ColumnID) logical.Node {
	if p, ok := old.(*logical.Project); ok && p.Input == n && slices.Equal(p.Cols, cols) {
		return old
	}
	return exactly(meta, n, cols)
}

// hoist hoists in one node's own expressions.
func (h *hoister) hoist(n logical.Node) logical.Node {
	switch n := n.(type) {
	case *logical.Select:
		return h.filter(n.Input, n.Cond)
	case *logical.Join:
		return h.join(n)
	case *logical.Values:
		return h.values(n)
	case *logical.FuncScan, *logical.Get, *logical.Limit: // a Limit's numbers are computed before the first row is read
		cur, m := h.exprs(&logical.Values{Rows: [][]expr.Expr{{}}}, n)
		return &logical.Join{Kind: plan.Inner, Left: cur, Right: m, Apply: true}
	}
	if w, ok := n.(*logical.Window); ok && framesAsk(w) {
		return h.frames(w)
	}
	if ins := n.Inputs(); len(ins) == 1 {
		cur, m := h.exprs(ins[0], n)
		return logical.WithInputs(m, []logical.Node{cur})
	}
	panic(sqlerr.New(sqlerr.InternalError, "a query inside an expression of %T", n))
}

// exprs replaces the queries in a node's expressions by columns that are added to cur.
func (h *hoister) exprs(cur logical.Node, n logical.Node) (logical.Node, logical.Node) {
	m := logical.MapExprs(n, func(e expr.Expr) expr.Expr { return h.expr(&cur, e, nil) })
	return cur, m
}

// query gives a query hoisted in itself, and its condition, whose own queries are values
// beside cur's rows. With a guard, it gives rows only where that is true.
func (h *hoister) query(cur *logical.Node, s *logical.Subquery, guard []expr.Expr) (logical.Node, expr.Expr) {
	q := h.node(s.Query)
	q = h.owned(q)
	cond := s.Cond
	if cond != nil && logical.HoldsQuery(cond) {
		cond = h.expr(cur, cond, guard)
	}
	if len(guard) > 0 && h.mayFail(s, q) {
		q = h.guarded(cur, q, guard)
	}
	return q, cond
}

// owned gives the columns that a query passes on from around it new names: where the query
// has no row, they are NULL.
func (h *hoister) owned(q logical.Node) logical.Node {
	free := h.facts.Of(q).Free
	if !free.Intersects(logical.SetOf(q.Out()...)) {
		return q
	}
	p := &logical.Project{Input: q, Cols: slices.Clone(q.Out())}
	p.Exprs = h.meta.Refs(p.Cols)
	for i, c := range p.Cols {
		if free.Has(c) {
			p.Cols[i] = h.meta.Add(*h.meta.Column(c))
		}
	}
	return p
}

// guarded adds the guard to cur as a column, by which one query that names nothing else
// is run once at most.
func (h *hoister) guarded(cur *logical.Node, q logical.Node, guard []expr.Expr) logical.Node {
	g := h.meta.Add(logical.Column{Name: guardName, Type: types.Of(types.Bool)})
	in := *cur
	*cur = &logical.Project{Input: in, Exprs: append(h.meta.Refs(in.Out()), logical.AndAll(guard)), Cols: append(slices.Clone(in.Out()), g)}
	return &logical.Select{Input: q, Cond: h.meta.Ref(g)}
}

// value joins a query to cur and gives the column that stands for it.
func (h *hoister) value(cur *logical.Node, s *logical.Subquery, guard []expr.Expr) expr.Expr {
	if c := h.known(cur, s, guard); c != nil {
		return c
	}
	right, cond := h.query(cur, s, guard)
	j := &logical.Join{Left: *cur, Right: right, Cond: cond}
	var col logical.ColumnID
	switch s.Kind {
	case logical.Scalar:
		j.Kind, col = plan.Single, right.Out()[0]
		if h.facts.Of(right).AtMostOne() {
			j.Kind = plan.Left
		}
	case logical.Array:
		right = h.collected(right, s)
		j.Kind, j.Right, col = plan.Left, right, right.Out()[0]
	default:
		name := "exists"
		if s.Kind == logical.Any {
			name = "any"
		}
		j.Mark = h.meta.Add(logical.Column{Name: name, Type: types.Of(types.Bool)})
		j.Kind, col = plan.Mark, j.Mark
	}
	*cur = h.correlate(j)
	ref := h.meta.Ref(col)
	ref.At = s.At
	if h.done == nil {
		h.done = map[*logical.Subquery][]hoisted{}
	}
	h.done[s] = append(h.done[s], hoisted{cur, slices.Clip(guard), ref})
	return ref
}

// collected is the one row of ARRAY(query).
func (h *hoister) collected(q logical.Node, s *logical.Subquery) logical.Node {
	col := h.meta.Ref(q.Out()[0])
	agg := fail.Must(expr.ResolveAgg("array_agg", []expr.Expr{col}, false, s.At))
	call := plan.AggCall{Agg: agg, Args: agg.Args, Text: "array_agg(" + col.Name + ")"}
	// The order is the aggregate's from here on: a query loses its own where it is joined.
	if q, call.OrderBy = h.orderOf(q); len(call.OrderBy) > 0 {
		ordered := *agg
		ordered.Ordered = true
		call.Agg = &ordered
	}
	rows := h.meta.Add(logical.Column{Name: "array", Type: agg.T})
	g := &logical.GroupBy{Input: q, Aggs: []plan.AggCall{call}, AggCols: []logical.ColumnID{rows}}
	none := &expr.Const{Value: types.NewArray(agg.T.ElemType(), nil), T: agg.T}
	out := h.meta.Add(logical.Column{Name: "array", Type: agg.T})
	return &logical.Project{Input: g, Cols: []logical.ColumnID{out},
		Exprs: []expr.Expr{&expr.Coalesce{Args: []expr.Expr{h.meta.Ref(rows), none}, T: agg.T, At: s.At}}}
}

// framesAsk says that an offset of a frame has a query.
func framesAsk(w *logical.Window) bool {
	return slices.ContainsFunc(w.Calls, func(c plan.WindowCall) bool {
		for _, b := range []*plan.Bound{&c.Frame.Start, &c.Frame.End} {
			if b.Offset != nil && logical.HoldsQuery(b.Offset) {
				return true
			}
		}
		return false
	})
}

// frames computes the queries in offsets of frames once, before the first row is read; the
// others are values beside the window's rows.
func (h *hoister) frames(w *logical.Window) logical.Node {
	out := *w
	out.Calls = slices.Clone(w.Calls)
	var cur logical.Node = &logical.Values{Rows: [][]expr.Expr{{}}}
	for i := range out.Calls {
		f := &out.Calls[i].Frame
		for _, e := range []*expr.Expr{&f.Start.Offset, &f.Start.Shift, &f.End.Offset, &f.End.Shift} {
			if *e == nil {
				continue
			}
			*e = h.expr(&cur, *e, nil)
		}
	}
	m := logical.Node(&out)
	if anySubquery(m) {
		m = h.hoist(m)
	}
	return &logical.Join{Kind: plan.Inner, Left: cur, Right: m, Apply: true}
}

// guardName names the columns of guards. A query's own column may have the name too: it
// is then left as it is, which is slower and not wrong.
const guardName = "asked for"

// orderOf takes the order off a query: keys over its columns, to which it adds what they need.
func (h *hoister) orderOf(q logical.Node) (logical.Node, []plan.SortKey) {
	p, ok := q.(*logical.Project)
	if !ok {
		if s, ok := q.(*logical.Sort); ok {
			return s.Input, s.Keys
		}
		return q, nil
	}
	in, keys := h.orderOf(p.Input)
	if len(keys) == 0 {
		return q, nil
	}
	wide := &logical.Project{Input: in, Exprs: slices.Clone(p.Exprs), Cols: slices.Clone(p.Cols)}
	keys = slices.Clone(keys)
	for i, k := range keys {
		if logical.VolatileExpr(k.Expr) {
			return q, nil
		}
		id := h.meta.Add(logical.Column{Name: expr.ToText(k.Expr), Type: k.Expr.Type()})
		wide.Exprs, wide.Cols = append(wide.Exprs, k.Expr), append(wide.Cols, id)
		keys[i].Expr = h.meta.Ref(id)
	}
	return wide, keys
}
