package wire

import (
	"encoding/binary"
	"log/slog"
	"time"

	"github.com/saltsql/saltsql/internal/session"
)

// rowDescription appends the description of a result's columns.
func (c *conn) rowDescription(cols []session.Column, f formats) {
	buf := append(c.out.buf, 'T', 0, 0, 0, 0)
	at := len(buf) - 4
	buf = binary.BigEndian.AppendUint16(buf, uint16(len(cols)))
	for i := range cols {
		col := &cols[i]
		buf = append(buf, clean(col.Name)...)
		buf = append(buf, 0)
		buf = binary.BigEndian.AppendUint32(buf, col.TableOID)
		buf = binary.BigEndian.AppendUint16(buf, uint16(col.Attnum))
		buf = binary.BigEndian.AppendUint32(buf, col.Type.OID())
		buf = binary.BigEndian.AppendUint16(buf, uint16(col.Type.Len()))
		buf = binary.BigEndian.AppendUint32(buf, uint32(col.Type.Typmod()))
		format := uint16(0)
		if f.binary(i) {
			format = 1
		}
		buf = binary.BigEndian.AppendUint16(buf, format)
	}
	binary.BigEndian.PutUint32(buf[at:], uint32(len(buf)-at))
	c.out.buf = buf
}

func (c *conn) commandComplete(tag string) {
	c.sendNotices()
	buf := append(c.out.buf, 'C', 0, 0, 0, 0)
	binary.BigEndian.PutUint32(buf[len(buf)-4:], uint32(4+len(tag)+1))
	c.out.buf = append(append(buf, tag...), 0)
}

// shownStatement is how much of a statement goes to the log.
const shownStatement = 1000

// clock is the time where statements are logged: few are, and a clock is not free.
func (c *conn) clock() (now time.Time) {
	if c.log.Enabled(c.state.ctx, slog.LevelDebug) {
		now = time.Now()
	}
	return now
}

// logStatement writes one line per statement at debug level, where start is the
// clock's. Parameters are not logged.
func (c *conn) logStatement(step string, text []byte, start time.Time, err error) {
	if start.IsZero() {
		return
	}
	if len(text) > shownStatement {
		text = append(text[:shownStatement:shownStatement], "…"...)
	}
	c.log.Debug(step, "statement", string(text), "duration", time.Since(start), "ok", err == nil)
}
