// Package marker is the code between the translator and TiDB's grammar: it carries
// the constructs that MySQL lacks through the grammar's AST, and makes package
// tree's nodes of what comes out.
//
//	a ~* b      `␀op`.`~*`(`a`, `b`)         tree.Op
//	x::int      `␀cast`.`integer␀::`(`x`)    tree.Cast
//	count(*)    `count`(`␀star`.`_`())       tree.Func
//
// A marker is a call with a schema, the one production of the grammar that
// takes any two identifiers and any expressions:
//
//	`␀kind` . `payload` ( arguments )
//
// The kind begins with a NUL, and NULs separate the fields of a payload; no
// Postgres text holds a NUL, so nothing of a user's can be taken for a marker.
// Names of tables and aliases carry payloads the same way: an alias is
// `name␀position[␀flags␀columns…]`. encode.go has the list; package dialect emits
// them.
//
// A Source knows where in the user's text the pieces of one translated text come
// from, and decodes its statement, once and whole. Decoding recurses as deep as
// the AST goes, which the front has bounded (54001). A node that the front never
// emits is a fault, and an error.
//
// Nobody outside this package and the translator sees a marker or the AST.
package marker
