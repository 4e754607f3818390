// Package ident writes names and string constants as SQL text. Everything that prints a name (DDL that is
// shown, regclass, quote_ident, texts that are parsed again) calls it, and it calls
// nothing.
//
//	t       t
//	My t    "My t"
//	order   "order"    a key word that is not free to be any name
//
// It must never read names: that is internal/dialect/lex.
package ident
