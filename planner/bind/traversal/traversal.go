package traversal

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
)

// Traversal is what SEARCH and CYCLE add to a recursive query: columns that are computed
// from a row and from those of the row that it was reached from.
//
//	SEARCH DEPTH FIRST BY a SET o       o: ARRAY[ROW(a)], then o || ROW(a)
//	SEARCH BREADTH FIRST BY a SET o     o: ROW(0, a), then ROW(depth + 1, a)
//	CYCLE a SET m TO x DEFAULT y USING p  m: y, then x where ROW(a) = ANY (p), and else y
//	                                      p: ARRAY[ROW(a)], then p || ROW(a); not from rows whose m is x
//
// The depth of a breadth-first search is a column without a name.
type Traversal struct {
	meta   *logical.Meta
	cycle  *tree.Cycle
	search *tree.Search
	by     []int // positions of the columns that a search orders by
	keys   []int // likewise of those that make a cycle
	// start are the added columns of the first term, over cols.
	start []expr.Expr
	// marks are the values of a cycle's mark: of a row that was there before, and of others.
	marks []expr.Expr
	names []string
	cols  []scope.Column // of the first term
}

// depthColumn is the name of the last column of a breadth-first search: none can mean it.
const depthColumn = ""

// Binder binds what stands in the clauses.
type Binder interface {
	// Pos is the position of a node in the user's text.
	Pos(n interface{ Position() int }) int
	// CycleMarks binds the values of a cycle's mark, of one type: of a row that was there before,
	// and of others. keys are the columns that make a cycle.
	CycleMarks(y *tree.Cycle, keys []expr.Expr) []expr.Expr
}

// New reads the clauses of a WITH query with columns cols; nil if there are none.
func New(b Binder, m *logical.Meta, search *tree.Search, cycle *tree.Cycle, op *tree.SetOp, cols []scope.Column) *Traversal {
	if search == nil && cycle == nil {
		return nil
	}
	if setOpItself(op.Left) {
		panic(sqlerr.New(sqlerr.FeatureNotSupported, "with a SEARCH or CYCLE clause, the left side of the UNION must be a SELECT"))
	}
	if setOpItself(op.Right) {
		panic(sqlerr.New(sqlerr.SyntaxError, "with a SEARCH or CYCLE clause, the right side of the UNION must be a SELECT"))
	}
	t := &Traversal{meta: m, search: search, cycle: cycle, cols: slices.Clone(cols)}
	if s := search; s != nil {
		t.by = t.positions("search", s.By, b.Pos(s))
		t.unused("search sequence column", s.Set, b.Pos(s))
	}
	if y := cycle; y != nil {
		t.keys = t.positions("cycle", y.Columns, b.Pos(y))
		t.unused("cycle mark column", y.Mark, b.Pos(y))
		t.unused("cycle path column", y.Path, b.Pos(y))
		if y.Mark == y.Path {
			panic(sqlerr.New(sqlerr.SyntaxError, "cycle mark column name and cycle path column name are the same").At(b.Pos(y)))
		}
		keys := make([]expr.Expr, len(t.keys))
		for i, k := range t.keys {
			keys[i] = t.cols[k].Ref(b.Pos(y))
		}
		t.marks = b.CycleMarks(y, keys)
	}
	if search != nil && cycle != nil {
		switch search.Set {
		case cycle.Mark:
			panic(sqlerr.New(sqlerr.SyntaxError, "search sequence column name and cycle mark column name are the same").At(b.Pos(search)))
		case cycle.Path:
			panic(sqlerr.New(sqlerr.SyntaxError, "search sequence column name and cycle path column name are the same").At(b.Pos(search)))
		}
	}
	t.first()
	return t
}

// setOpItself says that a query is a set operation without a clause around it, which would
// make it a query of its own.
func setOpItself(q tree.Query) bool {
	o := q.Outer()
	_, ok := q.(*tree.SetOp)
	return ok && o.With == nil && len(o.OrderBy) == 0 && o.Limit == nil && o.Offset == nil
}

// positions finds columns by their names.
func (t *Traversal) positions(what string, names []string, pos int) []int {
	at := make([]int, len(names))
	for i, name := range names {
		k := slices.IndexFunc(t.cols, func(c scope.Column) bool { return c.Name == name })
		switch {
		case k < 0:
			panic(sqlerr.New(sqlerr.SyntaxError, `%s column "%s" not in WITH query column list`, what, name).At(pos))
		case slices.Contains(at[:i], k):
			panic(sqlerr.New(sqlerr.DuplicateColumn, `%s column "%s" specified more than once`, what, name).At(pos))
		}
		at[i] = k
	}
	return at
}

func (t *Traversal) unused(what, name string, pos int) {
	if slices.ContainsFunc(t.cols, func(c scope.Column) bool { return c.Name == name }) {
		panic(sqlerr.New(sqlerr.SyntaxError, `%s name "%s" already used in WITH query column list`, what, name).At(pos))
	}
}

// row is ROW(before…, columns at).
func row(cols []scope.Column, at []int, before ...expr.Expr) expr.Expr {
	fields := before
	for _, k := range at {
		fields = append(fields, cols[k].Ref(0))
	}
	return fail.Must(builtin.Row(fields, 0))
}

func path(cols []scope.Column, at []int) expr.Expr {
	r := row(cols, at)
	return fail.Must(expr.MakeArrayExpr([]expr.Expr{r}, 0))
}

func int8Const(n int64) expr.Expr {
	return &expr.Const{Value: types.NewInt(n), T: types.Of(types.Int8)}
}

// first computes the added columns of the first term.
func (t *Traversal) first() {
	add := func(name string, e expr.Expr) {
		t.names, t.start = append(t.names, name), append(t.start, e)
	}
	if t.search != nil {
		if !t.search.Breadth {
			add(t.search.Set, path(t.cols, t.by))
		} else {
			add(t.search.Set, row(t.cols, t.by, int8Const(0)))
		}
	}
	if t.cycle != nil {
		add(t.cycle.Mark, t.marks[1])
		add(t.cycle.Path, path(t.cols, t.keys))
	}
	if t.breadth() {
		add(depthColumn, int8Const(0))
	}
}

func (t *Traversal) breadth() bool { return t.search != nil && t.search.Breadth }

// Columns are the added columns, without IDs.
func (t *Traversal) Columns() []scope.Column {
	if t == nil {
		return nil
	}
	cols := make([]scope.Column, len(t.start))
	for i, e := range t.start {
		cols[i] = scope.Column{Name: t.names[i], T: e.Type(), ID: t.meta.Add(logical.Column{Name: t.names[i], Type: e.Type()})}
	}
	return cols
}

// Union gives u, whose Start is there, the columns that are added, and its Step, from a
// second term that reads them: reached are their IDs where it names the whole, name. It gives
// the columns that have names too.
func (t *Traversal) Union(name string, reached []logical.ColumnID, u *logical.RecursiveUnion, second logical.Node, ts []types.T) (logical.Node, []scope.Column) {
	n := len(ts)
	// The first term's columns may have been cast since.
	t.cols = t.over(u.Start.Out())
	t.names, t.start = nil, nil
	t.first()
	u.Start = t.project(u.Start, u.Start.Out(), t.start)
	added := t.Columns()
	for _, a := range added {
		u.Cols = append(u.Cols, a.ID)
		ts = append(ts[:len(ts):len(ts)], a.T)
	}
	p, ok := second.(*logical.Project)
	for _, id := range reached {
		ok = ok && slices.Contains(p.Input.Out(), id)
	}
	if !ok {
		panic(sqlerr.New(sqlerr.FeatureNotSupported,
			`with a SEARCH or CYCLE clause, the recursive reference to WITH query "%s" must be at the top level of its right-hand SELECT`, name))
	}
	passed := &logical.Project{Input: p.Input, Exprs: slices.Clone(p.Exprs), Cols: slices.Clone(p.Cols)}
	for _, id := range reached {
		// The query may give them too: then they stand twice.
		passed.Exprs = append(passed.Exprs, t.meta.Ref(id))
		passed.Cols = append(passed.Cols, t.meta.Add(*t.meta.Column(id)))
	}
	step := fail.Must(t.meta.CastColumns(passed, ts))
	u.Step = t.step(step, step.Out(), n)
	if !t.breadth() {
		return u, added
	}
	ids := u.Cols[:len(u.Cols)-1]
	return &logical.Project{Input: u, Exprs: t.meta.Refs(ids), Cols: ids}, added[:len(added)-1]
}

// over gives the first term's columns with other IDs.
func (t *Traversal) over(ids []logical.ColumnID) []scope.Column {
	cols := slices.Clone(t.cols)
	for i := range cols {
		cols[i].ID, cols[i].T, cols[i].Merged, cols[i].Right = ids[i], t.meta.Column(ids[i]).Type, nil, nil
	}
	return cols
}

// project passes columns on and adds others.
func (t *Traversal) project(in logical.Node, ids []logical.ColumnID, add []expr.Expr) logical.Node {
	p := &logical.Project{Input: in, Exprs: t.meta.Refs(ids), Cols: slices.Clone(ids)}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) { // a column that stands twice is another one the second time
			p.Cols[i] = t.meta.Add(*t.meta.Column(id))
		}
	}
	for i, e := range add {
		p.Exprs = append(p.Exprs, e)
		p.Cols = append(p.Cols, t.meta.Add(logical.Column{Name: t.names[i], Type: e.Type()}))
	}
	return p
}

// step computes the added columns of the second term, whose first n columns are its own
// and whose others are those of the row that each was reached from.
func (t *Traversal) step(in logical.Node, ids []logical.ColumnID, n int) logical.Node {
	cols := t.over(ids)
	old := t.meta.Refs(ids[n:])
	var add []expr.Expr
	var depth expr.Expr
	if t.breadth() {
		depth = fail.Must(expr.ResolveOp("+", old[len(old)-1], int8Const(1), 0))
	}
	extend := func(have expr.Expr, at []int) {
		add = append(add, fail.Must(expr.ResolveOp("||", have, path(cols, at), 0)))
	}
	if t.search != nil {
		if t.breadth() {
			add = append(add, row(cols, t.by, depth))
		} else {
			extend(old[0], t.by)
		}
		old = old[1:]
	}
	if t.cycle != nil {
		fresh := fail.Must(expr.ResolveOp("<>", old[0], t.marks[0], 0))
		in = &logical.Select{Input: in, Cond: fresh}
		key := row(cols, t.keys)
		seen := fail.Must(expr.MakeAnyAll("=", key, old[1], false, 0))
		mark := fail.Must(expr.MakeCase(nil, []expr.When{{Cond: seen, Then: t.marks[0]}}, t.marks[1], 0))
		add = append(add, mark)
		extend(old[1], t.keys)
	}
	if depth != nil {
		add = append(add, depth)
	}
	return t.project(in, ids[:n], add)
}
