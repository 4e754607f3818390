package op

import (
	"io"

	"github.com/saltsql/saltsql/internal/vec"
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
