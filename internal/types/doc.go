// Package types names the SQL types and holds single values of them.
//
//	T      a type as Postgres's pg_type and typmod tell it
//	Datum  one value of a type, for literals, parameters and row keys
//
// Columns of values are in package vec; how values look on disk is rowcodec's
// business; how they look to a client (text and binary formats) is here.
package types
