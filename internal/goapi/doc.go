// Package goapi is what Go programs ask of a session, in Go's values: Query with its Rows, Exec,
// and COPY from and to readers, writers and rows of values.
//
//	saltsql --> goapi --> session.Session     Prepare, BindValues, Portal.Next
//	              `-----> govalue             a Go value <-> a datum
//
// The embedding API (package saltsql) shows it with types of its own. Sessions know nothing of
// it: what a statement does is decided there, as for the protocol.
package goapi
