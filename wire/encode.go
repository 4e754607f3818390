package wire

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// encoder prints rows of vectors as DataRow messages.
//
//	'D' length:4 columns:2 { size:4 value }…      size -1: NULL
//
// Most types have a short way of their own; the others go through package types.
type encoder struct {
	cols    []columnEncoder
	env     *types.IOEnv
	reserve func(n int64) error // books n bytes of rows that are gathered
	booked  int64               // what it was last called with
}

// room books what the buffer takes to grow from have bytes by about more, where that is
// much: while it grows its old bytes are there too.
func (e *encoder) room(have int, more int64) error {
	if n := 2 * (int64(have) + more); more > flushBytes && n > e.booked && e.reserve != nil {
		if err := e.reserve(n); err != nil {
			return err
		}
		e.booked = n
	}
	return nil
}

// sent says that the buffer is empty.
func (e *encoder) sent() {
	if e.booked > 0 {
		e.booked = 0
		_ = e.reserve(0) // less cannot fail
	}
}

// columnEncoder appends the value in slot row, which is not NULL.
type columnEncoder func(dst []byte, v *vec.Vec, row int, e *encoder) ([]byte, error)

func (e *encoder) init(cols []session.Column, f formats, env *types.IOEnv) {
	e.env = env
	e.cols = e.cols[:0]
	for i := range cols {
		enc := textEncoder
		if f.binary(i) {
			enc = binaryEncoder
		}
		e.cols = append(e.cols, enc(cols[i].Type))
	}
}

func errRowTooLong(size int) error {
	return sqlerr.New(sqlerr.ProgramLimitExceeded, "a row of %d bytes is longer than the protocol allows (%d)", size, maxMessage)
}

func (e *encoder) appendRow(dst []byte, b *vec.Batch, row int) ([]byte, error) {
	start := len(dst)
	dst = append(dst, 'D', 0, 0, 0, 0)
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(e.cols)))
	for i, enc := range e.cols {
		v := b.Cols[i]
		if v.Nulls.Get(row) {
			dst = append(dst, 0xff, 0xff, 0xff, 0xff)
			continue
		}
		at := len(dst)
		dst = append(dst, 0, 0, 0, 0)
		out, err := enc(dst, v, row, e)
		if err != nil {
			return dst[:start], err
		}
		dst = out
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	size := len(dst) - start - 1
	if size > maxMessage {
		return dst[:start], errRowTooLong(size)
	}
	binary.BigEndian.PutUint32(dst[start+1:], uint32(size))
	return dst, nil
}

func textEncoder(t types.T) columnEncoder {
	switch t.Kind {
	case types.Int2, types.Int4, types.Int8:
		return func(dst []byte, v *vec.Vec, row int, _ *encoder) ([]byte, error) {
			return strconv.AppendInt(dst, v.Ints[row], 10), nil
		}
	case types.Text, types.Varchar, types.Name:
		return rawBytes
	case types.Bool:
		return func(dst []byte, v *vec.Vec, row int, _ *encoder) ([]byte, error) {
			if v.Bools[row] {
				return append(dst, 't'), nil
			}
			return append(dst, 'f'), nil
		}
	}
	return func(dst []byte, v *vec.Vec, row int, e *encoder) ([]byte, error) {
		d := v.Datum(row)
		if err := e.room(len(dst), 4*d.Behind()); err != nil {
			return dst, err
		}
		return types.AppendText(dst, v.Type, d, e.env), nil
	}
}

func rawBytes(dst []byte, v *vec.Vec, row int, e *encoder) ([]byte, error) {
	b := v.Bytes[row]
	if len(b) > flushBytes {
		if err := e.room(len(dst), int64(len(b))); err != nil {
			return dst, err
		}
	}
	return append(dst, b...), nil
}

func binaryEncoder(t types.T) columnEncoder {
	switch t.Kind {
	case types.Int2:
		return func(dst []byte, v *vec.Vec, row int, _ *encoder) ([]byte, error) {
			return binary.BigEndian.AppendUint16(dst, uint16(v.Ints[row])), nil
		}
	case types.Int4:
		return func(dst []byte, v *vec.Vec, row int, _ *encoder) ([]byte, error) {
			return binary.BigEndian.AppendUint32(dst, uint32(v.Ints[row])), nil
		}
	case types.Int8:
		return func(dst []byte, v *vec.Vec, row int, _ *encoder) ([]byte, error) {
			return binary.BigEndian.AppendUint64(dst, uint64(v.Ints[row])), nil
		}
	case types.Float4:
		return func(dst []byte, v *vec.Vec, row int, _ *encoder) ([]byte, error) {
			return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(v.Floats[row]))), nil
		}
	case types.Float8:
		return func(dst []byte, v *vec.Vec, row int, _ *encoder) ([]byte, error) {
			return binary.BigEndian.AppendUint64(dst, math.Float64bits(v.Floats[row])), nil
		}
	case types.Text, types.Varchar, types.Name, types.Bytea, types.UUID:
		return rawBytes
	}
	return func(dst []byte, v *vec.Vec, row int, e *encoder) ([]byte, error) {
		d := v.Datum(row)
		if err := e.room(len(dst), 2*d.Behind()); err != nil {
			return dst, err
		}
		return types.AppendBinary(dst, v.Type, d, e.env)
	}
}
