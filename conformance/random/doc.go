// Package random makes random tables and statements, as text, from a seed. The
// same seed gives the same text for ever, so a failure is a number.
//
// Values come from small domains, so that predicates hit; queries either order
// by a whole key or are to be compared as sets, so that every engine must give
// the very same rows. The texts are Postgres's own SQL, but for DESC in the
// primary key and the salt, which Table.DDL leaves out on request.
package random
