package scan

import (
	"math"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// scan reads an unsalted table, full keys of any, or one bucket where a gather above runs
// what is below it by bucket.
type scan struct{ *Core }

// New makes the operator of a Scan that nothing merges or gathers.
func New(n *plan.Scan) (op.Operator, error) {
	core, err := NewCore(n)
	if err != nil {
		return nil, err
	}
	core.byBucket = true
	return &scan{core}, nil
}

func (s *scan) Open(cx *op.Context) error {
	if err := s.open(cx); err != nil {
		return err
	}
	switch {
	case s.set.Empty():
	case s.set.AllPoints:
		s.src = newPointSource(s.Core, s.set.Points)
	case len(s.set.Buckets) > 1 && s.n.Order != plan.Unordered:
		src, err := newOrderedSource(s.Core)
		s.src = src
		return err
	default:
		s.src = newSerialSource(s.Core)
	}
	return nil
}

func (s *scan) Next() (*vec.Batch, error) { return s.next() }

// serialSource reads all spans one after another, in one scan. Once it has
// turned out long, batches are read ahead.
type serialSource struct {
	core  *Core
	r     pageReader
	first *storage.RowBatch
	rb    *storage.RowBatch // the one read last
	pages int
	long  bool       // may be read ahead
	ahead *readAhead // once it is
	err   error      // its end
}

// aheadAfter is how many batches come before reading ahead is worth a goroutine.
const aheadAfter = 2

func newSerialSource(c *Core) *serialSource {
	s := &c.serial // kept from run to run
	*s = serialSource{core: c, r: s.r, first: getBatch(), long: c.limit < 0 && c.cx.Fanout() > 1 && !c.cx.Stepwise}
	bucket := c.set.Buckets[0].Bucket
	if len(c.set.Buckets) > 1 {
		bucket = -1
	}
	page, need := c.firstPage(1)
	s.r.open(c, bucket, c.spans(), page, need)
	if bucket < 0 && c.cx.Actuals != nil && c.set.Buckets[0].Bucket >= 0 && !c.req.NoKeys {
		s.r.shares = newBucketShares()
	}
	return s
}

// smallPage is FirstPage where another page costs no call, but a seek: as much as some four
// rows. It is a bucket's share of the limit and the square root of it, about the spread of
// shares, and 2 at least: of 10 rows 2 of each of 16 buckets, 5 of each of 4.
func smallPage(limit int64, n int) int64 {
	share := float64(limit) / float64(n)
	return max(int64(math.Ceil(share+math.Sqrt(share))), 2)
}

// firstRows is how many rows each of n buckets is asked for first where limit are wanted.
func firstRows(caps *storage.Caps, limit int64, n int) int64 {
	page := max(plan.FirstPage(limit, n), 1)
	if caps.SmallScanSerial {
		page = min(page, smallPage(limit, n))
	}
	return page
}

// stepRows is how many rows a scan reads first whose rows are taken in steps.
const stepRows = 64

// firstPage is how many rows to ask each of n sources for first, and how many of
// one can be wanted at most.
func (c *Core) firstPage(n int) (page, need int64) {
	if c.limit < 0 {
		if c.cx.Stepwise {
			return max(plan.FirstPage(stepRows, n), 1), -1
		}
		return 0, -1
	}
	page = firstRows(c.cx.Caps(), c.limit, n)
	if !c.filtered() {
		return page, c.limit
	}
	if c.n.Loose && c.n.Filter == nil && c.recheck == ExactKey {
		return page, -1 // few are dropped
	}
	// How many rows pass the filter is not known: start with more.
	least := int64(32)
	if !c.cx.Caps().SmallScanSerial {
		least = 128
	}
	return max(2*page, least), -1
}

func (s *serialSource) next() (*vec.Batch, error) {
	for {
		if err := s.fetch(); err != nil {
			return nil, err
		}
		b, err := s.core.dec.Decode(s.rb, s.core.cx.Env, s.core.recheck)
		s.core.gave(s.rb, b)
		if b != nil || err != nil {
			return b, err
		}
		if err := s.core.cx.Canceled(); err != nil {
			return nil, err
		}
	}
}

// fetch reads the next batch into rb.
func (s *serialSource) fetch() error {
	if s.err != nil {
		return s.err
	}
	if s.ahead == nil {
		if s.pages == aheadAfter && s.long {
			s.ahead = startReadAhead(&s.r)
		} else {
			if s.pages++; s.long && s.core.cancel == nil && (s.pages > 1 || !s.r.direct) {
				s.core.cancelable() // the scan that begins now may be read ahead
			}
			s.rb = s.first
			return s.r.next(s.rb)
		}
	} else if s.rb != s.first {
		s.ahead.free <- s.rb
	}
	f := <-s.ahead.out
	s.rb, s.err = f.rb, f.err
	return f.err
}

// Ended says that surely no batch follows the one that Next gave last.
func (c *Core) Ended() bool {
	s, ok := c.src.(*serialSource)
	return ok && s.ahead == nil && s.r.scanner == nil && len(s.r.spans) == 0
}

func (s *serialSource) Close() error {
	if s.ahead != nil {
		s.core.cancel()
		s.ahead.stop()
		s.ahead = nil
	}
	putBatch(s.first)
	s.first, s.rb = nil, nil
	c := s.core
	before := c.work.StorageCalls
	err := s.r.close()
	if s.r.shares != nil {
		read := make([]int, len(c.set.Buckets))
		for i := range read {
			read[i] = c.set.Buckets[i].Bucket
		}
		c.work.PerBucket = s.r.shares.appendTo(c.work.PerBucket, read, c.work.StorageCalls-before)
		s.r.shares = nil
	}
	return err
}
