package rowcodec

import (
	"encoding/binary"
	"math"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// A packed cell (SINGLE_CELL_ARRAY_WITH_OFFSETS) holds a family's columns:
//
//	c1 INTEGER = 7, c2 VARCHAR = 'hi'
//	78 | 80000007 | 6869 | 0000 0001 0005 | 00000007 | 00000003 | 03
//	'x'  c1         c2     offsets          their pos  count      version
//
// Element 0 is always 'x'; element i is the column of ordinal i. An absent (NULL)
// element has the negative of the offset it would have had. Offsets are int32,
// and the count negative, where the last does not fit int16.
const (
	packedVersion    = 3
	packedVersionOld = 2
	packedMarker     = 'x'
	// maxPackedElems bounds the count that is believed when reading.
	maxPackedElems = 1 << 17
)

// packedQualifier is the qualifier of every packed cell.
var packedQualifier = []byte{'1'}

// appendPacked appends the packed cell of n elements, of which at gives each from
// number 1 on; nil is absent.
func appendPacked(dst []byte, n int, at func(dst []byte, i int) (out []byte, absent bool, err error)) ([]byte, error) {
	base := len(dst)
	dst = append(dst, packedMarker)
	var few [64]int32
	offsets := append(few[:0], 0)
	for i := 1; i < n; i++ {
		off := int32(len(dst) - base)
		out, absent, err := at(dst, i)
		if err != nil {
			return dst[:base], err
		}
		if absent {
			off = -off
		}
		dst, offsets = out, append(offsets, off)
		if len(dst)-base > math.MaxInt32/2 {
			return dst[:base], sqlerr.New(sqlerr.ProgramLimitExceeded, "packed row of %d bytes is too large", len(dst)-base)
		}
	}
	pos, count := len(dst)-base, n
	if last := offsets[n-1]; last >= math.MinInt16 && last <= math.MaxInt16 {
		for _, o := range offsets {
			dst = binary.BigEndian.AppendUint16(dst, uint16(o))
		}
	} else {
		for _, o := range offsets {
			dst = binary.BigEndian.AppendUint32(dst, uint32(o))
		}
		count = -count
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(pos))
	dst = binary.BigEndian.AppendUint32(dst, uint32(int32(count)))
	return append(dst, packedVersion), nil
}

// packedCell is a packed cell taken apart.
type packedCell struct{ offsetTable }

func readPacked(b []byte) (p packedCell, ok bool) {
	p.offsetTable, ok = readOffsetTable(b, packedVersion)
	return p, ok && p.count >= 1 && p.count <= maxPackedElems
}

// elem gives element i; absent elements are nil, empty ones are not.
func (p *packedCell) elem(i int) (b []byte, ok bool) {
	if i >= p.count {
		return nil, true
	}
	lo := p.at(i)
	if lo < 0 {
		return nil, true
	}
	hi := int32(p.pos)
	if i+1 < p.count {
		if hi = p.at(i + 1); hi < 0 {
			hi = -hi
		}
	}
	if hi < lo || int(hi) > p.pos {
		return nil, false
	}
	return p.b[lo:hi:hi], true
}
