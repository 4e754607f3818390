package plan

import "time"

// Actuals is what running a plan cost, filled by exec for EXPLAIN ANALYZE.
type Actuals struct {
	Planning  time.Duration
	Execution time.Duration
	Nodes     map[Node]*Actual
}

// Of gives what one node cost; nil if it never ran.
func (a *Actuals) Of(n Node) *Actual {
	if a == nil {
		return nil
	}
	return a.Nodes[n]
}

// Actual is what running one node cost, its inputs included where it is a time.
// Counts that a node does not know are 0 and are not shown, but for Rows.
type Actual struct {
	Rows         int64 // rows given to the node above
	RowsWritten  int64
	StorageCalls int64 // requests to the store, retries of ours included
	RowsRead     int64 // rows the store handed up
	BytesRead    int64
	Points       int64 // full keys asked for
	Buckets      int64 // salt buckets read, each once for a node
	SpillBytes   int64
	Opened       time.Duration // from the start of the statement, at first
	FirstRow     time.Duration // from the start of the statement
	Time         time.Duration // to the last row
	PerBucket    []BucketActual
}

// BucketActual is one salt bucket's share of a scan.
type BucketActual struct {
	Bucket       int
	Rows         int64
	StorageCalls int64 // for this bucket alone
	SharedCalls  int64 // for this and other buckets, by one scan
	RowsRead     int64
	BytesRead    int64
	FirstRow     time.Duration // from the start of the statement
	Time         time.Duration // in the store
}
