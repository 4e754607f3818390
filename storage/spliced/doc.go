// Package spliced makes several tables of a store one, whose rows each have a place in one of them by
// the first byte of their key: the parts of a table whose salt has changed for new rows (see
// catalog.Epochs). Whoever reads and writes sees one table of up to 256 buckets.
//
//	name of the table   events.x.7:0+events.x.9:16+events.x.12:32
//	its keys            00 key          01..10 key        11..30 key
//	the parts' keys        key          00..0F key        00..1F key
//
// A part of 0 buckets has keys without salt. The name says all there is to know, so that the package
// keeps nothing: internal/session wraps the store it is given, and catalog names the tables. A table
// with a plain name is the store's own. Errors
// of the store name the part that they are of. It must never know what a key's columns are.
package spliced
