// Package storage is the contract between saltsql and the store that keeps
// its rows: what Cloud Bigtable promises, and no more.
//
//	           exec, catalog                 callers
//	                |
//	             storage                     this contract (imports nothing of ours)
//	  /        /         \        \
//	mem     pebble    bigtable   fault       adapters
//
// storagetest is the suite that every adapter passes: where this text leaves a
// doubt, it decides. limits.go refuses for all of them what the service would.
//
// A store holds tables; a table holds rows sorted by row key (bytewise,
// unsigned); a row holds cells (family, qualifier, timestamp, value). A row is
// atomic: readers see a mutation of it whole or not at all. Two rows are not,
// unless Caps.AtomicBatch says so. What a store can do beyond that is told by
// Caps and is never emulated silently: a call a store cannot serve fails with
// CodeUnsupported.
//
// Nobody above this package may assume that a scan is a snapshot (unless one
// was asked for), that a salt bucket is a tablet, that families come in an
// order, or that a call that failed with CodeAmbiguous did nothing.
package storage
