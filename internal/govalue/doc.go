// Package govalue turns Go values into values of SQL types, and back.
//
// The embedding API and the session call it for arguments and results; it calls the types'
// own reading and printing, and knows no statement.
//
//	argument ── ToDatum ──> types.Datum ── FromDatum ──> what database/sql calls a value
//	                             '──────── Scan ───────> *int, *time.Time, *[]string, *struct …
//
// It must never lose part of a value in silence: what does not fit is an error.
package govalue
