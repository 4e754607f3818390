package session

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// scroll is what makes a cursor's rows readable in any direction, and beyond its
// transaction: they are kept as they are read.
//
//	at  0            1 … n        n+1
//	    before all   on a row     behind the last
type scroll struct {
	rows    *spill.RowStore
	at      int64
	all     bool  // rows holds all there are
	forward bool  // NO SCROLL: it is kept for WITH HOLD only
	hold    bool  // WITH HOLD
	reading bool  // rows are read from the query
	given   int64 // the first row of those that give gave last, counted from 1
	out     *vec.Batch
}

func (s *Session) newScroll(u *tree.DeclareCursor) *scroll {
	if !u.Scroll && !u.Hold {
		return nil
	}
	return &scroll{rows: spill.NewRowStore(&s.held, s.db.opts.TempDir), forward: u.NoScroll, hold: u.Hold}
}

// reach reads rows until there are n, or no more.
func (c *scroll) reach(ctx context.Context, p *Portal, n int64) error {
	c.reading = true
	defer func() { c.reading = false }()
	for !c.all && c.rows.Rows() < n {
		b, err := p.Next(ctx)
		if err == io.EOF {
			c.all = true
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.rows.Add(b); err != nil {
			return err
		}
	}
	return nil
}

// forwards moves n rows on and gives the first of them and their number.
func (c *scroll) forwards(ctx context.Context, p *Portal, n int64) (first, moved int64, err error) {
	if n <= 0 || c.all && c.at > c.rows.Rows() {
		return 0, 0, nil
	}
	to := int64(math.MaxInt64)
	if n < math.MaxInt64-c.at {
		to = c.at + n
	}
	if err := c.reach(ctx, p, to); err != nil {
		return 0, 0, err
	}
	first = c.at + 1
	if have := c.rows.Rows(); to > have {
		moved = have - c.at
		c.at = have + 1
		return first, moved, nil
	}
	c.at = to
	return first, n, nil
}

// backwards moves n rows back and gives the first of them and their number.
func (c *scroll) backwards(n int64) (first, moved int64, err error) {
	if c.forward {
		return 0, 0, errForwardOnly()
	}
	if n <= 0 || c.at == 0 {
		return 0, 0, nil
	}
	first = c.at - 1
	if n >= c.at {
		c.at = 0
		return first, first, nil
	}
	c.at -= n
	return first, n, nil
}

// give gives the next rows to who reads the portal itself.
func (c *scroll) give(ctx context.Context, p *Portal) (*vec.Batch, error) {
	was := c.at
	first, moved, err := c.forwards(ctx, p, vec.MaxRows)
	if err != nil {
		return nil, err
	}
	if moved == 0 {
		return nil, io.EOF
	}
	if c.out == nil {
		c.out = p.emptyBatch()
	}
	n, err := c.rows.Read(c.out, first-1, int(moved), false)
	if int64(n) < moved {
		c.at = was + int64(n)
	}
	c.given = first
	return c.out, err
}

// emptyBatch makes a batch of the portal's columns.
func (p *Portal) emptyBatch() *vec.Batch {
	ts := make([]types.T, len(p.cols))
	for i := range p.cols {
		ts[i] = p.cols[i].Type
	}
	return vec.NewBatch(ts)
}

func (c *scroll) rewind() error {
	if c.at == 0 {
		return nil
	}
	if c.forward {
		return errForwardOnly()
	}
	c.at = 0
	return nil
}

func errForwardOnly() error {
	return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "cursor can only scan forward").
		WithHint("Declare it with SCROLL option to enable backward scan.")
}

// scrollFetch is FETCH and MOVE over a cursor that has a scroll.
type scrollFetch struct {
	p     *Portal
	c     *scroll
	u     *tree.Fetch
	ready bool
	next1 int64 // the next row to give, counted from 1
	left  int64
	back  bool
	moved int64
	out   *vec.Batch
}

// move does all the moving, and says which rows are to be given.
func (f *scrollFetch) move(ctx context.Context) (err error) {
	c, n := f.c, f.u.Count
	if f.u.All {
		n = math.MaxInt64
	}
	give := func(first, moved int64, err error) error {
		f.next1, f.left, f.moved = first, moved, moved
		return err
	}
	forward := func(n int64) error { return give(c.forwards(ctx, f.p, n)) }
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
				err = skip(c.forwards(ctx, f.p, n-1))
			case n <= at:
				err = skip(c.backwards(at - n + 1))
			default:
				err = skip(c.forwards(ctx, f.p, n-at-1))
			}
			if err != nil {
				return err
			}
			return forward(1)
		case n < 0:
			if err := skip(c.forwards(ctx, f.p, math.MaxInt64)); err != nil {
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
			if err := skip(c.forwards(ctx, f.p, n-1)); err != nil {
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
		return errForwardOnly() // BACKWARD 0, wherever it is
	case !onRow:
	case f.u.Move:
		f.moved = 1
	case c.forward:
		return errForwardOnly()
	default:
		return give(c.at, 1, nil)
	}
	return nil
}

func (f *scrollFetch) next(ctx context.Context) (*vec.Batch, error) {
	if !f.ready {
		f.ready = true
		if err := f.move(ctx); err != nil {
			f.p.broken = true
			return nil, err
		}
		f.out = f.p.emptyBatch()
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

func (f *scrollFetch) tag(rows int64) string {
	if f.u.Move {
		return fmt.Sprintf("MOVE %d", f.moved)
	}
	return fmt.Sprintf("FETCH %d", rows)
}

func (f *scrollFetch) close() error {
	f.p.Suspend()
	return nil
}

// persist reads what is left of the cursors WITH HOLD that were declared in a transaction,
// before it commits: from then on they need it no more.
func (s *Session) persist(ctx context.Context) error {
	for _, p := range s.portals {
		c, ok := p.run.(*cursorRunner)
		if !ok || c.scroll == nil || !c.scroll.hold || p.persisted {
			continue
		}
		if err := c.scroll.reach(ctx, p, math.MaxInt64); err != nil {
			return err
		}
		p.persisted = true
	}
	return nil
}
