package query

import (
	"fmt"
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
)

// bindValues binds VALUES as a query: each column gets the common type of its values.
func (b *Binder) bindValues(at *scope.Place, q *tree.Values, w *Want) *result {
	l := scope.NewLevel(at)
	v := &logical.Values{Rows: make([][]expr.Expr, len(q.Rows))}
	p := &scope.Place{Level: l, Clause: "VALUES"}
	for i, row := range q.Rows {
		b.NextRow(l)
		v.Rows[i] = b.rowFields(p, row)
		if len(v.Rows[i]) != len(v.Rows[0]) {
			pos := 0
			if len(row) > 0 {
				pos = b.Pos(row[0])
			}
			panic(sqlerr.New(sqlerr.SyntaxError, "VALUES lists must all be the same length").At(pos))
		}
	}
	r := &result{Cols: make([]scope.Column, len(v.Rows[0]))}
	for c := range v.Rows[0] {
		t := unifyColumn(v.Rows, c, w)
		name := fmt.Sprintf("column%d", c+1)
		r.Cols[c] = scope.Column{Name: name, T: t, ID: b.Meta.Add(logical.Column{Name: name, Type: t})}
		v.Cols = append(v.Cols, r.Cols[c].ID)
	}
	l.Scope = scope.ScopeOf(r.relation("*VALUES*"))
	keys := b.BindOrderBy(q.OrderBy, &scope.Place{Level: l, Clause: "ORDER BY"}, columnList(r.Cols))
	if b.Capture != nil {
		b.Capture.Values[q] = &capturedValues{Rows: v.Rows, Cols: r.Cols, Keys: slices.Clone(keys)}
	}
	r.Node = v
	if len(keys) > 0 {
		r.Node = &logical.Sort{Input: r.Node, Keys: keys}
	}
	r.Node = b.AddLimit(l, r.Node, q.Outer(), keys)
	return r
}

// unifyColumn casts column c of all rows to its common type.
func unifyColumn(rows [][]expr.Expr, c int, w *Want) types.T {
	column := make([]expr.Expr, len(rows))
	unknown := true
	for i := range rows {
		column[i] = rows[i][c]
		unknown = unknown && column[i].Type().Kind == types.Unknown
	}
	if unknown && w != nil && w.Convert != nil {
		for i := range rows {
			e := w.Convert(c, column[i])
			rows[i][c] = e
		}
		return rows[0][c].Type()
	}
	cast, t := fail.Must2(expr.Unify("VALUES", column))
	for i := range rows {
		rows[i][c] = cast[i]
	}
	return t
}
