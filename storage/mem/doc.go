// Package mem is the store that keeps everything in memory: the small
// reference the other adapters are compared with, and what tests of the layers
// above run on. Nothing survives Close.
//
//	Store ── tables ── btree of rows ── cells (family, qualifier, newest first)
//
// Rows in a tree are never changed, only replaced, and a tree is cloned
// copy-on-write for every scan and snapshot, so that readers hold no lock.
//
// It is strict where the contract leaves room, so that a caller who relies on
// more than the contract fails here first: a scan gives back nothing but the
// projected columns, also to a filter, and KeysOnly gives no cells at all. It
// must never be faster to write than to understand.
package mem
