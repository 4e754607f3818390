// Package replay is a server of Bigtable's ReadRows that streams as the service
// does and the emulator does not: thousands of chunks in a message, rows over
// several messages, values over several chunks, rows begun and reset, rows told
// as scanned, and streams that break after any chunk.
//
//	rows ── encode (Options) ── messages ── gRPC ── client under test
//
// Only tests and benchmarks import it. It serves row sets, limits and reverse
// reads; it must never be asked for a filter's effect: it applies none.
package replay
