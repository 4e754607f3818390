// Package op is what operators of all kinds share: the Operator itself, the Context of
// one execution, counters, sinks, guards against panics, and the SQLSTATEs of errors.
//
//	exec.Statement -- Begin, End --> Context <-- Caps, Table, Snapshot, Memory -- operators
//	                                    |
//	                          storage, storage/txn
//
// It is called by exec and by every room below it, and calls storage and transactions,
// not operators: it must never import a room.
//
// errors.go is the one place that gives storage errors a SQLSTATE.
package op
