// Package bigtable keeps tables in Cloud Bigtable, by the protobuf service of its data and the
// one of its tables: keys, families, qualifiers and values are stored as they are given.
//
//	Open       connections by Google's transport library: credentials, endpoints, TLS (dial.go)
//	Scan       one ReadRows stream ── chunkDecoder ── rowFiller ── RowBatch ── Next;
//	           one that breaks is resumed behind its last row (read_rows.go, retry.go)
//	MultiGet   row lists of at most 100 keys, in parallel
//	Mutate     MutateRows requests within the service's limits, in parallel, each
//	           once (write_once.go); what was throttled is sent again (write_send.go), what is in
//	           doubt is looked for (write_settle.go), and one AIMD limit bounds
//	           all writes of the store (flow.go)
//	CheckAndMutate    one request, never repeated
//
// The service promises one atomic row and nothing across rows, and so does
// this store: no snapshots, no batches. cmd/saltsql and tests open it; it
// imports storage only, and never the client package cloud.google.com/go/bigtable,
// which repeats writes on its own terms and links xDS and Cloud Monitoring. It must
// never send a request without a deadline (reads are tried again until then), never
// report a write as not done when its answer was lost, never send it again then, and
// never rely on the order of families or on the service having collected old cells:
// every read asks for the versions it wants.
package bigtable
