package query

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
)

// bindSetOp binds UNION, INTERSECT and EXCEPT.
func (b *Binder) bindSetOp(at *scope.Place, q *tree.SetOp, w *Want) *result {
	b.expand.nest(0)
	defer b.expand.unnest()
	var sides [2]*result
	for i, side := range []tree.Query{q.Left, q.Right} {
		// Literals in a SELECT list get the type of the other branch.
		bind := func() {
			sides[i] = b.BindQuery(at, side, &Want{keepUnknown: true})
		}
		switch {
		case q.Op == tree.Intersect:
			b.banning("within INTERSECT", bind)
		case q.Op == tree.Except && (i == 1 || q.All):
			b.banning("within EXCEPT", bind)
		default:
			bind()
		}
	}
	return b.bindSetOpOf(at, q, sides)
}

// bindSetOpOf binds a set operation of two queries that are bound.
func (b *Binder) bindSetOpOf(at *scope.Place, q *tree.SetOp, sides [2]*result) *result {
	op := map[tree.SetOpKind]string{tree.Union: "UNION", tree.Intersect: "INTERSECT", tree.Except: "EXCEPT"}[q.Op]
	if len(sides[0].Cols) != len(sides[1].Cols) {
		panic(sqlerr.New(sqlerr.SyntaxError, "each %s query must have the same number of columns", op).At(b.ColumnPos(q.Right, 0)))
	}
	ts := b.unionTypes(op, sides, q)
	r := &result{Cols: make([]scope.Column, len(ts))}
	ids := make([]logical.ColumnID, len(ts))
	for i, t := range ts {
		name := sides[0].Cols[i].Name
		r.Cols[i] = scope.Column{Name: name, T: t, ID: b.Meta.Add(logical.Column{Name: name, Type: t})}
		ids[i] = r.Cols[i].ID
		if !q.All {
			hashable(r.Cols[i].Ref(0), b.ColumnPos(q.Right, i))
		}
	}
	var parts [2]logical.Node
	for i, side := range sides {
		parts[i] = fail.Must(b.Meta.CastColumns(side.Node, ts))
	}
	switch {
	case q.Op != tree.Union:
		r.Node = &logical.SetOp{Except: q.Op == tree.Except, All: q.All, Left: parts[0], Right: parts[1], Cols: ids}
	case q.All:
		r.Node = appended(parts, ids)
	default:
		r.Node = distinctRows(appended(parts, ids), r.Refs())
	}
	l := scope.NewLevel(at)
	l.Scope = scope.ScopeOf(r.relation(""))
	list := columnList(r.Cols)
	keys := b.BindOrderBy(q.OrderBy, &scope.Place{Level: l, Clause: "ORDER BY"}, list)
	for _, k := range keys {
		if !expr.ContainsExpr(list.Exprs, k.Expr) {
			panic(sqlerr.New(sqlerr.FeatureNotSupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause").
				WithDetail("Only result column names can be used, not expressions or functions.").
				WithHint("Add the expression/function to every SELECT, or move the UNION into a FROM clause.").At(k.Expr.Pos()))
		}
	}
	if b.Capture != nil {
		b.Capture.SetOps[q] = &capturedSetOp{Cols: r.Cols, Keys: keys}
	}
	if len(keys) > 0 {
		r.Node = &logical.Sort{Input: r.Node, Keys: keys}
	}
	r.Node = b.AddLimit(l, r.Node, q.Outer(), keys)
	return r
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

// ColumnPos is where a query's output column i stands.
func (b *Binder) ColumnPos(q tree.Query, i int) int {
	switch q := q.(type) {
	case *tree.Select:
		for j := range q.Items {
			if j == i || q.Items[j].Star { // which gives any number of columns
				return b.Pos(q.Items[j])
			}
		}
	case *tree.Values:
		if len(q.Rows) > 0 && i >= 0 && i < len(q.Rows[0]) {
			return b.Pos(q.Rows[0][i])
		}
	case *tree.SetOp:
		return b.ColumnPos(q.Left, i)
	}
	return 0
}

// unionTypes gives the common type of each column; literals on both sides are text.
func (b *Binder) unionTypes(op string, sides [2]*result, q *tree.SetOp) []types.T {
	ts := make([]types.T, len(sides[0].Cols))
	for i := range ts {
		l, r := &sides[0].Cols[i], &sides[1].Cols[i]
		if l.T == r.T && l.T.Kind != types.Unknown {
			ts[i] = l.T
			continue
		}
		t := fail.Must(expr.SelectCommonType(op, []expr.Expr{l.Ref(b.ColumnPos(q.Left, i)), r.Ref(b.ColumnPos(q.Right, i))}))
		if t.Kind == types.Unknown {
			t = types.Of(types.Text)
		}
		ts[i] = t
	}
	return ts
}
