package bind

import (
	"fmt"
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
)

// bindValues binds VALUES as a query: each column gets the common type of its values.
func (b *binder) bindValues(at *place, q *tree.Values, w *want) (*result, error) {
	l := newLevel(at)
	v := &logical.Values{Rows: make([][]expr.Expr, len(q.Rows))}
	p := &place{level: l, clause: "VALUES"}
	for i, row := range q.Rows {
		if len(row) != len(q.Rows[0]) {
			pos := 0
			if len(row) > 0 {
				pos = b.pos(row[0])
			}
			return nil, sqlerr.New(sqlerr.SyntaxError, "VALUES lists must all be the same length").At(pos)
		}
		var err error
		if v.Rows[i], err = b.exprs(p, row); err != nil {
			return nil, err
		}
	}
	r := &result{cols: make([]column, len(q.Rows[0]))}
	for c := range q.Rows[0] {
		t, err := unifyColumn(v.Rows, c, w)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("column%d", c+1)
		r.cols[c] = column{name: name, t: t, id: b.meta.Add(logical.Column{Name: name, Type: t})}
		v.Cols = append(v.Cols, r.cols[c].id)
	}
	l.scope = one(r.relation("*VALUES*"))
	keys, err := b.bindOrderBy(q.OrderBy, &place{level: l, clause: "ORDER BY"}, columnList(r.cols))
	if err != nil {
		return nil, err
	}
	if b.capture != nil {
		b.capture.values[q] = &capturedValues{rows: v.Rows, cols: r.cols, keys: slices.Clone(keys)}
	}
	r.node = v
	if len(keys) > 0 {
		r.node = &logical.Sort{Input: r.node, Keys: keys}
	}
	r.node, err = b.addLimit(l, r.node, q.Outer(), keys)
	return r, err
}

// unifyColumn casts column c of all rows to its common type.
func unifyColumn(rows [][]expr.Expr, c int, w *want) (types.T, error) {
	column := make([]expr.Expr, len(rows))
	unknown := true
	for i := range rows {
		column[i] = rows[i][c]
		unknown = unknown && column[i].Type().Kind == types.Unknown
	}
	if unknown && w != nil && w.convert != nil {
		for i := range rows {
			e, err := w.convert(c, column[i])
			if err != nil {
				return types.T{}, err
			}
			rows[i][c] = e
		}
		return rows[0][c].Type(), nil
	}
	cast, t, err := expr.Unify("VALUES", column)
	if err != nil {
		return types.T{}, err
	}
	for i := range rows {
		rows[i][c] = cast[i]
	}
	return t, nil
}
