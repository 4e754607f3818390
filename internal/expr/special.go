package expr

import "github.com/saltsql/saltsql/internal/types"

// Calls that have a syntax of their own, or a meaning for any type: no table lists
// them, and evaluation knows them by name.

// isTests are IS [NOT] TRUE, FALSE, UNKNOWN; they are never NULL.
var isTests = func() map[string]*Func {
	m := map[string]*Func{}
	for _, name := range []string{"IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE", "IS UNKNOWN", "IS NOT UNKNOWN"} {
		m[name] = NewFunc(name, []types.T{tBool}, tBool, nil).CalledOnNull()
	}
	return m
}()

// nullIfFunc is NULLIF over type t with the given equality.
func nullIfFunc(eq *Func, t types.T) *Func {
	f := NewFunc("NULLIF", eq.ArgTypes, t, nil).CalledOnNull()
	f.Stable, f.Equal, f.special = eq.Stable, eq, true
	return f
}

// greatestFunc is GREATEST or LEAST over type t; NULLs do not count.
func greatestFunc(name string, t types.T) *Func {
	f := NewFunc(name, []types.T{t}, t, nil).CalledOnNull().AsVariadic()
	f.special = true
	return f
}

// RegisterFieldName gives what computes the name of a JSON object's field.
func RegisterFieldName(k Kernel) { fieldNameFunc.Kernel = k }

// fieldNameFunc makes the name of a field of a JSON object.
var fieldNameFunc = NewFunc("field name", []types.T{tAny}, tText, nil).AsStable()
