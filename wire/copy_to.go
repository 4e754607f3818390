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
	n, err := c.copyOutRows(p, w)
	if err != nil {
		return "", err
	}
	c.copyMessage(w.AppendTrailer)
	c.out.plain('c') // CopyDone
	return p.Tag(n), nil
}

func (c *conn) copyOutRows(p portal, w *copyfmt.Writer) (sent int64, err error) {
	c.copyMessage(w.AppendHeader)
	for {
		if err := c.state.err(); err != nil {
			return 0, err
		}
		batch, err := p.Next(context.Background())
		c.sendNotices()
		if err == io.EOF {
			return sent, nil
		}
		if err != nil {
			return 0, err
		}
		for i := range batch.Rows() {
			start := len(c.out.buf)
			buf := append(c.out.buf, 'd', 0, 0, 0, 0)
			if buf, err = w.AppendRow(buf, batch, batch.Row(i)); err != nil {
				return 0, err
			}
			binary.BigEndian.PutUint32(buf[start+1:], uint32(len(buf)-start-1))
			c.out.buf = buf
			sent++
			if err := c.out.room(); err != nil {
				return 0, err
			}
		}
	}
}

// copyMessage sends what add appends, if that is anything.
func (c *conn) copyMessage(add func([]byte) []byte) {
	start := len(c.out.buf)
	buf := add(append(c.out.buf, 'd', 0, 0, 0, 0))
	if len(buf) == start+5 {
		return
	}
	binary.BigEndian.PutUint32(buf[start+1:], uint32(len(buf)-start-1))
	c.out.buf = buf
}
