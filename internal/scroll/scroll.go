package scroll

import (
	"context"
	"io"
	"math"

	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Source gives the rows of a cursor's query: batches that are valid until the next call, and
// io.EOF behind the last.
type Source interface {
	Next(ctx context.Context) (*vec.Batch, error)
	// Types are those of the columns, known once Next was called.
	Types() []types.T
}

// Cursor makes a query's rows readable in any direction, and beyond its transaction: they are
// kept as they are read.
//
//	at  0            1 … n        n+1
//	    before all   on a row     behind the last
type Cursor struct {
	src     Source
	rows    *spill.RowStore
	at      int64
	all     bool  // rows holds all there are
	forward bool  // NO SCROLL: it is kept for WITH HOLD only
	reading bool  // rows are read from the query
	given   int64 // the first row of those that Next gave last, counted from 1
	out     *vec.Batch
}

// New makes a cursor whose rows are booked on account and spill to tempDir. Where forwardOnly
// is set, moving back is 55000.
func New(src Source, account *memory.Account, tempDir string, forwardOnly bool) *Cursor {
	return &Cursor{src: src, rows: spill.NewRowStore(account, tempDir), forward: forwardOnly}
}

// Reading says that the cursor asks its source at the moment.
func (c *Cursor) Reading() bool { return c.reading }

// Close gives the rows up.
func (c *Cursor) Close() { c.rows.Close() }

// ReadAll keeps all rows that are left: the source is not needed any more.
func (c *Cursor) ReadAll(ctx context.Context) error { return c.reach(ctx, math.MaxInt64) }

// Unread takes back the rows that Next gave last, from the one at i on.
func (c *Cursor) Unread(i int) { c.at = c.given + int64(i) - 1 }

// reach reads rows until there are n, or no more.
func (c *Cursor) reach(ctx context.Context, n int64) error {
	c.reading = true
	defer func() { c.reading = false }()
	for !c.all && c.rows.Rows() < n {
		b, err := c.src.Next(ctx)
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
func (c *Cursor) forwards(ctx context.Context, n int64) (first, moved int64, err error) {
	if n <= 0 || c.all && c.at > c.rows.Rows() {
		return 0, 0, nil
	}
	to := int64(math.MaxInt64)
	if n < math.MaxInt64-c.at {
		to = c.at + n
	}
	if err := c.reach(ctx, to); err != nil {
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
func (c *Cursor) backwards(n int64) (first, moved int64, err error) {
	if c.forward {
		return 0, 0, ForwardOnly()
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

// Next gives the next rows, valid until the next call; io.EOF behind the last.
func (c *Cursor) Next(ctx context.Context) (*vec.Batch, error) {
	was := c.at
	first, moved, err := c.forwards(ctx, vec.MaxRows)
	if err != nil {
		return nil, err
	}
	if moved == 0 {
		return nil, io.EOF
	}
	if c.out == nil {
		c.out = vec.NewBatch(c.src.Types())
	}
	n, err := c.rows.Read(c.out, first-1, int(moved), false)
	if int64(n) < moved {
		c.at = was + int64(n)
	}
	c.given = first
	return c.out, err
}

func (c *Cursor) rewind() error {
	if c.at == 0 {
		return nil
	}
	if c.forward {
		return ForwardOnly()
	}
	c.at = 0
	return nil
}

// ForwardOnly is the error of moving back in a cursor that does not: 55000.
func ForwardOnly() error {
	return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "cursor can only scan forward").
		WithHint("Declare it with SCROLL option to enable backward scan.")
}
