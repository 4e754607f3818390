// Package random makes random tables and statements from a seed. The same seed
// gives the same statements for as long as the package does not change, so a
// failure is a number.
//
// Values come from small domains, so that predicates hit; queries order by what
// makes their order total, or are to be compared as sets, or by their number of
// rows, so that every engine must answer alike. The texts are Postgres's own
// SQL. What Postgres does not know (DESC in a key, table options, Phoenix's
// types, UPSERT) comes with a spelling that it does; what a type of Phoenix
// refuses is a constraint there. Statements say of which forms they are made
// (Statement.Forms), so that a run can count that none is rare.
//
//	types.go      the types, and the values their columns hold
//	table.go      a table, and the options its DDL may have
//	statement.go  a statement: literals or parameters, and its parts, for shrinking
//	gen.go        what comes next: writes, queries, transactions
//	cond*.go      conditions; cond_key.go those that spans are made of
//	grow.go       many rows at once
//	query.go, aggregate.go, write.go, txn.go
package random
