package expr

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/internal/types"
)

// Equal says that two expressions are written alike: the same tree over the
// same columns, wherever they stand. A node of a type that is not this package's
// equals only itself.
func Equal(a, b Expr) bool {
	switch a := a.(type) {
	case *Col:
		b, ok := b.(*Col)
		return ok && a.Index == b.Index
	case *Const:
		b, ok := b.(*Const)
		return ok && a.T == b.T && equalDatum(a.T, a.Value, b.Value)
	case *Param:
		b, ok := b.(*Param)
		return ok && a.N == b.N && a.Type() == b.Type()
	case *Call:
		b, ok := b.(*Call)
		return ok && a.Fn.same(b.Fn) && a.T == b.T && EqualLists(a.Args, b.Args)
	case *Cast:
		b, ok := b.(*Cast)
		return ok && a.To == b.To && a.Explicit == b.Explicit && Equal(a.X, b.X)
	case *CoerceToDomain:
		b, ok := b.(*CoerceToDomain)
		return ok && a.To == b.To && a.Explicit == b.Explicit && Equal(a.X, b.X)
	case *And:
		b, ok := b.(*And)
		return ok && EqualLists(a.Args, b.Args)
	case *Or:
		b, ok := b.(*Or)
		return ok && EqualLists(a.Args, b.Args)
	case *Not:
		b, ok := b.(*Not)
		return ok && Equal(a.X, b.X)
	case *IsNull:
		b, ok := b.(*IsNull)
		return ok && Equal(a.X, b.X)
	case *IsDistinct:
		b, ok := b.(*IsDistinct)
		return ok && a.Eq == b.Eq && Equal(a.X, b.X) && Equal(a.Y, b.Y)
	case *Case:
		b, ok := b.(*Case)
		if !ok || a.T != b.T || len(a.Whens) != len(b.Whens) || !EqualOrNil(a.Operand, b.Operand) || !EqualOrNil(a.Else, b.Else) {
			return false
		}
		for i := range a.Whens {
			if !Equal(a.Whens[i].Cond, b.Whens[i].Cond) || !Equal(a.Whens[i].Then, b.Whens[i].Then) {
				return false
			}
		}
		return true
	case *CaseOperand:
		b, ok := b.(*CaseOperand)
		return ok && a.T == b.T
	case *Coalesce:
		b, ok := b.(*Coalesce)
		return ok && a.T == b.T && EqualLists(a.Args, b.Args)
	case *InList:
		b, ok := b.(*InList)
		return ok && a.Eq == b.Eq && Equal(a.X, b.X) && EqualLists(a.List, b.List)
	case *AnyAll:
		b, ok := b.(*AnyAll)
		return ok && a.Op == b.Op && a.All == b.All && Equal(a.X, b.X) && Equal(a.Array, b.Array)
	case *RowCmp:
		b, ok := b.(*RowCmp)
		return ok && a.Op == b.Op && EqualLists(a.L, b.L) && EqualLists(a.R, b.R)
	case *MakeArray:
		b, ok := b.(*MakeArray)
		return ok && a.T == b.T && EqualLists(a.Elems, b.Elems)
	case *Subscript:
		b, ok := b.(*Subscript)
		return ok && a.T == b.T && Equal(a.X, b.X) && Equal(a.I, b.I)
	case *Subscripts:
		b, ok := b.(*Subscripts)
		return ok && a.T == b.T && a.Slice == b.Slice && a.forms() == b.forms() && EqualLists(Children(a), Children(b))
	}
	return a == b
}

// same says that f and o are one function, or two that were made alike for their calls.
func (f *Func) same(o *Func) bool {
	return f == o || f.special && o.special && f.Name == o.Name && f.Equal == o.Equal && slices.Equal(f.ArgTypes, o.ArgTypes)
}

// EqualOrNil is Equal of expressions that may be nil.
func EqualOrNil(a, b Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return Equal(a, b)
}

// EqualLists is Equal of each with each.
func EqualLists(a, b []Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Equal(a[i], b[i]) {
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
	case types.Int2, types.Int4, types.Int8, types.Enum:
		return a.Int == b.Int
	case types.Text, types.Varchar:
		return bytes.Equal(a.Bytes, b.Bytes)
	}
	kept := types.IOEnv{Kept: true}
	return string(types.AppendText(nil, t, a, &kept)) == string(types.AppendText(nil, t, b, &kept))
}

// ContainsExpr says that e is in a list.
func ContainsExpr(list []Expr, e Expr) bool { return IndexExpr(list, e) >= 0 }

// IndexExpr finds e in a list; -1 if it is not there.
func IndexExpr(list []Expr, e Expr) int {
	for i, x := range list {
		if Equal(x, e) {
			return i
		}
	}
	return -1
}
