package rowcodec

import (
	"encoding/binary"
	"math"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Arrays are Phoenix's. Of fixed-width elements: the elements back to back. Of others:
//
//	['a', NULL, NULL, 'b']
//	61 00 | 00 FE | 62 00 | 00 00 | 8001 8003 8003 8005 | 00000008 | 00000004 | 01
//	'a'     2 NULLs 'b'     end     offsets, biased        their pos  count     version
//
// An element ends in 00; k NULLs are 00, then k/255 bytes 01, then NOT(k%255-1)
// where k%255 is not 0, and share one offset; NULLs at the end write nothing. A value
// thus always ends in 00 where a run of NULLs never does. Offsets are int32,
// unbiased, and the count is negative, where the last exceeds 65534. The
// empty array is no bytes. What Phoenix has not is in array_wide.go.
const (
	arrayVersion    = 1
	arrayTrailer    = 9 // position, count, version
	offsetBias      = 32767
	maxShortOffset  = 65534
	maxArrayElems   = 1 << 27
	elemSeparator   = 0
	nullRunLength   = 255
	endMarkerLength = 2
)

// elem is the column that an element of c would be.
func (c *Column) elem() Column {
	return Column{Type: c.Elem, Width: c.Width, SQL: c.SQL.ElemType(), Phoenix: c.Phoenix}
}

func (c *Column) appendArray(dst []byte, a *types.ArrayValue) ([]byte, error) {
	if a == nil {
		return dst, mismatch(c)
	}
	if len(a.Elems) == 0 {
		return dst, nil
	}
	el := c.elem()
	if wideArray(&el, a) {
		return c.appendWideArray(dst, &el, a)
	}
	if el.FixedWidth() > 0 {
		return appendFixedArray(dst, &el, a.Elems)
	}
	return appendVarArray(dst, &el, a.Elems)
}

// appendFixedArray appends those of elems that are not NULL.
func appendFixedArray(dst []byte, el *Column, elems []types.Datum) ([]byte, error) {
	for _, d := range elems {
		if d.Null {
			continue
		}
		var err error
		if dst, err = appendScalar(dst, el, d); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func appendVarArray(dst []byte, el *Column, elems []types.Datum) ([]byte, error) {
	base := len(dst)
	offsets := make([]int32, 0, len(elems))
	nulls := 0
	for _, d := range elems {
		if d.Null {
			offsets = append(offsets, int32(len(dst)-base))
			nulls++
			continue
		}
		if nulls > 0 {
			// NULLs of a run share the offset of the run.
			dst = appendNullRun(dst, nulls)
			nulls = 0
		}
		offsets = append(offsets, int32(len(dst)-base))
		var err error
		if dst, err = appendScalar(dst, el, d); err != nil {
			return dst, err
		}
		dst = append(dst, elemSeparator)
		if len(dst)-base > math.MaxInt32/2 {
			return dst, sqlerr.New(sqlerr.ProgramLimitExceeded, "array of %d bytes is too large to store", len(dst)-base)
		}
	}
	dst = append(dst, 0, 0)
	pos, count := len(dst)-base, len(elems)
	if offsets[count-1] <= maxShortOffset {
		for _, o := range offsets {
			dst = binary.BigEndian.AppendUint16(dst, uint16(o-offsetBias))
		}
	} else {
		for _, o := range offsets {
			dst = binary.BigEndian.AppendUint32(dst, uint32(o))
		}
		count = -count
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(pos))
	dst = binary.BigEndian.AppendUint32(dst, uint32(int32(count)))
	return append(dst, arrayVersion), nil
}

func appendNullRun(dst []byte, n int) []byte {
	dst = append(dst, elemSeparator)
	for ; n >= nullRunLength; n -= nullRunLength {
		dst = append(dst, 1)
	}
	if n > 0 {
		dst = append(dst, ^byte(n-1))
	}
	return dst
}

// offsetTable reads the trailer that arrays and packed cells share: an offset table,
// its position, the count and a version.
type offsetTable struct {
	b     []byte
	pos   int // of the table: where the data ends
	count int
	wide  bool
	bias  int32
}

func readOffsetTable(b []byte, version byte) (t offsetTable, ok bool) {
	if len(b) < arrayTrailer || b[len(b)-1] != version {
		return t, false
	}
	tail := b[len(b)-arrayTrailer:]
	pos := int64(int32(binary.BigEndian.Uint32(tail)))
	count := int64(int32(binary.BigEndian.Uint32(tail[4:])))
	size := int64(2)
	if count < 0 {
		count, size, t.wide = -count, 4, true
	}
	if pos < 0 || count > maxArrayElems || pos+count*size != int64(len(b)-arrayTrailer) {
		return t, false
	}
	t.b, t.pos, t.count = b, int(pos), int(count)
	return t, true
}

// at gives offset i as it stands in the table.
func (t *offsetTable) at(i int) int32 {
	if t.wide {
		return int32(binary.BigEndian.Uint32(t.b[t.pos+4*i:]))
	}
	return int32(int16(binary.BigEndian.Uint16(t.b[t.pos+2*i:]))) + t.bias
}

// splitArray calls f for the bytes of each element, nil for NULL; false where the
// bytes are not an array.
func splitArray(el *Column, b []byte, f func(i int, elem []byte) error) (n int, ok bool, err error) {
	if len(b) == 0 {
		return 0, true, nil
	}
	if w := el.FixedWidth(); w > 0 {
		if len(b)%w != 0 {
			return 0, false, nil
		}
		for i := range len(b) / w {
			if err := f(i, b[i*w:(i+1)*w:(i+1)*w]); err != nil {
				return 0, true, err
			}
		}
		return len(b) / w, true, nil
	}
	t, ok := readOffsetTable(b, arrayVersion)
	if !ok || t.pos < endMarkerLength || t.count == 0 {
		return 0, false, nil
	}
	if !t.wide {
		t.bias = offsetBias
	}
	end := int32(t.pos - endMarkerLength)
	lo := t.at(0)
	for i := range t.count {
		hi := end
		if i+1 < t.count {
			hi = t.at(i + 1)
		}
		if lo < 0 || hi < lo || hi > end {
			return 0, false, nil
		}
		var elem []byte
		if hi > lo && b[hi-1] == elemSeparator {
			elem = b[lo : hi-1 : hi-1]
		}
		if err := f(i, elem); err != nil {
			return 0, true, err
		}
		lo = hi
	}
	return t.count, true, nil
}
