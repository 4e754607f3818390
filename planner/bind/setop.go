package bind

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
)

// bindSetOp binds UNION, INTERSECT and EXCEPT.
func (b *binder) bindSetOp(at *place, q *tree.SetOp, w *want) (*result, error) {
	if err := b.expand.nest(0); err != nil {
		return nil, err
	}
	defer b.expand.unnest()
	var sides [2]*result
	for i, side := range []tree.Query{q.Left, q.Right} {
		// Literals in a SELECT list get the type of the other branch.
		bind := func() (err error) {
			sides[i], err = b.bindQuery(at, side, &want{keepUnknown: true})
			return err
		}
		var err error
		switch {
		case q.Op == tree.Intersect:
			err = b.banning("within INTERSECT", bind)
		case q.Op == tree.Except && (i == 1 || q.All):
			err = b.banning("within EXCEPT", bind)
		default:
			err = bind()
		}
		if err != nil {
			return nil, err
		}
	}
	return b.bindSetOpOf(at, q, sides)
}

// bindSetOpOf binds a set operation of two queries that are bound.
func (b *binder) bindSetOpOf(at *place, q *tree.SetOp, sides [2]*result) (*result, error) {
	op := map[tree.SetOpKind]string{tree.Union: "UNION", tree.Intersect: "INTERSECT", tree.Except: "EXCEPT"}[q.Op]
	if len(sides[0].cols) != len(sides[1].cols) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "each %s query must have the same number of columns", op).At(b.columnPos(q.Right, 0))
	}
	ts, err := b.unionTypes(op, sides, q)
	if err != nil {
		return nil, err
	}
	r := &result{cols: make([]column, len(ts))}
	ids := make([]logical.ColumnID, len(ts))
	for i, t := range ts {
		name := sides[0].cols[i].name
		r.cols[i] = column{name: name, t: t, id: b.meta.Add(logical.Column{Name: name, Type: t})}
		ids[i] = r.cols[i].id
		if !q.All {
			if err := hashable(r.cols[i].ref(0), b.columnPos(q.Right, i)); err != nil {
				return nil, err
			}
		}
	}
	var parts [2]logical.Node
	for i, side := range sides {
		if parts[i], err = b.castColumns(side.node, ts); err != nil {
			return nil, err
		}
	}
	switch {
	case q.Op != tree.Union:
		r.node = &logical.SetOp{Except: q.Op == tree.Except, All: q.All, Left: parts[0], Right: parts[1], Cols: ids}
	case q.All:
		r.node = appended(parts, ids)
	default:
		r.node = distinctRows(appended(parts, ids), r.refs())
	}
	l := newLevel(at)
	l.scope = one(r.relation(""))
	list := columnList(r.cols)
	keys, err := b.bindOrderBy(q.OrderBy, &place{level: l, clause: "ORDER BY"}, list)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if !expr.ContainsExpr(list.exprs, k.Expr) {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause").
				WithDetail("Only result column names can be used, not expressions or functions.").
				WithHint("Add the expression/function to every SELECT, or move the UNION into a FROM clause.").At(k.Expr.Pos())
		}
	}
	if b.capture != nil {
		b.capture.setOps[q] = &capturedSetOp{cols: r.cols, keys: keys}
	}
	if len(keys) > 0 {
		r.node = &logical.Sort{Input: r.node, Keys: keys}
	}
	r.node, err = b.addLimit(l, r.node, q.Outer(), keys)
	return r, err
}

// appended is UNION ALL of two parts; those of a UNION ALL within are its own.
func appended(parts [2]logical.Node, ids []logical.ColumnID) *logical.Union {
	all := &logical.Union{Cols: ids}
	for _, n := range parts {
		if inner, ok := n.(*logical.Union); ok {
			all.Parts = append(all.Parts, inner.Parts...)
		} else {
			all.Parts = append(all.Parts, n)
		}
	}
	return all
}

// columnPos is where a query's output column i stands.
func (b *binder) columnPos(q tree.Query, i int) int {
	switch q := q.(type) {
	case *tree.Select:
		for j := range q.Items {
			if j == i || q.Items[j].Star { // which gives any number of columns
				return b.pos(q.Items[j])
			}
		}
	case *tree.Values:
		if len(q.Rows) > 0 && i >= 0 && i < len(q.Rows[0]) {
			return b.pos(q.Rows[0][i])
		}
	case *tree.SetOp:
		return b.columnPos(q.Left, i)
	}
	return 0
}

// unionTypes gives the common type of each column; literals on both sides are text.
func (b *binder) unionTypes(op string, sides [2]*result, q *tree.SetOp) ([]types.T, error) {
	ts := make([]types.T, len(sides[0].cols))
	for i := range ts {
		l, r := &sides[0].cols[i], &sides[1].cols[i]
		if l.t == r.t && l.t.Kind != types.Unknown {
			ts[i] = l.t
			continue
		}
		t, err := expr.SelectCommonType(op, []expr.Expr{l.ref(b.columnPos(q.Left, i)), r.ref(b.columnPos(q.Right, i))})
		if err != nil {
			return nil, err
		}
		if t.Kind == types.Unknown {
			t = types.Of(types.Text)
		}
		ts[i] = t
	}
	return ts, nil
}

// castColumns converts a branch's columns to the types of the whole. Literals of unknown type
// are converted where they stand.
func (b *binder) castColumns(n logical.Node, ts []types.T) (logical.Node, error) {
	same := true
	for i, id := range n.Out() {
		same = same && b.meta.Column(id).Type == ts[i]
	}
	if same {
		return n, nil
	}
	switch n := n.(type) {
	case *logical.Project:
		return n, b.castProject(n, ts)
	case *logical.Values:
		for _, row := range n.Rows {
			for i, e := range row {
				var err error
				if row[i], err = expr.ResolveCast(e, ts[i], expr.Implicit, e.Pos()); err != nil {
					return nil, err
				}
			}
		}
		b.retype(n.Cols, ts)
		return n, nil
	case *logical.Union:
		for i := range n.Parts {
			var err error
			if n.Parts[i], err = b.castColumns(n.Parts[i], ts); err != nil {
				return nil, err
			}
		}
		b.retype(n.Cols, ts)
		return n, nil
	}
	return b.castAbove(n, ts)
}

// retype changes the types of columns that nobody has named yet.
func (b *binder) retype(ids []logical.ColumnID, ts []types.T) {
	for i, id := range ids {
		b.meta.Column(id).Type = ts[i]
	}
}

// castProject converts what a projection computes.
func (b *binder) castProject(n *logical.Project, ts []types.T) error {
	for i, e := range n.Exprs {
		cast, err := expr.ResolveCast(e, ts[i], expr.Implicit, e.Pos())
		if err != nil {
			return err
		}
		if cast == e && b.meta.Column(n.Cols[i]).Type == ts[i] {
			continue
		}
		n.Exprs[i] = cast
		n.Cols[i] = b.meta.Add(logical.Column{Name: b.meta.Column(n.Cols[i]).Name, Type: ts[i]})
	}
	return nil
}

// castAbove converts in a projection of its own; a column of unknown type is text by then.
func (b *binder) castAbove(n logical.Node, ts []types.T) (logical.Node, error) {
	p := &logical.Project{Input: n}
	for i, id := range n.Out() {
		c := b.meta.Ref(id)
		if c.T.Kind == types.Unknown {
			return nil, sqlerr.New(sqlerr.IndeterminateDatatype, `column "%s" has no type`, c.Name).
				WithHint("Cast the literal to a type.")
		}
		cast, err := expr.ResolveCast(c, ts[i], expr.Implicit, 0)
		if err != nil {
			return nil, err
		}
		p.Exprs = append(p.Exprs, cast)
		if cast != expr.Expr(c) {
			id = b.meta.Add(logical.Column{Name: c.Name, Type: ts[i]})
		}
		p.Cols = append(p.Cols, id)
	}
	return p, nil
}
