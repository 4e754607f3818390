// Package marker carries the constructs that MySQL's grammar lacks through
// the TiDB AST: internal/dialect encodes them with the names in encode.go, and
// the binder decodes them with
//
//	DecodeQuery  a SELECT, VALUES or set operation -> SelectView, ValuesView, SetOpView
//	Insert, Update, Delete                         -> their views
//	Decode       an expression that is not native  -> Call
//	Const        a constant                        -> literal.Value
//
// A marker is a call with a schema, the one production of the grammar that
// takes any two identifiers and any expressions:
//
//	`␀kind` . `payload` ( arguments )
//
// The kind begins with a NUL, and NULs separate the fields of a payload; no
// Postgres text holds a NUL, so nothing of a user's can be taken for a marker.
// Names of tables and aliases carry payloads the same way: an alias is
// `name␀position[␀flags␀columns…]`.
//
// Decoding allocates the views and never changes the AST, which prepared
// statements share. Nobody outside this package and the translator may look at
// a marker's form; an AST must never be read without it.
package marker
