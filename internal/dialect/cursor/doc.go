// Package cursor stands at a token of a text: it looks at it, takes what a grammar
// asks for next, and fails with PostgreSQL's words where something else stands.
//
//	SELECT  a  ,  b  FROM  s . t
//	           ^
//	           AcceptKind(lex.Comma), ColID(), Expect(lex.KFrom), Qualified()
//
// Package translate reads queries by it, package utility all other statements; it
// knows names, constants and nothing larger. A mismatch is a panic that Catch, deferred
// by who began, turns into the error: a recursive descent has no other way out of any
// depth that costs nothing where all is well.
//
// It must never look at what a statement is.
package cursor
