// Package rowpack is how a row lies in one Pebble value: all its cells, packed (packed.go).
//
//	write   Writer    the row before and mutations ── resolve by Desc ──> packed row
//	read    Plan      request ── by the row's shape (shape.go) ──> cells of a RowBatch
//	either  Cursor    one cell after another
//
// A shape is where a row's cells lie, without values and times; rows of a table mostly share
// one, which a Plan reads once. storage/pebble alone calls it; it imports storage only. Bytes of
// any kind give cells or ErrCorrupt, never a panic.
package rowpack
