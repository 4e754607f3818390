package scan

import (
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
	newSink, done := cx.Fed(s.n, newSink)
	defer func() {
		done()
		if _, ok := s.src.(*gatherSource); ok && cx.Actuals != nil { // the others count by themselves
			act, scan := cx.Actual(s.n), cx.Actual(s.n.Input)
			scan.Rows, scan.Time, scan.FirstRow = act.Rows, act.Time, act.FirstRow
		}
	}()
	if g, ok := s.src.(*gatherSource); ok {
		return g.Feed(newSink)
	}
	return op.FeedFrom(s.Next, newSink)
}
