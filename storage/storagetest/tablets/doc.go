// Package tablets plays the part of the service that the emulator has not: a
// table is cut into tablets, which split, merge and move while requests are
// under way. It is a layer of gRPC interceptors in front of the emulator; only
// tests import it.
//
//	client ── interceptors ── emulator
//	               │
//	            Cluster: split points of each table, the fate of each request
//
// What a client sees of it, as of the service:
//
//	ReadRows           messages that end at tablets, at rows or within rows;
//	                   values in several chunks; rows begun and reset; messages
//	                   that only say which key has been scanned; streams that
//	                   break before, within and after rows, or at their end
//	MutateRows         some of the entries, or all, are RESOURCE_EXHAUSTED, and
//	                   were not applied; or they were, and the answer is
//	                   UNAVAILABLE, where the entries leave cells to be found by
//	MutateRow          the same
//	SampleRowKeys      the split points, with offsets
//
// Conditional writes, which no client may repeat by itself, fail only where
// Options ask for it.
//
// What becomes of a request follows from the seed, from the keys that it asks
// for, and from how often it was made before, and not from the order in which
// parallel requests come: the same statements from the same seed meet the same
// faults. Tablets change between requests in Move only, for the same reason;
// what a stream breaks for is told to it alone.
package tablets
