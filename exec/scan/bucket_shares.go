package scan

import (
	"time"

	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// bucketShares tells apart the buckets that one scan reads one after another, for
// EXPLAIN (ANALYZE, VERBOSE): by the salt byte of what comes. A batch's time is
// shared by the rows in it; calls to the store belong to all buckets together.
//
//	batch  0 0 0 1 1 2      bucket 0: 3 rows, half of the time
type bucketShares struct {
	of   [256]plan.BucketActual
	last int  // the bucket of the last row; -1 before the first
	all  bool // the scan came to its end: it has read every bucket
}

func newBucketShares() *bucketShares { return &bucketShares{last: -1} }

// add notes a batch that took spent to come, and came at that time of the statement.
func (s *bucketShares) add(rb *storage.RowBatch, spent, at time.Duration) {
	n := rb.Len()
	for i := range n {
		key := rb.Key(i)
		b := &s.of[key[0]]
		if b.Rows == 0 {
			b.FirstRow = at
		}
		b.Rows++
		b.RowsRead++
		b.BytesRead += int64(len(key) + cellBytes(rb, i))
		b.Time += spent / time.Duration(n)
		s.last = int(key[0])
	}
}

// cellBytes is the size of what came of row i behind its key.
func cellBytes(rb *storage.RowBatch, i int) (n int) {
	if w := rb.Columns(); w > 0 {
		for _, v := range rb.Values()[i*w : (i+1)*w] {
			if v != storage.Absent {
				n += int(v.Hi - v.Lo)
			}
		}
		return n
	}
	for _, c := range rb.Refs(i) {
		n += int(c.QualHi - c.QualLo + c.ValHi - c.ValLo)
	}
	return n
}

// appendTo appends the shares of the buckets that were read, in order, of calls made
// for all of them.
func (s *bucketShares) appendTo(dst []plan.BucketActual, read []int, calls int64) []plan.BucketActual {
	for _, bucket := range read {
		if !s.all && bucket > s.last {
			break
		}
		b := s.of[bucket]
		b.Bucket, b.SharedCalls = bucket, calls
		dst = append(dst, b)
	}
	return dst
}
