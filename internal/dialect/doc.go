// Package dialect turns Postgres and Phoenix SQL into trees of package tree, the
// only thing that leaves it. The session calls Parse; the planner and the session
// read the trees. It calls nothing of ours but sqlerr and its own parts:
//
//	text -> lex -> utility -+-> queries, DML: translate -> MySQL text -> TiDB -> AST
//	               (cursor) |                                              |
//	                        |                                         marker -> tree.DML
//	                        +-> everything else: by hand -> tree.Utility
//	                               (its expressions and queries go above)
//
// TiDB's grammar speaks MySQL, and would misread Postgres text in silence (a
// FULL JOIN b is an alias, # begins a comment). So it never sees the user's
// text: the translator reads Postgres's tokens by recursive descent, with a
// precedence climber for expressions, and emits MySQL text in one pass. Every
// compound operand, join and set operation is parenthesised, so MySQL's
// precedence is never consulted; every name is back-quoted; every piece
// remembers its place in the user's text, which each node of the tree is given.
//
// What MySQL lacks travels as a call of a function whose schema begins with a
// NUL, which no Postgres text can hold: `␀op`.`~*`(a, b). Package marker has
// the list, and the decoder. A syntax error is found here, in Postgres's
// words; an error from the TiDB grammar is a fault of this package (XX000).
//
// # DDL and utility statements
//
// They have structs of their own, filled by the hand parser (utility), and do not go
// through TiDB's DDL grammar: it could carry a Postgres or Phoenix table only
// as markers in ENUM types and comments, so each construct would be encoded
// and decoded for nothing. The expressions inside (DEFAULT, CHECK, SPLIT ON)
// go through the one expression walker, as SELECT expression, and become
// tree.SourceExpr; the queries inside are Statements.
//
// The body of DO is read by package plpgsql when it runs, and its statements by Parse when it comes to
// them.
//
// # Limits
//
// Text 16 MiB (54000); nesting 1,000 and chains of operators 10,000 (54001);
// parameters $1 to $65535 (42P02). Identifiers are cut to 63 bytes with a
// notice, as in Postgres. Beyond Postgres 15, integers may be written 0x1F,
// 0o17, 0b11 and 1_000, and a subquery in FROM needs no alias.
//
// Refused here with 0A000, because no AST can hold them: SELECT INTO, names of
// more than a schema and a name, XML functions, TREAT, values of a CYCLE
// clause's mark. Statements of Postgres that nobody here reads further (CREATE
// FUNCTION) become Unsupported.
//
// It must never look at a catalog, give a meaning to a name or a type, or keep
// the user's text in a form that the binder could mistake for a constant.
package dialect
