package bind

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindJoin binds a JOIN. left is what stands to the left of it.
func (b *binder) bindJoin(l *level, j *tree.Join, left *scope) (source, error) {
	if err := b.expand.nest(b.pos(j)); err != nil {
		return source{}, err
	}
	defer b.expand.unnest()
	ls, err := b.bindSide(l, j.Left, left, j.Kind == tree.Right || j.Kind == tree.Full)
	if err != nil {
		return source{}, err
	}
	beside := &scope{rels: ls.scope.rels, cols: ls.scope.cols, next: left, barred: j.Kind == tree.Right || j.Kind == tree.Full}
	rs, err := b.bindSide(l, j.Right, beside, j.Kind == tree.Left || j.Kind == tree.Full)
	if err != nil {
		return source{}, err
	}
	if err := noSameNames(ls.scope, rs.scope); err != nil {
		return source{}, err
	}
	if err := b.fewJoins(b.pos(j)); err != nil {
		return source{}, err
	}
	n := &logical.Join{Kind: plan.Inner, Left: ls.node, Right: rs.node, Apply: beside.used}
	var both *scope
	switch {
	case j.Natural, len(j.Using) > 0:
		both, n.On, err = b.using(j, ls.scope, rs.scope)
	default:
		both = bothSides(ls.scope, rs.scope)
		if j.On != nil {
			n.On, err = b.on(l, j.On, both, left)
		}
	}
	if err != nil {
		return source{}, err
	}
	if b.capture != nil {
		b.capture.on[j] = n.On
	}
	switch j.Kind {
	case tree.Left:
		n.Kind = plan.Left
	case tree.Right:
		n.Kind, n.Left, n.Right = plan.Left, rs.node, ls.node
	case tree.Full:
		n.Kind = plan.Full
	}
	if j.Alias.Name != "" {
		rel := &relation{name: j.Alias.Name, cols: slices.Clone(both.cols)}
		if err := rel.rename(j.Alias.Columns, b.pos(j)); err != nil {
			return source{}, err
		}
		inside := both.all()
		both = one(rel)
		b.capture.item(j, rel)
		both.unseen = inside
	}
	return source{n, both}, nil
}

// bindSide binds a side of a join; null says that its columns may come as NULL.
func (b *binder) bindSide(l *level, item tree.From, left *scope, null bool) (source, error) {
	if !null {
		return b.bindSource(l, item, left)
	}
	var s source
	err := b.banning("within an outer join", func() (err error) {
		s, err = b.bindSource(l, item, left)
		return err
	})
	return s, err
}

// on binds the condition of a join.
func (b *binder) on(l *level, n tree.Expr, both, left *scope) (expr.Expr, error) {
	saved := l.scope
	defer func() { l.scope = saved }()
	l.scope = &scope{rels: both.rels, cols: both.cols, unseen: slices.Concat(both.unseen, left.all())}
	e, err := b.expr(&place{level: l, clause: "JOIN conditions"}, n)
	if err != nil {
		return nil, err
	}
	return expr.ResolveBool(e, "JOIN/ON")
}

// using joins by columns of one name, which become one column, before all others.
func (b *binder) using(j *tree.Join, l, r *scope) (*scope, expr.Expr, error) {
	names := j.Using
	if j.Natural {
		names = commonNames(l.cols, r.cols)
	}
	if b.capture != nil {
		b.capture.using[j] = names
	}
	var conds []expr.Expr
	var merged []column
	taken := map[*column]bool{}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, nil, sqlerr.New(sqlerr.DuplicateColumn, `column name "%s" appears more than once in USING clause`, name)
		}
		lc, err := usingColumn(l.cols, name, "left")
		if err != nil {
			return nil, nil, err
		}
		rc, err := usingColumn(r.cols, name, "right")
		if err != nil {
			return nil, nil, err
		}
		taken[lc], taken[rc] = true, true
		eq, err := expr.ResolveOp("=", lc.ref(0), rc.ref(0), 0)
		if err != nil {
			return nil, nil, err
		}
		conds = append(conds, eq)
		m, err := mergedColumn(j.Kind, lc, rc)
		if err != nil {
			return nil, nil, err
		}
		merged = append(merged, m)
	}
	both := &scope{rels: append(l.rels, r.rels...), unseen: append(l.unseen, r.unseen...)}
	if j.UsingAlias != "" {
		both.rels = append(both.rels, &relation{name: j.UsingAlias, cols: merged})
	}
	both.cols = slices.Clone(merged)
	for _, cols := range [][]column{l.cols, r.cols} {
		for i := range cols {
			if !taken[&cols[i]] {
				both.cols = append(both.cols, cols[i])
			}
		}
	}
	return both, logical.AndAll(conds), nil
}

// commonNames lists the names that are on both sides, in the order of the left one.
func commonNames(l, r []column) []string {
	right := make(map[string]bool, len(r))
	for i := range r {
		right[r[i].name] = true
	}
	var names []string
	for i := range l {
		if right[l[i].name] {
			names = append(names, l[i].name)
		}
	}
	return names
}

// usingColumn finds a column that USING names: 42703, 42702.
func usingColumn(cols []column, name, side string) (*column, error) {
	c, err := find(cols, name, 0)
	if err != nil {
		return nil, sqlerr.New(sqlerr.AmbiguousColumn, `common column name "%s" appears more than once in %s table`, name, side)
	}
	if c == nil {
		return nil, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" specified in USING clause does not exist in %s table`, name, side)
	}
	return c, nil
}

// mergedColumn is what a join of a kind makes of two columns of one name.
func mergedColumn(kind tree.JoinKind, l, r *column) (column, error) {
	both, t, err := expr.Unify("JOIN/USING", []expr.Expr{l.ref(0), r.ref(0)})
	if err != nil {
		return column{}, err
	}
	value := both[0]
	switch kind {
	case tree.Right:
		value = both[1]
	case tree.Full:
		if value, err = expr.MakeCoalesce(both, 0); err != nil {
			return column{}, err
		}
	case tree.Inner:
		if _, plain := value.(*expr.Col); !plain {
			if _, plain := both[1].(*expr.Col); plain {
				value = both[1]
			}
		}
	}
	m := column{name: l.name, t: t, merged: value}
	if c, ok := value.(*expr.Col); ok {
		m.id, m.merged = c.Index, nil
	}
	return m, nil
}
