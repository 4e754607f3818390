package query

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindJoin binds a JOIN. left is what stands to the left of it.
func (b *Binder) bindJoin(l *scope.Level, j *tree.Join, left *scope.Scope) source {
	b.expand.nest(b.Pos(j))
	defer b.expand.unnest()
	ls := b.bindSide(l, j.Left, left, j.Kind == tree.Right || j.Kind == tree.Full)
	beside := &scope.Scope{Rels: ls.scope.Rels, Cols: ls.scope.Cols, Next: left, Barred: j.Kind == tree.Right || j.Kind == tree.Full}
	rs := b.bindSide(l, j.Right, beside, j.Kind == tree.Left || j.Kind == tree.Full)
	NoSameNames(ls.scope, rs.scope)
	b.fewJoins(b.Pos(j))
	n := &logical.Join{Kind: plan.Inner, Left: ls.node, Right: rs.node, Apply: beside.Used}
	var both *scope.Scope
	switch {
	case j.Natural, len(j.Using) > 0:
		both, n.On = b.using(j, ls.scope, rs.scope)
	default:
		both = bothSides(ls.scope, rs.scope)
		if j.On != nil {
			n.On = b.on(l, j.On, both, left)
		}
	}
	if b.Capture != nil {
		b.Capture.On[j] = n.On
	}
	leftAt, rightAt := &n.Left, &n.Right
	switch j.Kind {
	case tree.Left:
		n.Kind = plan.Left
		rs.scope.MakeNullable()
	case tree.Right:
		n.Kind, n.Left, n.Right = plan.Left, rs.node, ls.node
		leftAt, rightAt = rightAt, leftAt
		ls.scope.MakeNullable()
	case tree.Full:
		n.Kind = plan.Full
		both.MakeNullable()
	}
	ls.in(leftAt)
	rs.in(rightAt)
	if j.Alias.Name != "" {
		rel := &scope.Relation{Name: j.Alias.Name, Cols: slices.Clone(both.Cols), Join: true}
		rel.Rename(j.Alias.Columns, b.Pos(j))
		inside := both.AllRelations()
		both = scope.ScopeOf(rel)
		both.Unseen = inside
	}
	return source{n, both}
}

// bindSide binds a side of a join; null says that its columns may come as NULL.
func (b *Binder) bindSide(l *scope.Level, item tree.From, left *scope.Scope, null bool) source {
	if !null {
		return b.bindSource(l, item, left)
	}
	var s source
	b.banning("within an outer join", func() {
		s = b.bindSource(l, item, left)

	})
	return s
}

// on binds the condition of a join.
func (b *Binder) on(l *scope.Level, n tree.Expr, both, left *scope.Scope) expr.Expr {
	saved := l.Scope
	defer func() { l.Scope = saved }()
	l.Scope = &scope.Scope{Rels: both.Rels, Cols: both.Cols, Unseen: slices.Concat(both.Unseen, left.AllRelations())}
	e := b.Expr(&scope.Place{Level: l, Clause: "JOIN conditions"}, n)
	return fail.Must(expr.ResolveBool(e, "JOIN/ON"))
}

// using joins by columns of one name, which become one column, before all others.
func (b *Binder) using(j *tree.Join, l, r *scope.Scope) (*scope.Scope, expr.Expr) {
	names := j.Using
	if j.Natural {
		names = commonNames(l.Cols, r.Cols)
	}
	if b.Capture != nil {
		b.Capture.Using[j] = names
	}
	var conds []expr.Expr
	var merged []scope.Column
	taken := map[*scope.Column]bool{}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			panic(sqlerr.New(sqlerr.DuplicateColumn, `column name "%s" appears more than once in USING clause`, name))
		}
		lc := usingColumn(l.Cols, name, "left")
		rc := usingColumn(r.Cols, name, "right")
		taken[lc], taken[rc] = true, true
		eq := fail.Must(expr.ResolveOp("=", lc.Ref(0), rc.Ref(0), 0))
		conds = append(conds, eq)
		m := mergedColumn(j.Kind, lc, rc)
		merged = append(merged, m)
	}
	both := &scope.Scope{Rels: append(l.Rels, r.Rels...), Unseen: append(l.Unseen, r.Unseen...)}
	if j.UsingAlias != "" {
		both.Rels = append(both.Rels, &scope.Relation{Name: j.UsingAlias, Cols: merged, Join: true})
	}
	both.Cols = slices.Clone(merged)
	for _, cols := range [][]scope.Column{l.Cols, r.Cols} {
		for i := range cols {
			if !taken[&cols[i]] {
				both.Cols = append(both.Cols, cols[i])
			}
		}
	}
	return both, logical.AndAll(conds)
}

// commonNames lists the names that are on both sides, in the order of the left one.
func commonNames(l, r []scope.Column) []string {
	right := make(map[string]bool, len(r))
	for i := range r {
		right[r[i].Name] = true
	}
	var names []string
	for i := range l {
		if right[l[i].Name] {
			names = append(names, l[i].Name)
		}
	}
	return names
}

// usingColumn finds a column that USING names: 42703, 42702.
func usingColumn(cols []scope.Column, name, side string) *scope.Column {
	var c *scope.Column
	if fail.Try(func() { c = scope.FindColumn(cols, name, 0) }) != nil {
		panic(sqlerr.New(sqlerr.AmbiguousColumn, `common column name "%s" appears more than once in %s table`, name, side))
	}
	if c == nil {
		panic(sqlerr.New(sqlerr.UndefinedColumn, `column "%s" specified in USING clause does not exist in %s table`, name, side))
	}
	return c
}

// mergedColumn is what a join of a kind makes of two columns of one name.
func mergedColumn(kind tree.JoinKind, l, r *scope.Column) scope.Column {
	both, t := fail.Must2(expr.Unify("JOIN/USING", []expr.Expr{l.Ref(0), r.Ref(0)}))
	value := both[0]
	switch kind {
	case tree.Right:
		value = both[1]
	case tree.Full:
		value = fail.Must(expr.MakeCoalesce(both, 0))
	case tree.Inner:
		if _, plain := value.(*expr.Col); !plain {
			if _, plain := both[1].(*expr.Col); plain {
				value = both[1]
			}
		}
	}
	m := scope.Column{Name: l.Name, T: t, Merged: value}
	if c, ok := value.(*expr.Col); ok {
		m.ID, m.Merged = c.Index, nil
	}
	return m
}
