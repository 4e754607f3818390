package scroll

import (
	"context"
	"io"
	"math"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/vec"
)

// Fetch is FETCH and MOVE over a cursor.
type Fetch struct {
	c     *Cursor
	u     *tree.Fetch
	next1 int64 // the next row to give, counted from 1
	left  int64
	back  bool
	moved int64
	out   *vec.Batch
}

// NewFetch makes a FETCH that has not begun.
func NewFetch(c *Cursor, u *tree.Fetch) *Fetch { return &Fetch{c: c, u: u} }

// move does all the moving, and says which rows are to be given.
func (f *Fetch) move(ctx context.Context) (err error) {
	c, n := f.c, f.u.Count
	if f.u.All {
		n = math.MaxInt64
	}
	give := func(first, moved int64, err error) error {
		f.next1, f.left, f.moved = first, moved, moved
		return err
	}
	forward := func(n int64) error { return give(c.forwards(ctx, n)) }
	backward := func(n int64) error {
		f.back = true
		return give(c.backwards(n))
	}
	skip := func(_, _ int64, err error) error { return err }
	switch f.u.Direction {
	case tree.FetchAbsolute:
		switch {
		case n > 0:
			// As PostgreSQL: from the start where that is nearer, which NO SCROLL refuses.
			pos, at := min(c.at, c.rows.Rows()), c.at
			switch {
			case n-1 <= pos/2:
				if err := c.rewind(); err != nil {
					return err
				}
				err = skip(c.forwards(ctx, n-1))
			case n <= at:
				err = skip(c.backwards(at - n + 1))
			default:
				err = skip(c.forwards(ctx, n-at-1))
			}
			if err != nil {
				return err
			}
			return forward(1)
		case n < 0:
			if err := skip(c.forwards(ctx, math.MaxInt64)); err != nil {
				return err
			}
			if err := skip(c.backwards(-n - 1)); err != nil {
				return err
			}
			return backward(1)
		}
		return c.rewind()
	case tree.FetchRelative:
		switch {
		case n > 0:
			if err := skip(c.forwards(ctx, n-1)); err != nil {
				return err
			}
			return forward(1)
		case n < 0:
			if err := skip(c.backwards(-n - 1)); err != nil {
				return err
			}
			return backward(1)
		}
	case tree.FetchBackward:
		if f.u.All && f.u.Move && c.forward && c.at == 0 {
			return nil
		}
		n = -n
	}
	switch {
	case n > 0:
		return forward(n)
	case n < 0:
		return backward(-n)
	}
	// The row that the cursor is on, again.
	onRow := c.at > 0 && c.at <= c.rows.Rows()
	switch {
	case c.forward && !f.u.Move && f.u.Direction == tree.FetchBackward:
		return ForwardOnly() // BACKWARD 0, wherever it is
	case !onRow:
	case f.u.Move:
		f.moved = 1
	case c.forward:
		return ForwardOnly()
	default:
		return give(c.at, 1, nil)
	}
	return nil
}

// Next gives the rows of FETCH, valid until the next call. The first call moves the cursor;
// where that fails, Moved is false.
func (f *Fetch) Next(ctx context.Context) (*vec.Batch, error) {
	if f.out == nil {
		if err := f.move(ctx); err != nil {
			return nil, err
		}
		f.out = vec.NewBatch(f.c.src.Types())
	}
	if f.left == 0 || f.u.Move {
		return nil, io.EOF
	}
	n, err := f.c.rows.Read(f.out, f.next1-1, int(min(f.left, vec.MaxRows)), f.back)
	if err != nil {
		return nil, err
	}
	f.left -= int64(n)
	if f.back {
		f.next1 -= int64(n)
	} else {
		f.next1 += int64(n)
	}
	return f.out, nil
}

// Moved says that the cursor has moved.
func (f *Fetch) Moved() bool { return f.out != nil }

// Passed is how many rows a MOVE has moved over.
func (f *Fetch) Passed() int64 { return f.moved }
