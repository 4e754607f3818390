// Package backup keeps copies of an embedded store in a folder: as many moments as wanted,
// each file once.
//
//	checkpoint of a running store,           DIR/20261122T130501.250Z.backup   a manifest
//	or the folder of a stopped one   Make    DIR/20261123T130500.917Z.backup
//	                               ------->  DIR/files/9f/9f86d081…            contents, by SHA-256
//	an empty folder                <-------
//	                               Restore   Verify reads all of it
//
// A file of a store, once it is a table, never changes: one that the newest manifest lists
// with the same name, size and time of change is there already and is not read again. The
// others are hashed while they are copied. A manifest is written last, so that what a
// process that died has left is used by the next Make or removed by Prune, and never is a
// backup.
//
// cmd/saltsql calls it, and programs that embed a store may: Store.Checkpoint makes what
// Make takes. It must never change what it copies from, nor leave in a target what could be
// taken for a whole store: see pebble.RestoringFile.
package backup
