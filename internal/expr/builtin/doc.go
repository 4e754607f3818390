// Package builtin holds what expressions can call: functions, operators, casts,
// aggregates, window functions and functions that give rows.
//
//	func_string --\
//	op_int      ---+--> expr's tables --> binding (expr.Resolve…)
//	cast_time   --/                  \--> listing.go --> pg_proc, pg_operator, pg_cast
//
// A line in a table says all there is to say of an overload: name, argument types, result,
// kernel, and whether it is called with NULLs, is stable or volatile. Tables are at the
// tops of the func_*.go, op_*.go and cast_*.go files, set_funcs.go, aggregates.go and
// windows.go; typenames.go has their words and kern.go (k1, k2, t1, …) what makes a kernel
// over vectors of a Go function over values. Functions of json and of times are in packages
// jsonfunc and timefunc, patterns and templates in regex and tochar. needs.go says what memory some ask for
// first. Aggregates and window functions have their signatures here; package agg and
// exec's window operator compute them. register.go is for packages above that add
// functions, as the system catalogs do.
//
// A kernel does no I/O, reads the world only through expr.Env, and asks it for room
// before it makes what is large.
package builtin
