// Package copyfmt reads and writes rows in the three formats of COPY: text,
// csv and binary.
//
//	bytes --> Reader --> vec.Batch        COPY … FROM
//	vec.Batch --> Writer --> bytes        COPY … TO
//
// The session makes Options from the statement, the wire server feeds a Reader
// from CopyData messages and sends what a Writer prints; an embedding program
// does the same with a file. Values are read and printed by package types.
//
// The package knows columns by name and type only. It never touches a table,
// a store or a socket, and it trusts no byte of its input: every fault is a
// *sqlerr.Error whose Where names table, line and column as Postgres does.
package copyfmt
