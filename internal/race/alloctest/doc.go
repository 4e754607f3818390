// Package alloctest counts allocations for tests that bound them.
//
// Under the race detector a sync.Pool forgets, on purpose and at random, a
// quarter of what it is given, so that what passes through a pool allocates
// there and a bound holds on some runs only. Tests of this module count with
// this package, which then counts nothing.
package alloctest
