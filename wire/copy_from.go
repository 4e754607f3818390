package wire

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/copyfmt"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// copyFrom takes the rows of a COPY FROM STDIN from CopyData messages.
func (c *conn) copyFrom(in *session.CopyIn) (tag string, err error) {
	if err := in.Allowed(); err != nil {
		return "", in.Abort(err)
	}
	cols := copyColumns(in.Columns())
	c.sendNotices()
	c.out.send(&pgproto3.CopyInResponse{
		OverallFormat: byte(copyFormat(in.Options())), ColumnFormatCodes: copyFormats(in.Options(), len(cols)),
	})
	if err := c.out.flush(); err != nil {
		return "", err
	}
	data := &copyData{c: c}
	if limit := c.sess.Timeouts().Statement; limit > 0 {
		data.until = time.Now().Add(limit)
	}
	if err := c.copyRows(in, data, cols); err != nil {
		return "", in.Abort(err)
	}
	return in.Finish(c.state.ctx)
}

func (c *conn) copyRows(in *session.CopyIn, data io.Reader, cols []copyfmt.Column) error {
	rows := copyfmt.NewReader(data, in.Options(), in.Table(), cols, in.IOEnv())
	rows.Books(in.Reserve)
	for {
		batch, lines, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = c.state.err()
		}
		if err == nil {
			err = in.Write(c.state.ctx, batch, lines)
		}
		if err != nil {
			return err
		}
	}
}

// copyData reads the contents of CopyData messages up to CopyDone.
type copyData struct {
	c     *conn
	rest  []byte // of the message at hand
	done  bool
	until time.Time // statement_timeout; zero is none
}

func (d *copyData) Read(p []byte) (int, error) {
	for len(d.rest) == 0 {
		if d.done {
			return 0, io.EOF
		}
		if err := d.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

func (d *copyData) next() error {
	if !d.until.IsZero() {
		d.c.state.deadline(d.until)
	}
	typ, body, err := d.c.in.message(d.c.srv.limit)
	if err != nil {
		return d.lost(err)
	}
	if d.c.in.refused != nil {
		return d.c.in.refused
	}
	switch typ {
	case msgCopyData:
		d.rest = body
		return nil
	case msgCopyDone:
		d.done = true
		return nil
	case msgCopyFail:
		m := message{body: body}
		return sqlerr.New(sqlerr.QueryCanceled, "COPY from stdin failed: %s", m.cstring())
	case msgFlush, msgSync:
		return nil // allowed, and without meaning here
	case msgTerminate:
		return &lostError{errTerminate}
	}
	return sqlerr.New(sqlerr.ProtocolViolation, "unexpected message type 0x%02X during COPY from stdin", typ)
}

// lost tells a wait that was ended by a cancel or a timeout from a client that went
// away.
func (d *copyData) lost(err error) error {
	if sqlerr.As(err) != nil {
		fatal := *sqlerr.As(err)
		fatal.Severity = sqlerr.SeverityFatal
		return &fatal
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if cause := d.c.state.err(); cause != nil {
			return cause
		}
		return sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to statement timeout")
	}
	return &lostError{err}
}

func copyColumns(cols []session.Column) []copyfmt.Column {
	out := make([]copyfmt.Column, len(cols))
	for i := range cols {
		out[i] = copyfmt.Column{Name: cols[i].Name, Type: cols[i].Type}
	}
	return out
}

func copyFormat(o *copyfmt.Options) uint16 {
	if o.Format == copyfmt.Binary {
		return 1
	}
	return 0
}

func copyFormats(o *copyfmt.Options, n int) []uint16 {
	f := make([]uint16, n)
	for i := range f {
		f[i] = copyFormat(o)
	}
	return f
}
