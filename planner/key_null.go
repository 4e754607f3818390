package planner

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

func (r *keyReader) readIsNull(e *expr.IsNull) keyDNF {
	col, ok := r.keyColumn(e.X)
	if !ok {
		return noKeyCond
	}
	if !r.nullable(col) {
		return neverTrue
	}
	return r.term(plan.KeyIsNull, col)
}

func (r *keyReader) nullable(col *catalog.Column) bool {
	if codec := r.scan.Table.Codec(); codec != nil && col.KeyPos < len(codec.Key.Columns) {
		return codec.Key.Columns[col.KeyPos].Nullable
	}
	return !col.NotNull
}

func (r *keyReader) readNot(e *expr.Not) keyDNF {
	switch x := e.X.(type) {
	case *expr.Col:
		return r.readBool(x, false)
	case *expr.IsNull:
		if col, ok := r.keyColumn(x.X); ok && !r.nullable(col) {
			return alwaysTrue
		}
	case *expr.IsDistinct:
		return r.readNotDistinct(x)
	}
	return noKeyCond
}

// readNotDistinct reads IS NOT DISTINCT FROM a value, which is = where the column has no NULL.
func (r *keyReader) readNotDistinct(e *expr.IsDistinct) keyDNF {
	l, right := e.X, e.Y
	if expr.IsConst(l) {
		l, right = right, l
	}
	if col, ok := r.keyColumn(l); !ok || r.nullable(col) {
		return noKeyCond
	}
	return r.readCompare("=", l, right)
}

// readBool reads a boolean column that stands as a condition by itself.
func (r *keyReader) readBool(c *expr.Col, is bool) keyDNF {
	col, ok := r.keyColumn(c)
	if !ok || col.Type.Kind != types.Bool {
		return noKeyCond
	}
	arg := &expr.Const{Value: types.NewBool(is), T: types.Of(types.Bool), At: c.At}
	return r.term(plan.KeyEq, col, arg)
}
