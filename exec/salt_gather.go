package exec

import (
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// saltGather reads the buckets of a salted table in no order.
type saltGather struct {
	*scanCore
	n      *plan.SaltGather
	serial bool
}

func newSaltGather(n *plan.SaltGather) (Operator, error) {
	core, err := newScanCore(n.Input)
	if err != nil {
		return nil, err
	}
	return &saltGather{scanCore: core, n: n, serial: n.Serial}, nil
}

func (s *saltGather) Open(cx *Context) error {
	if err := s.open(cx); err != nil {
		return err
	}
	switch {
	case s.set.Empty():
	case s.set.AllPoints:
		s.src = newPointSource(s.scanCore)
	case s.serial || len(s.set.Buckets) == 1 || cx.fanout() == 1 || s.scanCore.n.ForUpdate && cx.caps.AtomicBatch:
		// Rows that are locked are read in key order, so that two statements over the
		// same rows wait for each other and do not deadlock.
		s.src = newSerialSource(s.scanCore)
	default:
		s.src = newGatherSource(s.scanCore)
	}
	return nil
}

func (s *saltGather) Next() (*vec.Batch, error) { return s.next() }
func (s *saltGather) Close() error              { return s.close() }

// feed gives every row of the gather to a sink, in parallel where there are many:
// newSink is called for each goroutine that has rows, on that goroutine. It is used
// instead of Next, once.
func (s *saltGather) feed(newSink func() (sink, error)) error {
	cx := s.cx
	if cx.Actuals != nil {
		var rows atomic.Int64
		start, plain := time.Now(), newSink
		newSink = func() (sink, error) {
			to, err := plain()
			return &countingSink{to, &rows}, err
		}
		defer func() {
			act := cx.actual(s.n)
			act.Rows, act.Time = rows.Load(), act.Time+time.Since(start)
			if _, ok := s.src.(*gatherSource); ok { // the others count by themselves
				scan := cx.actual(s.n.Input)
				scan.Rows, scan.Time = act.Rows, act.Time
			}
		}()
	}
	if g, ok := s.src.(*gatherSource); ok {
		return g.feed(newSink)
	}
	return feedFrom(s.Next, newSink)
}

type countingSink struct {
	to   sink
	rows *atomic.Int64
}

func (c *countingSink) add(b *vec.Batch) error {
	c.rows.Add(int64(b.Rows()))
	return c.to.add(b)
}

// sink takes rows on one goroutine. The batch is valid during the call.
type sink interface {
	add(b *vec.Batch) error
}

// feedFrom gives all rows of next to one sink, if there are any.
func feedFrom(next func() (*vec.Batch, error), newSink func() (sink, error)) error {
	var to sink
	for {
		b, err := next()
		if err == errEOF {
			return nil
		}
		if err != nil {
			return err
		}
		if to == nil {
			if to, err = newSink(); err != nil {
				return err
			}
		}
		if err := to.add(b); err != nil {
			return err
		}
	}
}
