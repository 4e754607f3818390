// Package zstd stands in this tree's workspace (go.work) for github.com/DataDog/zstd, which Pebble
// imports where there is a C compiler: 27 C files, which take a fifth of a cold build, keep Go's own
// linker from linking any test, and are never called, since saltsql's stores do not compress by
// Zstandard. A program that imports saltsql as a module, and one built without cgo, as the shipped
// one is, do not see it.
//
// It has what Pebble calls, by the library that Pebble takes where there is no cgo, so that a table
// that was compressed by Zstandard is read all the same.
package zstd
