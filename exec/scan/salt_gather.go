package scan

import (
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// saltGather reads the buckets of a salted table in no order.
type saltGather struct {
	*Core
	n      *plan.SaltGather
	serial bool
}

// NewGather makes the operator of a SaltGather and of the Scan below it.
func NewGather(n *plan.SaltGather) (op.Operator, error) {
	core, err := NewCore(n.Scan())
	if err != nil {
		return nil, err
	}
	return &saltGather{Core: core, n: n, serial: n.Serial}, nil
}

func (s *saltGather) Open(cx *op.Context) error {
	if err := s.open(cx); err != nil {
		return err
	}
	s.Gather(s.serial)
	return nil
}

func (s *saltGather) Next() (*vec.Batch, error) { return s.next() }

// Feed gives every row of the gather to a sink, in parallel where there are many:
// newSink is called for each goroutine that has rows, on that goroutine. It is used
// instead of Next, once.
func (s *saltGather) Feed(newSink func() (op.Sink, error)) error {
	cx := s.cx
	if cx.Actuals != nil {
		var done func() (int64, time.Duration)
		newSink, done = counting(newSink)
		defer func() {
			act := cx.Actual(s.n)
			rows, spent := done()
			act.Rows, act.Time = rows, act.Time+spent
			if _, ok := s.src.(*gatherSource); ok { // the others count by themselves
				scan := cx.Actual(s.n.Input)
				scan.Rows, scan.Time = act.Rows, act.Time
			}
		}()
	}
	if g, ok := s.src.(*gatherSource); ok {
		return g.Feed(newSink)
	}
	return op.FeedFrom(s.Next, newSink)
}

// counting has the rows counted that sinks take; done gives them, and the time until then.
func counting(newSink func() (op.Sink, error)) (counted func() (op.Sink, error), done func() (int64, time.Duration)) {
	rows, start := new(atomic.Int64), time.Now()
	counted = func() (op.Sink, error) {
		to, err := newSink()
		return &countingSink{to, rows}, err
	}
	return counted, func() (int64, time.Duration) { return rows.Load(), time.Since(start) }
}

type countingSink struct {
	to   op.Sink
	rows *atomic.Int64
}

func (c *countingSink) Add(b *vec.Batch) error {
	c.rows.Add(int64(b.Rows()))
	return c.to.Add(b)
}
