// Package fail ends the work on a statement from any depth: what binds or moves a part of it
// gives the part alone, and no error.
//
//	bind.Statement   defer fail.Caught(&err)
//	  └── … ── query.Expr   panic(sqlerr.New(…)), fail.If(err), fail.Must(f())
//
// The exported functions of a room that uses it catch what is raised below them, so that a caller
// of the room sees errors alone. The work is of no use after an error: what was begun stays as it
// is. Code that goes on in another way, where a part cannot be bound, asks Try.
//
// It must never hide a panic that is a bug: that goes on to the guard of the goroutine.
package fail
