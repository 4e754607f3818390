// Package fault wraps any store and fails it by plan: what a network, a busy
// service or a crash does to the layers above, made to happen on purpose.
//
//	caller ── fault.Store ── rules: which call, what happens ── inner store
//
// Only tests import it. Without rules it changes nothing. It must never make
// up an outcome that a real store could not have: a write that it reports as
// ambiguous was done or was not, and one it reports as unavailable was not.
package fault
