package planner

import (
	"fmt"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// bindValues binds VALUES as a query: each column gets the common type of its values.
func (b *binder) bindValues(q *tree.Values, w *want) (plan.Node, error) {
	v := &plan.Values{Rows: make([][]expr.Expr, len(q.Rows))}
	p := &place{clause: "VALUES"}
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
	list := &selectList{}
	for c := range q.Rows[0] {
		t, err := unifyColumn(v.Rows, c, w)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("column%d", c+1)
		v.Cols = append(v.Cols, plan.Column{Name: name, Type: t})
		list.add(&expr.Col{Index: c, T: t, Name: name}, name, 0)
	}
	keys, err := b.bindOrderBy(q.Outer().OrderBy, &place{
		scope: &scope{rels: []*relation{nodeRelation(v, "*VALUES*")}}, clause: "ORDER BY",
	}, list)
	if err != nil {
		return nil, err
	}
	var node plan.Node = v
	if len(keys) > 0 {
		node = &plan.Sort{Input: node, Keys: keys}
	}
	return b.addLimit(node, q.Outer())
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

func bigint(v int64) expr.Expr {
	return &expr.Const{Value: types.NewInt(v), T: types.Of(types.Int8)}
}
