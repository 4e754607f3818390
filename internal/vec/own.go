package vec

import (
	"unsafe"

	"github.com/saltsql/saltsql/internal/poison"
)

// Byte values that a vector owns lie one behind another in Buf. Where one does not fit a
// larger Buf follows, up to maxChunk, and those that came before stay where they are;
// large ones have memory of their own. So a value is copied once at most, and what a
// batch leaves for the next is as large as a batch needs, but no larger than maxChunk.
const (
	maxChunk  = 1 << 20
	alone     = 256 << 10
	leastGrow = 64
)

// Tail is free memory of v, empty: what is appended to it is given to Keep.
func (v *Vec) Tail() []byte { return v.Buf[len(v.Buf):] }

// Keep makes b, something appended to Tail, the value of slot i. It is true if that has
// taken memory.
func (v *Vec) Keep(i int, b []byte) (grown bool) {
	n := len(v.Buf)
	if len(b) > cap(v.Buf)-n || unsafe.SliceData(b) != unsafe.SliceData(v.Buf[n:]) {
		v.Bytes[i] = v.chunk(b)
		return true
	}
	v.Buf = v.Buf[:n+len(b)]
	v.Bytes[i] = b[:len(b):len(b)]
	return false
}

// chunk gives memory to a value that did not fit into Buf.
func (v *Vec) chunk(b []byte) []byte {
	switch {
	case cap(v.Buf) == 0 && cap(b) < alone:
		v.Buf = b
	case cap(b) >= alone:
		v.held += int64(cap(b))
	default:
		v.held += int64(cap(v.Buf))
		v.Buf = append(make([]byte, 0, max(len(b), min(2*cap(v.Buf), maxChunk), leastGrow)), b...)
		b = v.Buf
	}
	return b[:len(b):len(b)]
}

// SetBytes copies b into v's own memory and puts it into slot i.
func (v *Vec) SetBytes(i int, b []byte) { v.Keep(i, append(v.Tail(), b...)) }

// Hold counts n bytes that values take beside Buf: those of arrays, or memory of their
// own.
func (v *Vec) Hold(n int64) { v.held += n }

// Own is how many bytes v's values take that nobody else has.
func (v *Vec) Own() int64 { return v.held + int64(cap(v.Buf)) }

// EmptyBuf empties Buf and lets go of what is beside it: values in them are void.
func (v *Vec) EmptyBuf() {
	poison.Bytes(v.Buf)
	v.Buf = v.Buf[:0]
	if v.held > 0 {
		v.held = 0
		clear(v.Bytes[:cap(v.Bytes)])
		clear(v.Arrays[:cap(v.Arrays)])
		clear(v.Decimals[:cap(v.Decimals)])
	}
}
