package exec

import (
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// scan reads an unsalted table, or full keys of any.
type scan struct{ *scanCore }

func newScan(n *plan.Scan) (Operator, error) {
	core, err := newScanCore(n)
	if err != nil {
		return nil, err
	}
	return &scan{core}, nil
}

func (s *scan) Open(cx *Context) error {
	if err := s.open(cx); err != nil {
		return err
	}
	switch {
	case s.set.Empty():
	case s.set.AllPoints:
		s.src = newPointSource(s.scanCore)
	case len(s.set.Buckets) > 1 && s.n.Order != plan.Unordered:
		src, err := newMergeSource(s.scanCore)
		s.src = src
		return err
	default:
		s.src = newSerialSource(s.scanCore)
	}
	return nil
}

func (s *scan) Next() (*vec.Batch, error) { return s.next() }
func (s *scan) Close() error              { return s.close() }

// serialSource reads all spans one after another, in one scan, on the caller's
// goroutine.
type serialSource struct {
	core *scanCore
	r    pageReader
	rb   storage.RowBatch
	rows []int64 // per bucket, for EXPLAIN ANALYZE of several
}

func newSerialSource(c *scanCore) *serialSource {
	s := &serialSource{core: c}
	bucket := c.set.Buckets[0].Bucket
	if len(c.set.Buckets) > 1 {
		bucket = -1
		if c.cx.Actuals != nil {
			s.rows = make([]int64, 256)
		}
	}
	page, need := c.firstPage(1)
	s.r.open(c, bucket, c.spans(), page, need)
	return s
}

// firstPage is how many rows to ask each of n sources for first, and how many of
// one can be wanted at most.
func (c *scanCore) firstPage(n int) (page, need int64) {
	if c.limit < 0 {
		return 0, -1
	}
	page = max(plan.FirstPage(c.limit, n), 1)
	if !c.filtered() {
		return page, c.limit
	}
	// How many rows pass the filter is not known: start with more.
	least := int64(32)
	if !c.cx.caps.SmallScanSerial {
		least = 128
	}
	return max(2*page, least), -1
}

func (s *serialSource) next() (*vec.Batch, error) {
	for {
		if err := s.fetch(); err != nil {
			return nil, err
		}
		b, err := s.core.dec.decode(&s.rb, s.core.cx.Env, s.core.recheck)
		if b != nil || err != nil {
			return b, err
		}
		if err := s.core.cx.canceled(); err != nil {
			return nil, err
		}
	}
}

func (s *serialSource) fetch() error {
	if err := s.r.next(&s.rb); err != nil {
		return err
	}
	if s.rows != nil {
		for i := range s.rb.Len() {
			s.rows[s.rb.Key(i)[0]]++
		}
	}
	return nil
}

func (s *serialSource) close() error {
	err := s.r.close()
	for bucket, n := range s.rows {
		if n > 0 {
			s.core.work.PerBucket = append(s.core.work.PerBucket, plan.BucketActual{Bucket: bucket, Rows: n, RowsRead: n})
		}
	}
	s.rows = nil
	return err
}
