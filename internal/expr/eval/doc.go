// Package eval computes bound expressions.
//
//	exec, planner  -- Compile -->  Prog  -- Eval, Filter over vec.Batch -->  vec.Vec, slots
//
// The node_*.go files evaluate: every node works on a selection of slots, and what a
// selection does not reach (later arms of AND, OR, CASE, COALESCE) is not evaluated, so
// that it cannot fail. A call of a function runs the Kernel that its overload carries:
// kernels are in package builtin, but for those that any type has (comparing, casting
// through text, NULLIF and GREATEST), which are here. fold.go and settle.go compute what
// is known while planning, set_rows.go what gives rows.
//
// It does no I/O, reads the world only through expr.Env, chooses no overload and must
// never import builtin. Filters by comparison allocate nothing.
package eval
