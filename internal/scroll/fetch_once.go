package scroll

import (
	"context"
	"io"
	"math"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/vec"
)

// FetchOnce is FETCH and MOVE over a cursor that goes forward only.
type FetchOnce struct {
	once  *Once
	src   Source
	u     *tree.Fetch
	begun bool
	skip  int64 // rows still to pass over
	want  int64 // rows still to give
	moved int64
	out   vec.Batch
	sel   []uint16
}

// NewFetchOnce makes a FETCH that has not begun; src gives the rows behind those that the cursor
// keeps.
func NewFetchOnce(o *Once, src Source, u *tree.Fetch) *FetchOnce {
	return &FetchOnce{once: o, src: src, u: u}
}

// plan says how many rows are passed over and how many are given from there.
func (f *FetchOnce) plan() (skip, want int64, err error) {
	n, o := f.u.Count, f.once
	if f.u.All {
		n = math.MaxInt64
	}
	switch f.u.Direction {
	case tree.FetchAbsolute:
		switch pos := o.at; {
		case n == 0 || n > 0 && n-1 <= pos/2:
			if o.at > 0 || o.eof { // back to the start
				return 0, 0, ForwardOnly()
			}
			return max(n-1, 0), min(n, 1), nil
		case n < 0:
			return 0, 0, ForwardOnly()
		default:
			if o.eof {
				pos++
			}
			if n <= pos {
				return 0, 0, ForwardOnly()
			}
			return n - pos - 1, 1, nil
		}
	case tree.FetchRelative:
		if n > 0 {
			return n - 1, 1, nil
		}
	case tree.FetchBackward:
		if f.u.All && f.u.Move && o.at == 0 && !o.eof {
			return 0, 0, nil
		}
		n = -n
	}
	switch {
	case n > 0:
		return 0, n, nil
	case n < 0:
		return 0, 0, ForwardOnly()
	case !f.u.Move && f.u.Direction == tree.FetchBackward:
		return 0, 0, ForwardOnly() // BACKWARD 0, wherever it is
	case o.at == 0 || o.eof:
		return 0, 0, nil
	case f.u.Move:
		f.moved = 1 // it is on a row
		return 0, 0, nil
	}
	return 0, 0, ForwardOnly()
}

// Next gives the rows of FETCH, valid until the next call. Where the first call cannot go where
// it is told to, Moved is false.
func (f *FetchOnce) Next(ctx context.Context) (_ *vec.Batch, err error) {
	if !f.begun {
		if f.skip, f.want, err = f.plan(); err != nil {
			return nil, err
		}
		f.begun = true
	}
	o := f.once
	for f.skip > 0 || f.want > 0 {
		if o.eof {
			return nil, io.EOF
		}
		if o.left() == nil {
			b, err := f.src.Next(ctx)
			if err == io.EOF {
				o.eof = true
			}
			if err != nil {
				return nil, err
			}
			o.batch, o.next = b, 0
		}
		n := int64(o.batch.Rows() - o.next)
		if f.skip > 0 {
			n = min(n, f.skip)
			f.skip -= n
			o.at += n
			o.next += int(n)
			continue
		}
		n = min(n, f.want)
		if f.want != math.MaxInt64 {
			f.want -= n
		}
		f.moved += n
		o.at += n
		if f.u.Move || n == 0 {
			o.next += int(n)
			continue
		}
		f.out, f.sel = o.slice(int(n), f.sel)
		return &f.out, nil
	}
	return nil, io.EOF
}

// Moved says that the cursor could go where it was told to.
func (f *FetchOnce) Moved() bool { return f.begun }

// Passed is how many rows a MOVE has moved over.
func (f *FetchOnce) Passed() int64 { return f.moved }
