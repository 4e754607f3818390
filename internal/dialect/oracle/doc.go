// Package oracle checks package dialect against PostgreSQL's own parser.
//
// A statement is translated, printed back as Postgres text from its tree, and
// PostgreSQL's parse tree of that text is compared with its tree of the
// original:
//
//	text --dialect--> tree.Statement --printer--> text'
//	  |                                            |
//	PostgreSQL's parser                  PostgreSQL's parser
//	  |                                            |
//	 tree  =============== equal ================  tree'
//
// It is a module of its own, and has tests only, so that PostgreSQL's parser
// (a WebAssembly build) is no dependency of the server. Run it with
//
//	cd internal/dialect/oracle && GOWORK=off go test ./...
//
// SALTSQL_ORACLE_SQL may name a directory of further .sql files.
package oracle
