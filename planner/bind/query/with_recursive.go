package query

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/bind/traversal"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
)

// selfReference is what the name of a recursive query means within it.
type selfReference struct {
	id     int                // of the RecursiveUnion
	cols   []scope.Column     // of the first term
	added  []scope.Column     // that SEARCH and CYCLE add, which * does not list
	hidden []logical.ColumnID // of refs: all that are added, also those without a name
	refs   int
	banned string // why it cannot be named here: "within its non-recursive term"
}

// bindRecursive binds a query of WITH RECURSIVE: first UNION [ALL] second, where the second
// names the whole, or a query that does not.
func (b *Binder) bindRecursive(c *cte) *result {
	op, ok := c.query.(*tree.SetOp)
	if !ok || op.Op != tree.Union {
		c.self = &selfReference{banned: "form"}
		defer func() { c.self = nil }()
		r := b.BindQuery(c.place, c.query, nil)
		if c.search != nil || c.cycle != nil {
			panic(notRecursive(c))
		}
		return r
	}
	defer func(ctes []*cte) { b.ctes, c.self = ctes, nil }(b.ctes)
	known := len(b.ctes)
	c.self = &selfReference{banned: "within a subquery"}
	b.BindWith(c.place, op.With)
	r := b.bindTerms(c, op)
	r.Node = b.Withs(known, r.Node)
	return r
}

// bindTerms binds both terms.
func (b *Binder) bindTerms(c *cte, op *tree.SetOp) *result {
	c.self = &selfReference{banned: "within its non-recursive term"}
	first := b.BindQuery(c.place, op.Left, &Want{keepUnknown: true})
	c.self.id, c.self.banned = b.Meta.NewWith(), ""
	ts := make([]types.T, len(first.Cols))
	for i := range first.Cols {
		ts[i] = first.Cols[i].T
		if ts[i].Kind == types.Unknown {
			ts[i] = types.Of(types.Text)
		}
	}
	c.self.cols = slices.Clone(first.Cols)
	for i := range c.self.cols {
		c.self.cols[i].T = ts[i]
		if i < len(c.columns) {
			c.self.cols[i].Name = c.columns[i]
		}
	}
	t := traversal.New(b, b.Meta, c.search, c.cycle, op, c.self.cols)
	c.self.added = t.Columns()
	saved := b.banned
	b.banned = ""
	second := b.BindQuery(c.place, op.Right, &Want{keepUnknown: true})
	b.banned = saved
	if c.self.refs == 0 && t != nil {
		panic(notRecursive(c))
	}
	if c.self.refs == 0 {
		return b.bindSetOpOf(c.place, op, [2]*result{first, second})
	}
	b.recursiveClauses(op)
	return b.recursiveUnion(c, op, first, second, ts, t)
}

// recursiveClauses refuses what cannot stand around a recursive query.
func (b *Binder) recursiveClauses(op *tree.SetOp) {
	what, pos := "", 0
	switch {
	case len(op.OrderBy) > 0:
		what, pos = "ORDER BY", b.Pos(op.OrderBy[0].Expr)
	case op.Offset != nil:
		what, pos = "OFFSET", b.Pos(op.Offset)
	case op.Limit != nil:
		what, pos = "LIMIT", b.Pos(op.Limit)
	case len(op.Locks) > 0:
		what, pos = "FOR UPDATE/SHARE", b.Pos(&op.Locks[0])
	default:
		return
	}
	panic(sqlerr.Unsupported(what+" in a recursive query is not implemented", "Write it in the query that reads the recursive one.").At(pos))
}

func (b *Binder) recursiveUnion(c *cte, op *tree.SetOp, first, second *result, ts []types.T, t *traversal.Traversal) *result {
	if len(first.Cols) != len(second.Cols) {
		panic(sqlerr.New(sqlerr.SyntaxError, "each UNION query must have the same number of columns").At(b.ColumnPos(op.Right, 0)))
	}
	all := b.unionTypes("UNION", [2]*result{first, second}, op)
	u := &logical.RecursiveUnion{ID: c.self.id, Name: c.name, All: op.All}
	r := &result{Node: u, Cols: make([]scope.Column, len(ts))}
	for i, t := range ts {
		if all[i] != t {
			panic(sqlerr.New(sqlerr.DatatypeMismatch,
				`recursive query "%s" column %d has type %s in non-recursive term but type %s overall`, c.name, i+1, t, all[i]).
				WithHint("Cast the output of the non-recursive term to the correct type.").At(b.ColumnPos(op.Left, i)))
		}
		name := first.Cols[i].Name
		r.Cols[i] = scope.Column{Name: name, T: t, ID: b.Meta.Add(logical.Column{Name: name, Type: t})}
		u.Cols = append(u.Cols, r.Cols[i].ID)
		if !op.All {
			hashable(r.Cols[i].Ref(0), b.ColumnPos(op.Left, i))
		}
	}
	u.Start = fail.Must(b.Meta.CastColumns(first.Node, ts))
	if b.Capture != nil {
		b.Capture.SetOps[op] = &capturedSetOp{Cols: r.Cols}
	}
	if t != nil {
		node, added := t.Union(c.name, c.self.hidden, u, second.Node, ts)
		r.Node, r.Cols, c.added = node, append(r.Cols, added...), len(added)
		return r
	}
	u.Step = fail.Must(b.Meta.CastColumns(second.Node, ts))
	return r
}

// selfRows reads the rows of the round before.
func (b *Binder) selfRows(c *cte, pos int) (logical.Node, *scope.Relation) {
	s := c.self
	ban := s.banned
	if ban == "" {
		ban = b.banned
	}
	switch {
	case ban == "form":
		panic(sqlerr.New(sqlerr.InvalidRecursion,
			`recursive query "%s" does not have the form non-recursive-term UNION [ALL] recursive-term`, c.name).At(c.pos))
	case ban != "":
		panic(sqlerr.New(sqlerr.InvalidRecursion, `recursive reference to query "%s" must not appear %s`, c.name, ban).At(pos))
	case s.refs > 0:
		panic(sqlerr.New(sqlerr.InvalidRecursion, `recursive reference to query "%s" must not appear more than once`, c.name).At(pos))
	}
	s.refs++
	rel := b.copyOf(c.name, append(s.cols[:len(s.cols):len(s.cols)], s.added...))
	ref := &logical.WithRef{ID: s.id, Name: c.name, Cols: rel.IDs()}
	n := len(s.cols)
	s.hidden = ref.Cols[n:]
	rel.Cols, rel.System = rel.Cols[:n:n], rel.Cols[n:]
	return ref, rel
}

// CycleMarks binds the values of a cycle's mark, of one type, and refuses what cannot be compared
// for equality.
func (b *Binder) CycleMarks(y *tree.Cycle, keys []expr.Expr) []expr.Expr {
	marks := b.bindMarks(y)
	for _, k := range keys {
		hashable(k, b.Pos(y))
	}
	return marks
}

func (b *Binder) bindMarks(y *tree.Cycle) []expr.Expr {
	if y.To == nil {
		return []expr.Expr{boolConst(true), boolConst(false)}
	}
	var marks []expr.Expr
	for _, n := range []tree.Expr{y.To, y.Default} {
		e := b.Expr(&scope.Place{Clause: "CYCLE"}, n)
		marks = append(marks, e)
	}
	marks, _ = fail.Must2(expr.Unify("CYCLE", marks))
	if b.Capture != nil {
		b.Capture.Marks[y] = marks
	}
	hashable(marks[0], b.Pos(y))
	return marks
}

func boolConst(v bool) expr.Expr {
	return &expr.Const{Value: types.NewBool(v), T: types.Of(types.Bool)}
}

func notRecursive(c *cte) *sqlerr.Error {
	return sqlerr.New(sqlerr.SyntaxError, "WITH query is not recursive").At(c.pos)
}
