// Package bigtable keeps tables in Cloud Bigtable, through the official client:
// keys, families, qualifiers and values are stored as they are given.
//
//	Scan       one ReadRows stream ── chunkDecoder ── rowFiller ── RowBatch ── Next
//	MultiGet   row lists of at most 100 keys, in parallel
//	Mutate     MutateRows requests within the service's limits, in parallel;
//	           what was throttled is sent again (write_send.go), what is in
//	           doubt is looked for (write_settle.go), and one AIMD limit bounds
//	           all writes of the store (flow.go)
//	CheckAndMutate    one request, never repeated
//
// The service promises one atomic row and nothing across rows, and so does
// this store: no snapshots, no batches. cmd/saltsql and tests open it; it
// imports storage only. It must never send a request without a deadline (the
// client would retry a dead server for ever), never report a write as not done
// when its answer was lost, never send it again then, and never rely on the order of families or on the
// service having collected old cells: every read asks for the versions it
// wants.
package bigtable
