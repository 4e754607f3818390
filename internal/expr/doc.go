// Package expr is the language of bound scalar expressions: names are
// resolved, every node has a type, every operator is one chosen overload.
//
//	planner  -- Resolve…, Make… -->  Expr tree  -- Compile -->  Prog
//	exec     -- Prog.Eval / Prog.Filter over vec.Batch
//
// Which overload an operator or a function call means, and which casts are made
// without being asked for, follows Postgres's rules ("Type Conversion" in its
// manual): typeconv.go, castpath.go, resolve.go. What each one computes is in
// the func_*.go, op_*.go and cast_*.go files, as kernels over vectors listed in
// tables at their tops; package agg computes aggregates, regex patterns and
// tochar templates. The node_*.go files evaluate: every node works on a
// selection of slots, and what a selection does not reach (later arms of AND,
// OR, CASE, COALESCE) is not evaluated, so that it cannot fail.
//
// An expression does no I/O and reads the world only through Env.
package expr
