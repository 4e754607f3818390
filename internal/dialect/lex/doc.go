// Package lex reads SQL text by Postgres's lexical rules: nested comments,
// dollar quotes, E” and U&” strings, string continuation over lines,
// operators that stop before a comment, the key words of Postgres 15.
//
// It is used by the translator (internal/dialect), which reads the token slice
// with an index, and by typename. The whole text is read at once:
//
//	SELECT  a  ::  int  FROM  "T"  ;  COMMIT
//	[tok]  [tok][tok][tok][tok] [tok][tok][tok]  [EOF]
//
// A token holds offsets into the text, so that reading allocates nothing but
// the slice, and the values of strings that hold escapes. Every open
// parenthesis knows its partner.
//
// It never interprets key words, and never rewrites text.
package lex
