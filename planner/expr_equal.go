package planner

import (
	"bytes"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// equalExpr says that two expressions are written alike: the same tree over the
// same columns, wherever they stand.
func equalExpr(a, b expr.Expr) bool {
	switch a := a.(type) {
	case *expr.Col:
		b, ok := b.(*expr.Col)
		return ok && a.Index == b.Index
	case *expr.Const:
		b, ok := b.(*expr.Const)
		return ok && a.T == b.T && equalDatum(a.T, a.Value, b.Value)
	case *expr.Param:
		b, ok := b.(*expr.Param)
		return ok && a.N == b.N && a.Type() == b.Type()
	case *expr.Call:
		b, ok := b.(*expr.Call)
		return ok && a.Fn == b.Fn && a.T == b.T && equalLists(a.Args, b.Args)
	case *expr.Cast:
		b, ok := b.(*expr.Cast)
		return ok && a.To == b.To && a.Explicit == b.Explicit && equalExpr(a.X, b.X)
	case *expr.And:
		b, ok := b.(*expr.And)
		return ok && equalLists(a.Args, b.Args)
	case *expr.Or:
		b, ok := b.(*expr.Or)
		return ok && equalLists(a.Args, b.Args)
	case *expr.Not:
		b, ok := b.(*expr.Not)
		return ok && equalExpr(a.X, b.X)
	case *expr.IsNull:
		b, ok := b.(*expr.IsNull)
		return ok && equalExpr(a.X, b.X)
	case *expr.IsDistinct:
		b, ok := b.(*expr.IsDistinct)
		return ok && a.Eq == b.Eq && equalExpr(a.X, b.X) && equalExpr(a.Y, b.Y)
	case *expr.Case:
		b, ok := b.(*expr.Case)
		if !ok || a.T != b.T || len(a.Whens) != len(b.Whens) || !equalOrNil(a.Else, b.Else) {
			return false
		}
		for i := range a.Whens {
			if !equalExpr(a.Whens[i].Cond, b.Whens[i].Cond) || !equalExpr(a.Whens[i].Then, b.Whens[i].Then) {
				return false
			}
		}
		return true
	case *expr.Coalesce:
		b, ok := b.(*expr.Coalesce)
		return ok && a.T == b.T && equalLists(a.Args, b.Args)
	case *expr.InList:
		b, ok := b.(*expr.InList)
		return ok && a.Eq == b.Eq && equalExpr(a.X, b.X) && equalLists(a.List, b.List)
	case *expr.AnyAll:
		b, ok := b.(*expr.AnyAll)
		return ok && a.Op == b.Op && a.All == b.All && equalExpr(a.X, b.X) && equalExpr(a.Array, b.Array)
	case *expr.RowCmp:
		b, ok := b.(*expr.RowCmp)
		return ok && a.Op == b.Op && equalLists(a.L, b.L) && equalLists(a.R, b.R)
	case *expr.MakeArray:
		b, ok := b.(*expr.MakeArray)
		return ok && a.T == b.T && equalLists(a.Elems, b.Elems)
	case *expr.Subscript:
		b, ok := b.(*expr.Subscript)
		return ok && a.T == b.T && equalExpr(a.X, b.X) && equalExpr(a.I, b.I)
	}
	return a == b
}

func equalOrNil(a, b expr.Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return equalExpr(a, b)
}

func equalLists(a, b []expr.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equalExpr(a[i], b[i]) {
			return false
		}
	}
	return true
}

// equalDatum compares by text, so that -0.0 is not 0.0 nor 1.0 the numeric 1.
func equalDatum(t types.T, a, b types.Datum) bool {
	if a.Null || b.Null {
		return a.Null == b.Null
	}
	switch t.Kind {
	case types.Int2, types.Int4, types.Int8:
		return a.Int == b.Int
	case types.Text, types.Varchar:
		return bytes.Equal(a.Bytes, b.Bytes)
	}
	return string(types.AppendText(nil, t, a, nil)) == string(types.AppendText(nil, t, b, nil))
}

func containsExpr(list []expr.Expr, e expr.Expr) bool { return indexExpr(list, e) >= 0 }

// indexExpr finds e in a list; -1 if it is not there.
func indexExpr(list []expr.Expr, e expr.Expr) int {
	for i, x := range list {
		if equalExpr(x, e) {
			return i
		}
	}
	return -1
}
