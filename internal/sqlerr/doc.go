// Package sqlerr is the error every layer above storage makes: a SQLSTATE and
// Postgres's own wording, given where the error is made.
//
// It is a leaf: it imports nothing of ours. A wire server writes an *Error's
// fields into an ErrorResponse; any other error is an internal one (XX000) and
// goes to the log, not to the client.
package sqlerr
