package wire

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/copyfmt"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// sendCopy sends the rows of a COPY TO STDOUT, one CopyData message each.
func (c *conn) sendCopy(p *session.Portal, o *copyfmt.Options) (tag string, err error) {
	// What fails before there is a row, as for want of rights, is told without CopyOutResponse.
	first, err := p.Next(context.Background())
	if err != nil && err != io.EOF {
		return "", err
	}
	cols := copyColumns(p.Columns())
	w := copyfmt.NewWriter(o, cols, c.sess.IOEnv())
	c.out.send(&pgproto3.CopyOutResponse{
		OverallFormat: byte(copyFormat(o)), ColumnFormatCodes: copyFormats(o, len(cols)),
	})
	out := copyTo{c: c, w: w, header: w.AppendHeader(nil)}
	if o.Format != copyfmt.Binary && len(out.header) > 0 {
		if err := out.message(nil); err != nil {
			return "", err
		}
	}
	n, err := out.rows(p, first, err)
	if err != nil {
		return "", err
	}
	c.out.plain('c') // CopyDone
	return p.Tag(n), nil
}

// copyTo is the way of rows into CopyData messages. A message is begun only once its
// contents are there: the engine may have the connection tell of a wait at any moment
// before.
type copyTo struct {
	c *conn
	w *copyfmt.Writer
	// header stands at the start of the first message: with a row in the binary format,
	// alone in the others.
	header []byte
}

// rows sends the rows and the trailer, and gives how many rows there were. batch and err are what
// the portal has given first.
func (o *copyTo) rows(p *session.Portal, batch *vec.Batch, err error) (sent int64, _ error) {
	for ; ; batch, err = p.Next(context.Background()) {
		if err := o.c.state.err(); err != nil {
			return 0, err
		}
		if err == io.EOF {
			return sent, o.message(func(dst []byte) ([]byte, error) { return o.w.AppendTrailer(dst), nil })
		}
		if err != nil {
			return 0, err
		}
		for i := range batch.Rows() {
			if err := o.book(batch, batch.Row(i)); err != nil {
				return 0, err
			}
			err := o.message(func(dst []byte) ([]byte, error) { return o.w.AppendRow(dst, batch, batch.Row(i)) })
			o.c.enc.sent()
			if err != nil {
				return 0, err
			}
			sent++
		}
	}
}

// book books the text of a row, where that is long.
func (o *copyTo) book(b *vec.Batch, row int) error {
	var n int64
	for _, v := range b.Cols {
		if v.Nulls.Get(row) {
			continue
		}
		switch v.Type.Phys() {
		case types.PhysBytes:
			n += 2 * int64(len(v.Bytes[row]))
		case types.PhysArray, types.PhysDecimal:
			d := v.Datum(row)
			n += 4 * d.Behind()
		}
	}
	o.c.enc.reserve = o.c.sess.ReserveRows
	return o.c.enc.room(len(o.c.out.buf), n)
}

// message sends one CopyData message of the header, if it is still due, and what
// contents appends; an empty one is not sent.
func (o *copyTo) message(contents func(dst []byte) ([]byte, error)) error {
	out := &o.c.out
	start := len(out.buf)
	buf := append(append(out.buf, 'd', 0, 0, 0, 0), o.header...)
	if contents != nil {
		var err error
		if buf, err = contents(buf); err != nil {
			return err // out.buf still ends at start
		}
	}
	o.header = nil
	size := len(buf) - start - 1
	if size > maxMessage {
		return errRowTooLong(size)
	}
	if size > 4 {
		binary.BigEndian.PutUint32(buf[start+1:], uint32(size))
		out.buf = buf
	}
	return out.room()
}
