// Package expr is the tree of bound scalar expressions: names are resolved, every node
// has a type, every operator is one chosen overload.
//
//	planner, catalog  -- Resolve…, Make… -->  Expr tree
//	exec              <-- eval.Compile --     Expr tree
//
// What stands here, and what stands beside it:
//
//	expr.go, walk.go, map.go, equal.go     the nodes, and what goes over them
//	resolve.go, typeconv.go, castpath.go,  which overload and which casts are meant, by Postgres's
//	coerce.go, make*.go                    rules ("Type Conversion" in its manual)
//	func.go, registry.go, set.go, …        an overload, and the tables that package builtin fills
//	stored*.go, deparse*.go                an expression as the catalog keeps it, and as text
//	env.go, room.go                        what computing may know of the world, and take of its memory
//	eval/                                  computes: a Prog over vectors
//	builtin/                               what there is to call: functions, operators, casts, aggregates
//	agg/, regex/, tochar/, jsonfunc/,      aggregates, patterns, templates, JSON and times at
//	timefunc/                              work
//
// The tables are filled when package builtin is linked in. Package catalog imports it,
// and with it every program does; a test of less imports it for itself.
//
// Trees are immutable, do no I/O and know nothing of what computes them: this package
// must never import eval or builtin.
package expr
