// Package utility is the hand parser of what is no query and no DML: DDL, roles and
// rights, SET and SHOW, transactions, cursors, prepared statements, COPY, EXPLAIN, and
// what Phoenix says instead.
//
//	Statement --> DML of any kind  --> package translate
//	          \-> reader.utility   --> *_parse.go, a file for a family of statements
//
// It fills the structs of package tree directly: TiDB's DDL grammar could carry a
// Postgres or Phoenix table only as markers. The expressions and queries that stand
// inside go to package translate. What PostgreSQL has and nobody here reads further
// becomes tree.Unsupported (objects.go).
//
// It must never look at a catalog: what an option means, internal/ddl knows.
package utility
