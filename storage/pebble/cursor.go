package pebble

import (
	"context"
	"sync"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/sortedrun"
)

// cursor goes over a table's rows: Pebble's iterator, which sees all that a view holds, or one
// of a sorted run, which costs less. It stands nowhere until it is moved, after bound.
type cursor interface {
	// bound sets the bounds to a span's; false if nothing can be in it.
	bound(*tableState, storage.Span) bool
	First() bool
	Last() bool
	Next() bool
	Prev() bool
	SeekGE(key []byte) bool
	Key() []byte
	ValueAndErr() ([]byte, error)
	Error() error
	// end gives it back.
	end() error
}

// runCursor is a cursor over a run that is held.
type runCursor struct {
	*sortedrun.Iterator
	run    *tableRun
	lo, hi []byte
}

var runCursors = sync.Pool{New: func() any { return new(runCursor) }}

// cursor gives one on v, which the caller holds or has as a snapshot that is open, or, where
// v is nil, on what is written now.
func (s *Store) cursor(ctx context.Context, v *view, t *tableState) (cursor, error) {
	if r := s.runs.hold(t, v); r != nil {
		c := runCursors.Get().(*runCursor)
		c.Iterator, c.run = r.Iterator(), r
		return c, nil
	}
	return s.iterator(ctx, v, t)
}

func (c *runCursor) bound(t *tableState, span storage.Span) bool {
	c.lo, c.hi = t.bounds(c.lo, c.hi, span)
	if string(c.lo) >= string(c.hi) {
		return false
	}
	c.SetBounds(c.lo, c.hi)
	return true
}

func (c *runCursor) ValueAndErr() ([]byte, error) { return c.Value(), nil }

func (c *runCursor) end() error {
	err := c.PutBack()
	if rerr := c.run.Release(); err == nil {
		err = rerr
	}
	c.Iterator, c.run = nil, nil
	runCursors.Put(c)
	return err
}
