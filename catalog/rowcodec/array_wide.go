package rowcodec

import (
	"encoding/binary"
	"math/bits"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// PostgreSQL's arrays have more dimensions than one, lower bounds, and NULLs among elements of
// fixed width, which Phoenix's have not. Such an array ends in its shape:
//
//	smallint {1,NULL,3}     8001 8003 | 02 | 00000003 00000001 | 81 E1
//	                        1    3      the 2nd is NULL; length, lower bound
//	text {{a},{b}}          6100 6200 0000 … 01 | 00000002 00000001 00000001 00000001 | 02 E1
//	                        Phoenix's array of the elements, row by row
//
// Of fixed-width elements those that are not NULL stand back to back, behind them a bit for
// each element, 1 for NULL and the first in the lowest, if there are NULLs. Of the last byte
// but one the low bits count the dimensions, 80 says that there are NULLs, and 40 that a
// zero byte is before it, by which the length is never a multiple of the width: that is how
// such an array is told from Phoenix's, which has no byte behind its elements. Elements of
// one byte are told by the last, E1, which is neither a boolean nor a character of CHAR(1);
// of other types of one byte there are no such arrays.
const (
	arrayWide      = 0xE1
	arrayWideNulls = 0x80
	arrayWidePad   = 0x40
	arrayWideDims  = 0x07
	arrayWideTail  = 2
	arrayDimBytes  = 8
)

// wideArray says that Phoenix has no such array.
func wideArray(el *Column, a *types.ArrayValue) bool {
	return len(a.Dims) > 1 || a.Low != 0 || el.FixedWidth() > 0 && hasNull(a.Elems)
}

func hasNull(elems []types.Datum) bool {
	for i := range elems {
		if elems[i].Null {
			return true
		}
	}
	return false
}

// mayBeWide says that wide arrays of el can be told from others.
func mayBeWide(el *Column) bool {
	return el.FixedWidth() != 1 || el.Type == Boolean || el.Type == Char
}

// refuseWide says what is wrong with an array that cannot be stored.
func refuseWide(el *Column, a *types.ArrayValue) error {
	where := "in an array of " + el.Type.String()
	if el.Phoenix {
		where = "in an array of a table of Phoenix"
	}
	switch {
	case len(a.Dims) > 1:
		return sqlerr.Unsupported("more than one dimension "+where+" is not supported", "Store one row per inner array, or a jsonb column.")
	case a.Low != 0:
		return sqlerr.Unsupported("lower bounds other than 1 "+where+" are not supported",
			"Make a new array of the elements: ARRAY(SELECT unnest(…)), or array_agg.")
	}
	return sqlerr.New(sqlerr.NullValueNotAllowed, "NULL %s cannot be stored", where).
		WithHint("Use an array of text or numeric, whose elements may be NULL, or of smallint in a table of your own.")
}

func (c *Column) appendWideArray(dst []byte, el *Column, a *types.ArrayValue) (_ []byte, err error) {
	if c.Phoenix || !mayBeWide(el) {
		return dst, refuseWide(el, a)
	}
	base, width, tail := len(dst), el.FixedWidth(), byte(max(len(a.Dims), 1))
	if width == 0 {
		dst, err = appendVarArray(dst, el, a.Elems)
	} else {
		dst, err = appendFixedArray(dst, el, a.Elems)
	}
	if err != nil {
		return dst, err
	}
	if width > 0 && hasNull(a.Elems) {
		tail |= arrayWideNulls
		at := len(dst)
		dst = appendPad(dst, 0, (len(a.Elems)+7)/8)
		for i := range a.Elems {
			if a.Elems[i].Null {
				dst[at+i/8] |= 1 << (i % 8)
			}
		}
	}
	dims := a.Dims
	if dims == nil {
		dims = []int32{int32(len(a.Elems))}
	}
	for _, n := range dims {
		dst = binary.BigEndian.AppendUint32(dst, uint32(n))
		dst = binary.BigEndian.AppendUint32(dst, uint32(a.Low+1))
	}
	if width > 1 && (len(dst)-base+arrayWideTail)%width == 0 {
		dst, tail = append(dst, 0), tail|arrayWidePad
	}
	return append(dst, tail, arrayWide), nil
}

// arrayShape is what stands behind the elements of a wide array.
type arrayShape struct {
	dims  []int32
	low   int32
	nulls []byte // a bit for each element; nil where no element of fixed width is NULL
	count int
}

// null says that element i is NULL, of fixed width.
func (s *arrayShape) null(i int) bool { return s.nulls != nil && s.nulls[i/8]>>(i%8)&1 != 0 }

// splitShape takes the shape off an array of el; wide is false for an array of Phoenix, which
// is b then, and ok where the bytes are neither.
func splitShape(el *Column, b []byte) (elems []byte, s arrayShape, wide, ok bool) {
	width := el.FixedWidth()
	if len(b) == 0 || b[len(b)-1] != arrayWide || width > 1 && len(b)%width == 0 || !mayBeWide(el) {
		return b, s, false, true
	}
	if len(b) < arrayWideTail {
		return nil, s, true, false
	}
	tail := b[len(b)-arrayWideTail]
	n := int(tail & arrayWideDims)
	end := len(b) - arrayWideTail
	if tail&arrayWidePad != 0 {
		end--
	}
	at := end - n*arrayDimBytes
	if n < 1 || n > types.MaxDims || at < 0 || tail&(arrayWidePad|arrayWideNulls) != 0 && width == 0 {
		return nil, s, true, false
	}
	s.count = 1
	for ; at < end; at += arrayDimBytes {
		size, low := binary.BigEndian.Uint32(b[at:]), int32(binary.BigEndian.Uint32(b[at+4:]))-1
		if size < 1 || size > maxArrayElems || uint64(s.count)*uint64(size) > maxArrayElems || len(s.dims) > 0 && low != s.low {
			return nil, s, true, false
		}
		s.dims, s.low, s.count = append(s.dims, int32(size)), low, s.count*int(size)
	}
	end -= n * arrayDimBytes
	if width == 0 {
		return b[:end], s, true, true
	}
	nulls := 0
	if tail&arrayWideNulls != 0 {
		size := (s.count + 7) / 8
		if end < size {
			return nil, s, true, false
		}
		s.nulls, end = b[end-size:end], end-size
		for _, c := range s.nulls {
			nulls += bits.OnesCount8(c)
		}
	}
	return b[:end], s, true, nulls <= s.count && end == (s.count-nulls)*width
}
