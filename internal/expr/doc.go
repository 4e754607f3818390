// Package expr is the language of bound scalar expressions: names are
// resolved, every node has a type, every operator is one chosen overload.
//
//	planner  -- Resolve… -->  Expr tree  -- Compile -->  Prog
//	exec     -- Prog.Eval / Prog.Filter over vec.Batch
//
// Which overload an operator or a function call means, and which casts are
// made without being asked for, follows Postgres's rules ("Type Conversion" in its manual): see
// resolve.go. What each one computes is in the func_*.go and op_*.go files as
// kernels over vectors. An expression does no I/O and reads the world only
// through Env.
package expr
