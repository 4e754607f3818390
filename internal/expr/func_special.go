package expr

import "github.com/saltsql/saltsql/internal/types"

// Calls that have a syntax of their own, or a meaning for any type: no table lists
// them, and evaluation knows them by name.

// isTests are IS [NOT] TRUE, FALSE, UNKNOWN; they are never NULL.
var isTests = func() map[string]*Func {
	m := map[string]*Func{}
	for _, name := range []string{"IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE", "IS UNKNOWN", "IS NOT UNKNOWN"} {
		m[name] = newFunc(name, []types.T{tBool}, tBool, nil).nullable()
	}
	return m
}()

// nullIfFunc is NULLIF over type t with the given equality.
func nullIfFunc(eq *Func, t types.T) *Func {
	f := newFunc("NULLIF", eq.args, t, nil).nullable()
	f.Stable, f.equal = eq.Stable, eq
	return f
}

// greatestFunc is GREATEST or LEAST over type t; NULLs do not count.
func greatestFunc(name string, t types.T) *Func {
	return newFunc(name, []types.T{t}, t, nil).nullable().manyArgs()
}

// registerFieldName gives what computes fieldNameFunc.
func registerFieldName(k kernel) { fieldNameFunc.kernel = k }

// fieldNameFunc makes the name of a field of a JSON object.
var fieldNameFunc = newFunc("field name", []types.T{tAny}, tText, nil).stable()
