package scan

import (
	"io"
	"sync/atomic"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// What scans count of each bucket (internal/heat): once for each batch and bucket that is in it.
//
//	a bucket's reader     all that its scan reads is of the bucket
//	one of all buckets    the rows of a batch are in key order: a bucket's stand together
//
// Sums over buckets are what EXPLAIN ANALYZE says. Where one reader reads all buckets and the store
// drops rows by itself, as expired ones, a batch that has rows of several buckets does not tell of
// which those were: they are shared out as the rows given are.

// scannedSet are the buckets that a run has begun to read, which may be on several goroutines. The
// pieces of an unsalted table are one bucket.
type scannedSet [rowcodec.MaxBuckets / 64]atomic.Uint64

func (s *scannedSet) clear() {
	for i := range s {
		s[i].Store(0)
	}
}

// begun counts the scan of a bucket, where the run has not come to it yet. rb has the rows that came,
// of which the bucket's begin at first; beyond the last it has none.
func (r *pageReader) begun(bucket int, rb *storage.RowBatch, first int) {
	c, b := r.core, max(bucket, 0)
	w, bit := &c.scanned[b>>6], uint64(1)<<(b&63)
	if w.Load()&bit != 0 || w.Or(bit)&bit != 0 {
		return
	}
	c.heat.Bucket(b).Scan()
	c.heat.Sample(&r.sampler, heat.Scan, 1, func(int) []byte {
		if rb != nil && first < rb.Len() && !r.req.NoKeys {
			return rb.Key(first)
		}
		for i := range c.set.Buckets {
			if of := &c.set.Buckets[i]; max(of.Bucket, 0) == b && len(of.Spans) > 0 {
				return of.Spans[0].Start
			}
		}
		return nil
	})
}

// heat counts what a call has read: dst are the rows that came, nil is none, err how it went, and
// ended that surely no row is left.
func (r *pageReader) heat(dst *storage.RowBatch, did storage.ScanStats, err error, ended bool) {
	c := r.core
	if !c.heat.Counts() {
		return
	}
	of, rows := dst, 0
	if of != nil && err == nil {
		rows = of.Len()
	} else {
		of = nil
	}
	if r.bucket >= 0 || !c.heat.Salted() {
		r.begun(r.bucket, of, 0)
		c.heat.Bucket(r.bucket).Read(did.RowsRead, did.Bytes)
	} else {
		r.heatOfAll(dst, rows, did, ended || err == io.EOF)
	}
	r.unseen += int(did.RowsRead)
	if rows > 0 && !r.req.NoKeys {
		r.unseen -= rows
		c.heat.Sample(&r.sampler, heat.Row, rows, of.Key)
	}
	if r.unseen > 0 && (rows == 0 || r.req.NoKeys) { // else they may be in the next batch
		c.heat.SampleUnknown(&r.sampler, heat.Row, r.unseen, max(r.bucket, c.set.Buckets[max(r.reached-1, 0)].Bucket))
		r.unseen = 0
	}
}

// heatOfAll is heat of a reader of several buckets.
func (r *pageReader) heatOfAll(dst *storage.RowBatch, n int, did storage.ScanStats, ended bool) {
	c := r.core
	rows, bytes, left := did.RowsRead, did.Bytes, int64(n)
	for i := 0; i < n; {
		bucket := c.Schema.Key.KeyBucket(dst.Key(i))
		first := i
		for i < n && c.Schema.Key.KeyBucket(dst.Key(i)) == bucket {
			i++
		}
		r.reach(dst, first, func(b int) bool { return b <= bucket })
		here := int64(i - first)
		ofRows, ofBytes := rows*here/left, bytes*here/left
		c.heat.Bucket(bucket).Read(ofRows, ofBytes)
		rows, bytes, left = rows-ofRows, bytes-ofBytes, left-here
	}
	if n == 0 && (rows != 0 || bytes != 0) { // rows that the store has dropped, where it stands
		c.heat.Bucket(c.set.Buckets[max(r.reached-1, 0)].Bucket).Read(rows, bytes)
	}
	if ended {
		r.reach(nil, 0, func(int) bool { return true })
	}
}

// reach counts the scans of the buckets that come next and are in. The rows of rb from first on are of
// the last of them.
func (r *pageReader) reach(rb *storage.RowBatch, first int, in func(bucket int) bool) {
	all := r.core.set.Buckets
	for r.reached < len(all) && in(all[r.reached].Bucket) {
		of := rb
		if b := all[r.reached].Bucket; of != nil && !r.req.NoKeys && r.core.Schema.Key.KeyBucket(of.Key(first)) != b {
			of = nil // nothing was found in it
		}
		r.begun(all[r.reached].Bucket, of, first)
		r.reached++
	}
}

// gave counts the rows of b, which was made of rb and has its slots; nil is none.
func (c *Core) gave(rb *storage.RowBatch, b *vec.Batch) {
	if b == nil || !c.heat.Counts() {
		return
	}
	n := b.Rows()
	if !c.heat.Salted() || len(c.set.Buckets) == 1 {
		c.heat.Bucket(c.set.Buckets[0].Bucket).Given(int64(n))
		return
	}
	for i := 0; i < n; {
		cell, first := c.heat.Of(rb.Key(b.Row(i))), i
		for i < n && c.heat.Of(rb.Key(b.Row(i))) == cell {
			i++
		}
		cell.Given(int64(i - first))
	}
}

// countsHeat says that rows merged are counted: runOf is to be filled.
func (s *mergeSource) countsHeat() bool {
	heat := s.core.heat.Counts()
	if heat && s.runOf == nil {
		s.runOf = make([]uint8, vec.MaxRows)
	}
	return heat
}

// gave counts the rows of the batch that was merged.
func (s *mergeSource) gave(b *vec.Batch) {
	var of [rowcodec.MaxBuckets]int32
	for i := range b.Rows() {
		of[s.runOf[b.Row(i)]]++
	}
	for i := range s.buckets {
		s.core.heat.Bucket(s.buckets[i].r.bucket).Given(int64(of[i]))
	}
}

// dropped takes back the hits whose rows are not in b, which was made of the rows fetched.
func (s *pointSource) dropped(b *vec.Batch) {
	h := &s.core.heat
	if !h.Counts() || b != nil && b.Rows() == len(s.rows) {
		return
	}
	at := 0
	for slot, row := range s.rows {
		if b != nil && at < b.Rows() && b.Row(at) == slot {
			at++
			continue
		}
		h.Of(s.rb.Key(row)).Given(-1)
	}
}

// gaveAt counts the rows given of those that ReadAt has found in rb, some of them several times.
func (c *Core) gaveAt(rb *storage.RowBatch, wanted []At, b *vec.Batch) {
	if !c.heat.Counts() {
		return
	}
	var given [vec.MaxRows / 64]uint64
	for i := 0; b != nil && i < b.Rows(); i++ {
		given[b.Row(i)>>6] |= 1 << (b.Row(i) & 63)
	}
	// Both are in the order of keys: what is of one bucket stands together.
	at := 0
	for i := 0; i < rb.Len(); {
		cell, more := c.heat.Of(rb.Key(i)), int64(0)
		for i < rb.Len() && c.heat.Of(rb.Key(i)) == cell {
			i++
			more--
		}
		for ; at < len(wanted) && c.heat.Of(wanted[at].Key) != cell; at++ { // a bucket in which nothing was found
		}
		for ; at < len(wanted) && c.heat.Of(wanted[at].Key) == cell; at++ {
			if slot := wanted[at].Slot; given[slot>>6]>>(slot&63)&1 != 0 {
				more++
			}
		}
		cell.Given(more)
	}
}
