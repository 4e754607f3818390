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

// packer writes one packed cell: start, then mark before each element from number 1
// on, then end.
type packer struct {
	base    int
	offsets []int32
}

func (p *packer) start(dst []byte) []byte {
	p.base, p.offsets = len(dst), append(p.offsets[:0], 0)
	return append(dst, packedMarker)
}

// mark notes where the next element begins, or that it is absent.
func (p *packer) mark(dst []byte, absent bool) error {
	off := len(dst) - p.base
	if off > math.MaxInt32/2 {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "packed row of %d bytes is too large", off)
	}
	if absent {
		off = -off
	}
	p.offsets = append(p.offsets, int32(off))
	return nil
}

func (p *packer) end(dst []byte) []byte {
	pos, count := len(dst)-p.base, len(p.offsets)
	if last := p.offsets[count-1]; last >= math.MinInt16 && last <= math.MaxInt16 {
		for _, o := range p.offsets {
			dst = binary.BigEndian.AppendUint16(dst, uint16(o))
		}
	} else {
		for _, o := range p.offsets {
			dst = binary.BigEndian.AppendUint32(dst, uint32(o))
		}
		count = -count
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(pos))
	dst = binary.BigEndian.AppendUint32(dst, uint32(int32(count)))
	return append(dst, packedVersion)
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
