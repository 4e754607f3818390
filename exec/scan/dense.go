package scan

import (
	"io"
	"math"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// denseSource reads the first rows in key order as points, where keys are whole numbers or dates
// that lie close together: of the keys that rows can have, from where the span begins, as many
// as are likely to have the rows wanted.
//
//	k >= 1000 ORDER BY k LIMIT 10, N = 64
//	  points    1000 … 1009      10 rows are read, in place of a seek in each of 64 buckets
//	  merge     1010 …           what is wanted beyond those, if some of the keys have no row
//
// No row lies between the keys (rowcodec.KeyRun), so the answer hangs on no guess. How many are
// read does: on how close the keys were that the run before has seen. More keys are never read
// than the merge has buckets.
type denseSource struct {
	core   *Core
	run    rowcodec.KeyRun
	counts bool // run has begun: what a merge gives tells how close keys are
	points *pointSource
	asked  int64 // keys of this run so far
	block  []byte
	keys   [][]byte
	set    rowcodec.SpanSet // of the merge that goes on
}

// density is how close the keys are that were read last: so many rows had so many keys.
type density struct{ rows, keys float64 }

// triedPart is what part of the merge's seeks may be spent on points where nothing is known.
const triedPart = 4

// keysFor is how many keys are likely to have the rows wanted; 0 where that is over most.
func (d *density) keysFor(rows, most int64) int64 {
	switch {
	case rows > most:
		return 0
	case d.keys == 0:
		return rows
	case d.rows == 0:
		return 0
	}
	// Two deviations more than are needed on average: to come short costs another call.
	p := min(d.rows/d.keys, 1)
	n := math.Ceil((float64(rows) + 2*math.Sqrt(float64(rows)*(1-p))) / p)
	if n > float64(most) {
		return 0
	}
	return int64(n)
}

// newOrderedSource gives the rows of several buckets in key order.
func newOrderedSource(c *Core) (rowSource, error) {
	if s := &c.dense; s.open(c) {
		return s, nil
	}
	return newMergeSource(c)
}

// open begins with points, if they are likely to do; else false, and the merge tells for the
// next run.
func (s *denseSource) open(c *Core) bool {
	s.core, s.counts, s.asked = c, false, 0
	if c.seeks != nil || c.cx.Stepwise || c.cx.Settings.NoPrune {
		return false
	}
	want := s.tries(c, c.cx.Caps())
	if want == 0 {
		return false
	}
	c.buckets = op.BucketSet{}
	s.points = newPointSource(c, nil)
	s.ask(want)
	return true
}

// tries says how many points are worth their reading before a merge; 0 is none.
func (s *denseSource) tries(c *Core, caps *storage.Caps) int64 {
	key, n := &c.Schema.Key, int64(len(c.set.Buckets))
	if c.limit <= 0 || c.limit > n || c.filtered() || c.n.Of != nil ||
		c.set.LogicalSpans != 1 || int(n) < key.Buckets || len(c.set.Buckets[0].Spans) != 1 {
		return 0
	}
	salt, span := key.PrefixLen(c.set.Buckets[0].Bucket), c.set.Buckets[0].Spans[0]
	logical := storage.Span{Start: span.Start[salt:]}
	if len(span.End) > salt {
		logical.End = span.End[salt:]
	}
	if s.counts = s.run.Start(key, logical, c.n.Order == plan.Reverse); !s.counts {
		return 0
	}
	most := n
	if c.density.keys == 0 {
		if most /= triedPart; !caps.SmallScanSerial {
			return 0 // the buckets are read side by side: points would be a call before
		}
	}
	return c.density.keysFor(c.limit, most)
}

// ask makes the next keys the points to be read.
func (s *denseSource) ask(n int64) { s.points.keys = s.make(n) }

// make gives the next n keys, or as many as there are.
func (s *denseSource) make(n int64) [][]byte {
	s.block, s.keys = s.block[:0], s.keys[:0]
	for range n {
		from := len(s.block)
		block, ok := s.run.Next(s.block)
		if !ok {
			break
		}
		// Where the block grows, the keys made before keep what they were made in.
		s.block = block
		s.keys = append(s.keys, block[from:len(block):len(block)])
	}
	s.asked += int64(len(s.keys))
	return s.keys
}

func (s *denseSource) next() (*vec.Batch, error) {
	c := s.core
	for {
		if b, err := s.points.next(); err != io.EOF {
			return b, err
		}
		c.density = density{float64(c.work.RowsRead), float64(c.work.Points)}
		left := s.points.left
		if left == 0 || s.run.Ended() {
			return nil, io.EOF
		}
		if want := c.density.keysFor(left, int64(len(c.set.Buckets))-s.asked); want > 0 {
			if s.ask(want); len(s.keys) > 0 {
				continue
			}
			if s.run.Ended() {
				return nil, io.EOF
			}
		}
		return s.merge(left)
	}
}

// merge goes on with the merge of what lies behind the points.
func (s *denseSource) merge(left int64) (*vec.Batch, error) {
	c := s.core
	if err := s.Close(); err != nil {
		return nil, err
	}
	s.set = *c.set
	s.set.Buckets = c.Schema.Key.ResumeBuckets(c.set.Buckets, s.run.Last(), c.n.Order == plan.Reverse)
	c.set, c.limit, c.src, s.counts = &s.set, left, nil, false
	if len(s.set.Buckets) == 0 {
		return nil, io.EOF
	}
	for i := range s.set.Buckets {
		c.buckets.Add(s.set.Buckets[i].Bucket)
	}
	src, err := newMergeSource(c)
	c.src = src
	if err != nil {
		return nil, err
	}
	return src.next()
}

// saw notes how many rows a merge has given, and how many keys there are up to the last of them.
func (s *denseSource) saw(m *mergeSource) {
	if s.counts && m.left >= 0 {
		keys := s.run.To(s.core.Schema.Key.LogicalKey(m.last.Key(m.lastRow)))
		s.core.density = density{float64(s.core.limit - m.left), float64(keys)}
	}
}

func (s *denseSource) Close() error { return s.points.Close() }
