package goapi

import (
	"context"
	"io"
	"iter"
	"strconv"

	"github.com/saltsql/saltsql/internal/copyfmt"
	"github.com/saltsql/saltsql/internal/govalue"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// bindCopy makes the portal of a COPY statement. The caller closes it.
func bindCopy(ctx context.Context, s *session.Session, text string) (*session.Portal, error) {
	st, err := s.Prepare(ctx, text, nil)
	if err != nil {
		s.Settle()
		return nil, err
	}
	if st.Empty() {
		return nil, sqlerr.New(sqlerr.SyntaxError, "the statement is empty")
	}
	p, err := s.BindValues(ctx, st, nil)
	if err != nil {
		s.Settle()
		return nil, err
	}
	return p, nil
}

// copyIn runs a COPY … FROM STDIN with the rows that send writes, and gives how many rows
// were written. send gives the error that ends the rows early; one of Write it gives as
// written is true.
func copyIn(ctx context.Context, s *session.Session, text string, send func(*session.CopyIn) (written bool, err error)) (rows int64, err error) {
	p, err := bindCopy(ctx, s, text)
	if err != nil {
		return 0, err
	}
	defer s.Settle()
	defer p.Close()
	c := p.CopyIn()
	if c == nil {
		return 0, failed(s, sqlerr.New(sqlerr.SyntaxError, "the statement is not COPY … FROM STDIN"))
	}
	if written, err := send(c); err != nil {
		if !written {
			err = c.Abort(err)
		}
		return 0, ofContext(ctx, err)
	}
	if _, err := c.Finish(ctx); err != nil {
		return 0, ofContext(ctx, err)
	}
	return c.Written(), nil
}

// CopyFrom runs a COPY … FROM STDIN statement with the data of r and gives the
// number of rows written.
func CopyFrom(ctx context.Context, s *session.Session, text string, r io.Reader) (rows int64, err error) {
	return copyIn(ctx, s, text, func(c *session.CopyIn) (bool, error) {
		data := copyfmt.NewReader(r, c.Options(), c.Table(), copyColumns(c.Columns()), c.IOEnv())
		data.Books(c.Reserve)
		for {
			b, lines, err := data.Read()
			if err == io.EOF {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			if err := c.Write(ctx, b, lines); err != nil {
				return true, err
			}
		}
	})
}

// copyBatchBytes ends a batch of rows early, so that wide rows do not add up.
const copyBatchBytes = 4 << 20

// CopyRows is CopyFrom of Go values, by the rules of Query's arguments: one for each column
// of the statement. An error that the rows come with ends them, and nothing is written.
func CopyRows(ctx context.Context, s *session.Session, text string, rows iter.Seq2[[]any, error]) (n int64, err error) {
	return copyIn(ctx, s, text, func(c *session.CopyIn) (bool, error) {
		if o := c.Options(); o.Format != copyfmt.Text || o.Header != copyfmt.HeaderNone {
			return false, sqlerr.New(sqlerr.InvalidParameterValue, "COPY of Go values has no format").
				WithHint("Leave FORMAT and HEADER out, or give the data by a reader.")
		}
		cols := c.Columns()
		kinds := make([]types.T, len(cols))
		for i := range cols {
			kinds[i] = cols[i].Type
		}
		// While the statement writes one batch the next is filled.
		b, other := vec.NewBatch(kinds), vec.NewBatch(kinds)
		line, bytes := int64(0), int64(0)
		flush := func() error {
			if b.N == 0 {
				return nil
			}
			if err := c.Write(ctx, b, &copyfmt.Lines{First: line - int64(b.N) + 1}); err != nil {
				return err
			}
			b, other, bytes = other, b, 0
			b.N = 0
			return nil
		}
		for row, err := range rows {
			if err != nil {
				return false, err
			}
			if len(row) != len(cols) {
				return false, sqlerr.New(sqlerr.BadCopyFileFormat, "a row has %d values for %d columns", len(row), len(cols)).
					WithDetail("It is row %d.", line+1)
			}
			if b.N == 0 {
				for _, v := range b.Cols {
					v.Resize(vec.MaxRows)
				}
			}
			for i, v := range row {
				d, err := govalue.ToDatum(v, kinds[i], c.IOEnv())
				if err != nil {
					return false, govalue.OfValue(err, "row "+strconv.FormatInt(line+1, 10)+", column "+cols[i].Name)
				}
				bytes += d.Behind()
				b.Cols[i].Set(b.N, d)
			}
			line++
			if b.N++; b.N == vec.MaxRows || bytes >= copyBatchBytes {
				if err := flush(); err != nil {
					return true, err
				}
			}
		}
		if err := flush(); err != nil {
			return true, err
		}
		return false, nil
	})
}

// CopyTo runs a COPY … TO STDOUT statement, writes its data to w and gives the number of
// rows.
func CopyTo(ctx context.Context, s *session.Session, text string, w io.Writer) (rows int64, err error) {
	p, err := bindCopy(ctx, s, text)
	if err != nil {
		return 0, err
	}
	defer s.Settle()
	defer p.Close()
	o := p.CopyOut()
	if o == nil {
		return 0, failed(s, sqlerr.New(sqlerr.SyntaxError, "the statement is not COPY … TO STDOUT"))
	}
	out := copyfmt.NewWriter(o, copyColumns(p.Columns()), s.IOEnv())
	buf := out.AppendHeader(nil)
	for {
		b, err := p.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, ofContext(ctx, err)
		}
		for i := range b.Rows() {
			if buf, err = out.AppendRow(buf, b, b.Row(i)); err != nil {
				return 0, failed(s, err)
			}
			if len(buf) >= 64<<10 {
				if _, err := w.Write(buf); err != nil {
					return 0, failed(s, err)
				}
				buf = buf[:0]
			}
		}
		rows += int64(b.Rows())
	}
	if buf = out.AppendTrailer(buf); len(buf) > 0 {
		if _, err := w.Write(buf); err != nil {
			return 0, failed(s, err)
		}
	}
	return rows, nil
}

func copyColumns(cols []session.Column) []copyfmt.Column {
	out := make([]copyfmt.Column, len(cols))
	for i, c := range cols {
		out[i] = copyfmt.Column{Name: c.Name, Type: c.Type}
	}
	return out
}
