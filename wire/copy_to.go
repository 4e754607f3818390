package wire

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/copyfmt"
)

// copyTo sends the rows of a COPY TO STDOUT, one CopyData message each.
func (c *conn) copyTo(p portal, o *copyfmt.Options) (tag string, err error) {
	cols := copyColumns(p.Columns())
	w := copyfmt.NewWriter(o, cols, c.sess.IOEnv())
	c.out.send(&pgproto3.CopyOutResponse{
		OverallFormat: byte(copyFormat(o)), ColumnFormatCodes: copyFormats(o, len(cols)),
	})
	// In the binary format the header is part of the first message.
	start := c.copyBegin()
	c.out.buf = w.AppendHeader(c.out.buf)
	if o.Format != copyfmt.Binary {
		c.copyEnd(start)
		start = c.copyBegin()
	}
	n, err := c.copyOutRows(p, w, start)
	if err != nil {
		return "", err
	}
	c.out.plain('c') // CopyDone
	return p.Tag(n), nil
}

// copyOutRows sends the rows and the trailer; the message for the first is begun
// at start.
func (c *conn) copyOutRows(p portal, w *copyfmt.Writer, start int) (sent int64, err error) {
	defer func() {
		if err != nil {
			c.out.buf = c.out.buf[:start]
		}
	}()
	for {
		if err := c.state.err(); err != nil {
			return 0, err
		}
		batch, err := p.Next(context.Background())
		if err == io.EOF {
			c.out.buf = w.AppendTrailer(c.out.buf)
			c.copyEnd(start)
			return sent, nil
		}
		if err != nil {
			return 0, err
		}
		for i := range batch.Rows() {
			buf, err := w.AppendRow(c.out.buf, batch, batch.Row(i))
			if err != nil {
				return 0, err
			}
			c.out.buf = buf
			c.copyEnd(start)
			sent++
			if err := c.out.room(); err != nil {
				return 0, err
			}
			start = c.copyBegin()
		}
	}
}

// copyBegin starts a CopyData message and says where.
func (c *conn) copyBegin() int {
	c.out.buf = append(c.out.buf, 'd', 0, 0, 0, 0)
	return len(c.out.buf) - 5
}

// copyEnd ends the message begun at start; an empty one is not sent.
func (c *conn) copyEnd(start int) {
	if len(c.out.buf) == start+5 {
		c.out.buf = c.out.buf[:start]
		return
	}
	binary.BigEndian.PutUint32(c.out.buf[start+1:], uint32(len(c.out.buf)-start-1))
}
