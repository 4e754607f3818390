package wire

import (
	"encoding/binary"
	"io"

	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

const (
	readBytes = 8 << 10
	// keepBytes is the largest read buffer an idle connection keeps.
	keepBytes = 64 << 10
)

// reader cuts a client's bytes into messages. Memory is taken as bytes arrive,
// not as a length promises them, and a read that fails on a deadline loses nothing.
type reader struct {
	src  io.Reader
	buf  []byte
	r, w int // buf[r:w] is unread

	// reserve, once there is a session, is asked for the memory of a large message, and
	// told 0 when that is free again.
	reserve  func(n int64) error
	reserved bool
	skip     int           // bytes of a refused message still to come
	skipped  byte          // its type
	refused  *sqlerr.Error // the message at hand was not read, for this
}

// largeMessage is from when on memory is asked for.
const largeMessage = 1 << 20

// need makes n unread bytes available. io.EOF where the data ends before the first,
// io.ErrUnexpectedEOF where it ends within them.
func (r *reader) need(n int) error {
	for r.w-r.r < n {
		if r.w == len(r.buf) {
			r.makeRoom(n)
		}
		k, err := r.src.Read(r.buf[r.w:])
		r.w += k
		if err != nil && r.w-r.r < n {
			if err == io.EOF && r.w > r.r {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

func (r *reader) makeRoom(n int) {
	unread := r.buf[r.r:r.w]
	switch {
	case len(unread) == 0 && len(r.buf) > keepBytes && n <= keepBytes:
		r.buf = make([]byte, readBytes)
	case r.r > 0 && len(unread) <= len(r.buf)/2:
	default:
		r.buf = make([]byte, max(readBytes, 2*len(r.buf)))
	}
	r.w = copy(r.buf, unread)
	r.r = 0
}

func (r *reader) take(n int) []byte {
	b := r.buf[r.r : r.r+n]
	r.r += n
	if r.r == r.w && len(r.buf) <= keepBytes {
		// The bytes handed out stay valid until the next need.
		r.r, r.w = 0, 0
	}
	return b
}

// shrink gives up the memory of a large message that is done with.
func (r *reader) shrink() {
	if r.r == r.w && len(r.buf) > keepBytes {
		r.buf, r.r, r.w = make([]byte, readBytes), 0, 0
	}
}

// buffered says that bytes wait to be read.
func (r *reader) buffered() bool { return r.w > r.r }

// whole says that the next message can be had without reading, or is not one.
func (r *reader) whole() bool {
	return r.w-r.r >= 5 && uint32(r.w-r.r) > binary.BigEndian.Uint32(r.buf[r.r+1:])
}

// message gives the next message's type and body; the body is valid until the
// next call. limit gives the longest body of a type. A bad length is 08P01, and fatal:
// where the next message starts is lost. A message that there is no memory for, or whose
// text no parser takes, is passed over as it comes; its body is empty and refused says why.
func (r *reader) message(limit func(typ byte) int) (typ byte, body []byte, err error) {
	poison.Bytes(r.buf[:r.r])
	if r.reserved && len(r.buf) <= keepBytes {
		r.reserved = false
		_ = r.reserve(0) // less cannot fail
	}
	if r.skip > 0 {
		return r.passOver()
	}
	r.refused = nil
	if err := r.need(5); err != nil {
		return 0, nil, err
	}
	typ = r.buf[r.r]
	n := int(int32(binary.BigEndian.Uint32(r.buf[r.r+1:]))) - 4
	if n < 0 || n > limit(typ) {
		return 0, nil, sqlerr.New(sqlerr.ProtocolViolation, "invalid message length")
	}
	if n > largeMessage && r.w-r.r < 5+n {
		if r.refused = r.refuse(typ, n); r.refused != nil {
			r.skip, r.skipped = 5+n, typ
			return r.passOver()
		}
	}
	if err := r.need(5 + n); err != nil {
		return 0, nil, err
	}
	return typ, r.take(5 + n)[5:], nil
}

// refuse says why a large message is not read; nil if it is.
func (r *reader) refuse(typ byte, n int) *sqlerr.Error {
	if (typ == msgQuery || typ == msgParse) && n > session.MaxStatementSize+smallMessage {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "statement is too long: a message of %d bytes, the limit is %d", n, session.MaxStatementSize).
			WithHint("Send the values as parameters, or load them with COPY.")
	}
	if r.reserve == nil {
		return nil
	}
	if err := r.reserve(2 * int64(n)); err != nil {
		return sqlerr.As(err)
	}
	r.reserved = true
	return nil
}

// passOver drops a refused message. It goes on where a deadline has cut it off.
func (r *reader) passOver() (typ byte, body []byte, err error) {
	for r.skip > 0 {
		if r.w == r.r {
			r.r, r.w = 0, 0
			if len(r.buf) == 0 {
				r.buf = make([]byte, readBytes)
			}
			if r.w, err = r.src.Read(r.buf); r.w == 0 && err != nil {
				if err == io.EOF {
					err = io.ErrUnexpectedEOF
				}
				return 0, nil, err
			}
		}
		n := min(r.skip, r.w-r.r)
		r.r += n
		r.skip -= n
	}
	return r.skipped, nil, nil
}

// startup gives the body of a packet that has no type: the first ones of a
// connection.
func (r *reader) startup() ([]byte, error) {
	if err := r.need(4); err != nil {
		return nil, err
	}
	n := int(int32(binary.BigEndian.Uint32(r.buf[r.r:])))
	if n < 8 || n > smallMessage {
		return nil, sqlerr.New(sqlerr.ProtocolViolation, "invalid length of startup packet")
	}
	if err := r.need(n); err != nil {
		return nil, err
	}
	return r.take(n)[4:], nil
}

// loneExecute says that the bytes at hold show a Sync before any other
// statement.
func (r *reader) loneExecute() bool {
	for at := r.r; r.w-at >= 5; {
		switch r.buf[at] {
		case msgSync:
			return true
		case msgClose, msgDescribe, msgFlush:
			at += 1 + int(binary.BigEndian.Uint32(r.buf[at+1:]))
		default:
			return false
		}
		if at > r.w {
			return false
		}
	}
	return false
}
