package wire

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// framed gives a message of a type with a body of n zero bytes.
func framed(typ byte, n int) io.Reader {
	head := binary.BigEndian.AppendUint32([]byte{typ}, uint32(n+4))
	return io.MultiReader(&sliceReader{head}, io.LimitReader(zeros{}, int64(n)))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type sliceReader struct{ b []byte }

func (r *sliceReader) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.b)
	r.b = r.b[n:]
	return n, nil
}

// TestRefusedMessages asserts that a message that cannot be served is not kept, whatever
// its length, and that the one behind it is read.
func TestRefusedMessages(t *testing.T) {
	full := sqlerr.New(sqlerr.OutOfMemory, "out of memory")
	for _, c := range []struct {
		typ  byte
		size int
		code sqlerr.Code
	}{
		{msgQuery, session.MaxStatementSize + smallMessage + 1, sqlerr.ProgramLimitExceeded},
		{msgParse, maxMessage, sqlerr.ProgramLimitExceeded},
		{msgBind, 100 << 20, sqlerr.OutOfMemory},
		{msgCopyData, 100 << 20, sqlerr.OutOfMemory},
	} {
		r := reader{
			src:     io.MultiReader(framed(c.typ, c.size), framed(msgSync, 0)),
			reserve: func(n int64) error { return full },
		}
		limit := func(byte) int { return maxMessage }
		typ, body, err := r.message(limit)
		if err != nil || typ != c.typ || len(body) > 0 || r.refused == nil || r.refused.Code != c.code {
			t.Fatalf("%c: %c, %d bytes, %v, %v", c.typ, typ, len(body), r.refused, err)
		}
		if len(r.buf) > keepBytes {
			t.Errorf("%c: %d bytes are kept", c.typ, len(r.buf))
		}
		if typ, _, err := r.message(limit); typ != msgSync || err != nil || r.refused != nil {
			t.Fatalf("%c: then %c, %v, %v", c.typ, typ, r.refused, err)
		}
		if _, _, err := r.message(limit); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
}

// TestReservedMessages asserts that the memory of a large message is asked for, and given
// back.
func TestReservedMessages(t *testing.T) {
	var held int64
	r := reader{
		src:     io.MultiReader(framed(msgBind, 3*largeMessage), framed(msgSync, 0)),
		reserve: func(n int64) error { held = n; return nil },
	}
	limit := func(byte) int { return maxMessage }
	if _, body, err := r.message(limit); err != nil || len(body) != 3*largeMessage || held < int64(len(r.buf)) {
		t.Fatal(len(body), err, held, len(r.buf))
	}
	r.shrink()
	if typ, _, err := r.message(limit); err != nil || typ != msgSync || held != 0 {
		t.Fatal(typ, err, held)
	}
}
