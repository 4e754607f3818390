// Package plpgsql reads the body of a DO block, as far as it is plain SQL: statements, IF, EXCEPTION,
// RAISE, PERFORM, EXECUTE and NULL, in blocks within blocks.
//
//	text --> lex --> Parse --> Block, whose SQL stays text
//
// SQL in it is what stands up to the next semicolon, THEN or comma outside of parentheses: the session
// parses it when it comes to it, as PostgreSQL does, so that a statement may use what one before it has
// made. What needs variables is refused: DECLARE, assignment, INTO, loops.
//
// internal/session runs blocks. It must never look into SQL further than to find its end.
package plpgsql
