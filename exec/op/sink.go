package op

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// Sink takes rows on one goroutine. The batch is valid during the call.
type Sink interface {
	Add(b *vec.Batch) error
}

// feeder is an operator that can give its rows on several goroutines.
type feeder interface {
	// Feed gives every row to a sink: newSink is called for each goroutine that has
	// rows, on that goroutine. It is used instead of Next, once.
	Feed(newSink func() (Sink, error)) error
}

// Feed gives all rows of in to sinks, in parallel where in can do so.
func Feed(in Operator, newSink func() (Sink, error)) error {
	of := in
	if c, ok := in.(*counted); ok {
		of = c.in
	}
	if f, ok := of.(feeder); ok {
		return f.Feed(newSink) // it counts its rows itself
	}
	return FeedFrom(in.Next, newSink)
}

// FeedFrom gives all rows of next to one sink, if there are any.
func FeedFrom(next func() (*vec.Batch, error), newSink func() (Sink, error)) error {
	var to Sink
	for {
		b, err := next()
		if err == io.EOF {
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
		if err := to.Add(b); err != nil {
			return err
		}
	}
}

// Fed counts, where the statement is analyzed, what an operator of n that feeds sinks gives
// them: to call before newSink is used, and done when all rows are given.
func (cx *Context) Fed(n plan.Node, newSink func() (Sink, error)) (counted func() (Sink, error), done func()) {
	if cx.Actuals == nil {
		return newSink, func() {}
	}
	c := &fedRows{start: cx.Start()}
	began := time.Now()
	counted = func() (Sink, error) {
		to, err := newSink()
		return &countingSink{to, c}, err
	}
	return counted, func() {
		act := cx.Actual(n)
		if first := time.Duration(c.first.Load()); act.FirstRow == 0 {
			act.FirstRow = first
		}
		act.Rows += c.rows.Load()
		act.Time += time.Since(began)
	}
}

type fedRows struct {
	start time.Time
	rows  atomic.Int64
	first atomic.Int64 // since start
}

type countingSink struct {
	to Sink
	c  *fedRows
}

func (s *countingSink) Add(b *vec.Batch) error {
	if s.c.rows.Add(int64(b.Rows())) == int64(b.Rows()) {
		s.c.first.Store(int64(time.Since(s.c.start)))
	}
	return s.to.Add(b)
}
