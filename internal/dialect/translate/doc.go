// Package translate turns Postgres's queries, DML and expressions into trees, by way
// of a text that TiDB's grammar reads.
//
//	tokens -> Translator -> pieces -> MySQL text -> grammar -> AST -> marker -> tree.DML
//	            (emit.go)
//
// Its callers are the doors of package dialect, and package utility for the queries and
// expressions inside other statements. It reads by recursive descent, with a precedence
// climber for expressions (expr.go), and writes in one pass. The picture in dialect's
// doc.go says why there is a text between, and what never reaches the grammar.
//
// A Translator is taken from a pool by WithText, which is the only way to one.
//
// It must never read a statement of package utility: that one stands above.
package translate
