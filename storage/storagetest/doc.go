// Package storagetest is the one suite that every store passes: the contract
// of package storage, as code.
//
//	Run(t, open) ── scans, gets, writes, conditions, admin, limits   examples
//	             ── concurrency, cancellation, closing, leaks
//	             ── random operations against a model                same answers
//
// Only tests import it. It asks for what the contract promises and no more: it
// must never rely on the order of families, on what happens to versions beyond
// a family's MaxVersions, or on a failed call having left nothing behind where
// the contract leaves that open.
package storagetest
