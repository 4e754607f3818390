package exectest

import (
	"fmt"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// Col is a column of the input.
func Col(i int, t types.T) expr.Expr { return &expr.Col{Index: i, T: t} }

// Lit is a constant: NULL, text, bigint, double precision or boolean.
func Lit(v any) expr.Expr {
	switch v := v.(type) {
	case nil:
		return &expr.Const{Value: types.NullDatum, T: types.Of(types.Text)}
	case string:
		return &expr.Const{Value: types.NewText(v), T: types.Of(types.Text)}
	case int:
		return &expr.Const{Value: types.NewInt(int64(v)), T: types.Of(types.Int8)}
	case float64:
		return &expr.Const{Value: types.NewFloat(v), T: types.Of(types.Float8)}
	case bool:
		return &expr.Const{Value: types.NewBool(v), T: types.Of(types.Bool)}
	}
	panic(fmt.Sprintf("%T", v))
}

// Op is an operator over two expressions, resolved as in a statement.
func Op(name string, l, r expr.Expr) expr.Expr {
	e, err := expr.ResolveOp(name, l, r, 0)
	if err != nil {
		panic(err)
	}
	return e
}
