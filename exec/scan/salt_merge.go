package scan

import (
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/losertree"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// saltMerge reads the buckets of a salted table and merges them by the row key
// without its salt byte.
//
//	bucket 0  page | page …   encoded rows, as the store gave them
//	bucket 1  page |    …        \
//	bucket 2  page |  …          loser tree over key[1:] --> decode the winner's row
//
// Keys are compared before anything is decoded, and only rows that are given
// out are. A bucket has two pages: values of the batch given out point into
// the one, while the other is being merged.
type saltMerge struct{ *Core }

// NewMerge makes the operator of a SaltMerge and of the Scan below it.
func NewMerge(n *plan.SaltMerge) (op.Operator, error) {
	core, err := NewCore(n.Scan())
	if err != nil {
		return nil, err
	}
	return &saltMerge{core}, nil
}

func (s *saltMerge) Open(cx *op.Context) error {
	if err := s.open(cx); err != nil {
		return err
	}
	switch {
	case s.set.Empty():
	case s.set.AllPoints:
		s.src = newPointSource(s.Core, s.set.Points)
	case len(s.set.Buckets) == 1:
		s.src = newSerialSource(s.Core)
	default:
		src, err := newOrderedSource(s.Core)
		s.src = src
		return err
	}
	return nil
}

func (s *saltMerge) Next() (*vec.Batch, error) { return s.next() }

// mergeSource merges buckets.
type mergeSource struct {
	core    *Core
	buckets []mergeBucket
	runs    []losertree.Run
	tree    losertree.Tree
	started bool
	waiting int      // the bucket that needs a page before the merge goes on; -1
	left    int64    // rows until the limit; -1 without
	fill    *fillers // nil: pages are read by the caller's goroutine
	ahead   bool     // pages are read before they are needed
	most    int      // rows of the next batch
	wanted  int      // rows that are probably enough, which come first
	given   int      // of those, in the batch that is being made
	sparing *sparing // nil: pages are as their readers say
	shared  sharedScan
	small   bool // how many rows come is not known: the first pages are small ones
	last    *storage.RowBatch
	lastRow int     // of last: the row given out last
	runOf   []uint8 // by slot of the batch: the bucket's place, where heat is counted
}

// mergeBucket is one run. Of its batches, cur is being merged, held is what the
// batch given out last still points into, one may be being filled, and the rest are
// free.
type mergeBucket struct {
	r     pageReader
	salt  int // bytes before the logical keys
	cur   *storage.RowBatch
	pos   int
	held  *storage.RowBatch
	free  []*storage.RowBatch
	made  int
	ready chan filled // with fillers: what they filled
	asked bool        // a batch is being filled
}

// leastSmall is how many rows of each bucket are read at least before goroutines and
// scans of their own are worth their start, where it is not known how many come; of few
// buckets serialRows in all.
const leastSmall = 32

// prefetchRows is from how many rows wanted on pages are read ahead.
const prefetchRows = 4 * storage.MaxBatchRows

func newMergeSource(c *Core) (*mergeSource, error) {
	n := len(c.set.Buckets)
	s := &c.merge // kept from run to run
	if cap(s.buckets) < n {
		s.buckets, s.runs = make([]mergeBucket, n), make([]losertree.Run, n)
	}
	*s = mergeSource{core: c, shared: sharedScan{core: c}, buckets: s.buckets[:n], runs: s.runs[:n], tree: s.tree, runOf: s.runOf, waiting: -1, left: -1}
	if !c.filtered() {
		s.left = c.limit
	}
	page, need := c.firstPage(n)
	serial := c.cx.Caps().SmallScanSerial && c.seeks == nil
	s.small = serial && page == 0 && c.limit < 0
	s.ahead = !c.cx.Stepwise && (c.limit < 0 || c.limit >= prefetchRows)
	s.most = vec.MaxRows
	if c.cx.Stepwise {
		s.most = stepRows
		c.req.BatchRows = min(max(2<<10/n, stepRows), storage.MaxBatchRows)
	}
	if !c.cx.Stepwise && (page == 0 || page >= largePage) {
		// All buckets' pages together are kept to what a processor's cache may hold.
		c.req.BatchRows = min(max(16<<10/n, 64), storage.MaxBatchRows)
	}
	if c.n.Of != nil && c.limit >= 0 && !c.cx.Stepwise && c.cx.Caps().SmallScanSerial && c.n.Filter == nil && c.recheck == ExactKey {
		// Each entry read may lead to a row: a scan of a bucket stays open and gives few at
		// a time, where that costs no call.
		page, s.wanted = 0, int(min(c.limit, vec.MaxRows))
		c.req.BatchRows = min(max(int(c.limit)/(4*n), 1), storage.MaxBatchRows)
	}
	if c.sparing(n) {
		s.sparing = &sparing{later: page, spare: c.limit}
		page, s.wanted = 1, int(c.limit)
	}
	for i := range s.buckets {
		b := &s.buckets[i]
		*b = mergeBucket{r: b.r, free: b.free[:0], ready: b.ready, salt: c.Schema.Key.PrefixLen(c.set.Buckets[i].Bucket)}
		s.runs[i] = losertree.Run{}
		b.r.open(c, c.set.Buckets[i].Bucket, c.set.Buckets[i].Spans, page, need)
		if serial {
			b.r.shared = &s.shared
		}
		if s.small {
			b.r.page, b.r.req.Hint = max(serialRows/int64(n), leastSmall), nil // a store may look at many rows for few that its hint lets pass
		}
	}
	if !s.small {
		s.readAhead()
	}
	return s, nil
}

// readAhead has pages read in the background from now on, where that is worth it.
func (s *mergeSource) readAhead() {
	c, n := s.core, len(s.buckets)
	if c.cx.Fanout() == 1 || !s.ahead && c.cx.Caps().SmallScanSerial {
		return
	}
	c.cancelable()
	s.fill = startFillers(min(c.cx.Fanout(), n), n)
	for i := range s.buckets {
		s.buckets[i].ready = make(chan filled, 1)
		if !s.runs[i].Done {
			s.ask(&s.buckets[i])
		}
	}
}

// enlarge goes over from small pages to a scan for each bucket, of all that is left.
func (s *mergeSource) enlarge() error {
	s.small = false
	for i := range s.buckets {
		r := &s.buckets[i].r
		r.shared, r.page, r.req.Hint = nil, 0, s.core.req.Hint
	}
	err := s.shared.close()
	s.readAhead()
	return err
}

// batch gives a bucket's batch to fill; nil if all are in use.
func (s *mergeSource) batch(b *mergeBucket) *storage.RowBatch {
	if n := len(b.free); n > 0 {
		rb := b.free[n-1]
		b.free = b.free[:n-1]
		return rb
	}
	most := 2
	if s.fill != nil && s.ahead {
		most = 3
	}
	if b.made == most {
		return nil
	}
	b.made++
	return getBatch()
}

// ask has a batch filled in the background.
func (s *mergeSource) ask(b *mergeBucket) {
	if b.asked {
		return
	}
	if rb := s.batch(b); rb != nil {
		b.asked = true
		s.fill.ask(fillRequest{b, rb})
	}
}

// page brings in a bucket's next page; false if that must wait until the batch
// given out is done with, because it points into all the bucket has.
func (s *mergeSource) page(i int) (bool, error) {
	b := &s.buckets[i]
	if s.small && b.r.resume {
		if err := s.enlarge(); err != nil {
			return false, err
		}
	}
	var f filled
	if b.asked {
		f = <-b.ready
		b.asked = false
	} else if f.rb = s.batch(b); f.rb != nil {
		f.err = s.fetch(b, f.rb)
	} else {
		return false, nil
	}
	if b.cur != nil {
		b.free = append(b.free, b.cur)
		b.cur = nil
	}
	if f.err != nil {
		b.free = append(b.free, f.rb)
		s.runs[i].Done = true
		if f.err == io.EOF {
			return true, nil
		}
		return false, f.err
	}
	b.cur, b.pos = f.rb, 0
	s.runs[i].Set(b.cur.Key(0)[b.salt:])
	if s.fill != nil && s.ahead {
		s.ask(b)
	}
	return true, nil
}

func (s *mergeSource) start() error {
	s.started = true
	for i := range s.buckets {
		if _, err := s.page(i); err != nil {
			return err
		}
	}
	s.tree.Reset(s.runs, s.core.req.Reverse)
	return nil
}

func (s *mergeSource) next() (*vec.Batch, error) {
	for {
		b, err := s.merge()
		if b != nil || err != nil {
			return b, err
		}
		if err := s.core.cx.Canceled(); err != nil {
			return nil, err
		}
	}
}

// merge makes one batch; nil if the filter dropped all its rows.
func (s *mergeSource) merge() (*vec.Batch, error) {
	if err := s.prepare(); err != nil {
		return nil, err
	}
	most := s.most
	if s.wanted > 0 {
		most = s.wanted
	} else {
		s.most = min(2*s.most, vec.MaxRows)
	}
	if s.left >= 0 {
		most = int(min(s.left, int64(most)))
	}
	m := &s.core.dec
	m.begin(most)
	heat := s.countsHeat()
	slot := 0
	for slot < most {
		w, done := s.tree.Winner()
		if done {
			break
		}
		b := &s.buckets[w]
		if err := m.add(b.cur, b.pos, slot); err != nil {
			return nil, err
		}
		s.last, s.lastRow = b.cur, b.pos
		if heat {
			s.runOf[slot] = uint8(w)
		}
		slot++
		b.pos++
		if b.pos < b.cur.Len() {
			s.runs[w].Set(b.cur.Key(b.pos)[b.salt:])
			s.tree.Replay()
			continue
		}
		// The page is used up, but what is given out points into it.
		if b.held != nil {
			s.waiting = w
			break
		}
		b.held, b.cur = b.cur, nil
		s.given = slot
		if s.left >= 0 && int64(slot) == s.left {
			break // no more rows are wanted: read no page for them
		}
		if s.wanted > 0 && slot == most {
			s.waiting = w // nor where these are probably enough
			break
		}
		ok, err := s.page(w)
		if err != nil {
			return nil, err
		}
		if !ok {
			s.waiting = w
			break
		}
		s.tree.Replay()
	}
	if slot == 0 {
		return nil, io.EOF
	}
	if s.left > 0 {
		s.left -= int64(slot)
	}
	s.core.dense.saw(s)
	s.wanted, s.given = max(s.wanted-slot, 0), 0
	b, err := m.end(slot, s.core.cx.Env, s.core.recheck)
	if heat && b != nil {
		s.gave(b)
	}
	return b, err
}

// prepare takes back the batches that the last result pointed into.
func (s *mergeSource) prepare() error {
	for i := range s.buckets {
		b := &s.buckets[i]
		if b.held != nil {
			b.free = append(b.free, b.held)
			b.held = nil
			if s.fill != nil && s.ahead && !s.runs[i].Done {
				s.ask(b)
			}
		}
	}
	if !s.started {
		return s.start()
	}
	if s.waiting >= 0 {
		if _, err := s.page(s.waiting); err != nil {
			return err
		}
		s.waiting = -1
		s.tree.Replay()
	}
	return nil
}

func (s *mergeSource) Close() error {
	if s.fill != nil {
		s.core.cancel()
		s.fill.stop()
	}
	var first error
	for i := range s.buckets {
		b := &s.buckets[i]
		if err := b.r.close(); err != nil && first == nil {
			first = err
		}
		if b.asked && s.fill != nil {
			select {
			case f := <-b.ready:
				b.free = append(b.free, f.rb)
			default:
			}
		}
		putBatch(b.cur)
		putBatch(b.held)
		for _, rb := range b.free {
			putBatch(rb)
		}
		b.free, b.cur, b.held = b.free[:0], nil, nil
		s.runs[i].Key = nil
	}
	if err := s.shared.close(); err != nil && first == nil {
		first = err
	}
	return first
}
