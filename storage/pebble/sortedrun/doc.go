// Package sortedrun reads a sorted run of Pebble's tables: files that do not overlap, so that
// the rows of a range are read from one after the other, and nothing is merged.
//
//	pebble.Iterator    versions ── merge of memtables and levels ── level ── table ── block
//	sortedrun          ─────────────────────────────────────────────────────  table ── block
//
// Pebble's iterator costs two to three times as much a row as the table below it, also where
// there is only one file to read. Which files hold all of a range, and for which readers they
// do, is for the caller to know: a run has no snapshots, and shows the newest version of
// each key in its files.
//
// Package storage/pebble uses it for tables that are not written (sorted_run.go there). It must
// not show two versions of a key, nor keys that a file deletes: files in which a range
// is deleted are not taken, and of others Pebble's mark of obsolete points tells
// (table formats from Pebble's v4 on; see the comment of sstable.TableFormatPebblev4).
package sortedrun
