package wire

import (
	"io"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/session"
)

const (
	// flushBytes is how much is gathered before it is written.
	flushBytes = 64 << 10
	// keepOut is the largest write buffer an idle connection keeps.
	keepOut = 16 << 10
)

// writer gathers messages and writes them in large pieces. An error sticks.
type writer struct {
	dst io.Writer
	buf []byte
	err error
}

// send appends a message of the rarer kinds; rows are appended by encoder.
func (w *writer) send(m pgproto3.BackendMessage) {
	buf, err := m.Encode(w.buf)
	if err != nil {
		if w.err == nil {
			w.err = err
		}
		return
	}
	w.buf = buf
}

// ready appends ReadyForQuery.
func (w *writer) ready(status session.TxStatus) {
	w.buf = append(w.buf, 'Z', 0, 0, 0, 5, byte(status))
}

// plain appends a message without a body.
func (w *writer) plain(typ byte) { w.buf = append(w.buf, typ, 0, 0, 0, 4) }

// room writes what is gathered if that is enough for a large write.
func (w *writer) room() error {
	if len(w.buf) < flushBytes {
		return w.err
	}
	return w.flush()
}

// flush writes all that is gathered.
func (w *writer) flush() error {
	if w.err == nil && len(w.buf) > 0 {
		if _, err := w.dst.Write(w.buf); err != nil {
			w.err = &lostError{err}
		}
	}
	if cap(w.buf) > 2*flushBytes {
		w.buf = nil
	}
	w.buf = w.buf[:0]
	return w.err
}

// shrink gives memory back before a wait.
func (w *writer) shrink() {
	if cap(w.buf) > keepOut && len(w.buf) == 0 {
		w.buf = nil
	}
}
