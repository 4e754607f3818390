package rowpack

import (
	"encoding/binary"
	"errors"
)

// A packed row, the value of one Pebble key, holds the cells of one row in
// order of (family id, qualifier), versions of a column newest first:
//
//	01                    format version
//	width     1 byte      bytes of an end offset: 1, 2 or 4
//	shape     uvarint length, then
//	          uvarint     number of cells, at least 1
//	          each cell:
//	            family    uvarint id from the table directory, from 1; 0 says:
//	                      another version of the column before, no qualifier
//	            qualifier uvarint length, bytes
//	            ts        uvarint, zigzag of (timestamp - base) in µs
//	base      8 bytes     timestamp of the first cell, µs, big-endian
//	ends      width each  where each value ends, from the first value on, big-endian
//	values
//
// Rows of a table mostly share one shape, byte for byte, so that a scan reads
// it once and then goes to the values it wants by their offsets.
//
// Family 1, qualifier 80 0B, at 1,700,000,000,000 ms the value "ab" and a
// millisecond before that "c"; family 2, empty qualifier, empty value:
//
//	01 01 0C [03 01 02 800B 00 00 CF0F 02 00 00] 00060A24181E4000 020303 616263
const packedVersion = 0x01

const baseLen = 8

// ErrCorrupt says that what is stored is no packed row.
var ErrCorrupt = errors.New("stored row is malformed")

// cell is a decoded cell; the slices point into the packed row.
type cell struct {
	Family    uint32
	Qualifier []byte
	TS        int64
	value     []byte
}

// Bytes gives the cell's value; it points into the packed row.
func (c *cell) Bytes() []byte { return c.value }

func (c *cell) size() int64 { return int64(len(c.Qualifier) + len(c.value)) }

func (c *cell) sameColumn(o *cell) bool {
	return c.Family == o.Family && string(c.Qualifier) == string(o.Qualifier)
}

// appendRow encodes cells, which are in order and not none. shape is a
// buffer to use; it comes back for the next time.
func appendRow(dst, shape []byte, cells []cell) (packed, buf []byte) {
	base := cells[0].TS
	total := 0
	shape = binary.AppendUvarint(shape[:0], uint64(len(cells)))
	for i := range cells {
		c := &cells[i]
		total += len(c.value)
		if i > 0 && c.sameColumn(&cells[i-1]) {
			shape = append(shape, 0)
		} else {
			shape = binary.AppendUvarint(shape, uint64(c.Family))
			shape = AppendBytes(shape, c.Qualifier)
		}
		d := c.TS - base
		shape = binary.AppendUvarint(shape, uint64(d<<1)^uint64(d>>63))
	}
	width := byte(4)
	switch {
	case total <= 0xff:
		width = 1
	case total <= 0xffff:
		width = 2
	}
	dst = append(dst, packedVersion, width)
	dst = AppendBytes(dst, shape)
	dst = binary.BigEndian.AppendUint64(dst, uint64(base))
	end := 0
	for i := range cells {
		end += len(cells[i].value)
		switch width {
		case 1:
			dst = append(dst, byte(end))
		case 2:
			dst = binary.BigEndian.AppendUint16(dst, uint16(end))
		default:
			dst = binary.BigEndian.AppendUint32(dst, uint32(end))
		}
	}
	for i := range cells {
		dst = append(dst, cells[i].value...)
	}
	return dst, shape
}

// AppendBytes appends b behind its length.
func AppendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// layout is where the parts of a packed row lie.
type Layout struct {
	width   int
	shape   int // offset of the shape
	base    int // offset of the base timestamp: the end of the shape
	Count   int // cells
	columns int // offset of the shape's first cell
}

func (l *Layout) ends() int   { return l.base + baseLen }
func (l *Layout) values() int { return l.base + baseLen + l.Count*l.width }

// ReadLayout reads the head of a packed row and checks that the row is as long
// as its head says.
func ReadLayout(raw []byte) (Layout, error) {
	var l Layout
	if len(raw) < 3 || raw[0] != packedVersion {
		return l, ErrCorrupt
	}
	l.width = int(raw[1])
	if l.width != 1 && l.width != 2 && l.width != 4 {
		return l, ErrCorrupt
	}
	n, pos := Uvarint(raw, 2)
	if pos < 0 || n > uint64(len(raw)-pos) {
		return l, ErrCorrupt
	}
	l.shape, l.base = pos, pos+int(n)
	count, pos := Uvarint(raw[:l.base], pos)
	if pos < 0 || count == 0 || count > n {
		return l, ErrCorrupt
	}
	l.Count, l.columns = int(count), pos
	if l.values() > len(raw) {
		return l, ErrCorrupt
	}
	return l, nil
}

// end gives where value i ends, counted from the first value; i = -1 gives 0.
// The caller has checked that the offsets are there (readLayout).
func endOf(ends []byte, width, i int) int {
	if i < 0 {
		return 0
	}
	switch width {
	case 1:
		return int(ends[i])
	case 2:
		return int(binary.BigEndian.Uint16(ends[2*i:]))
	default:
		return int(binary.BigEndian.Uint32(ends[4*i:]))
	}
}

// shapeCursor walks the cells of a shape.
type shapeCursor struct {
	raw    []byte // up to the end of the shape
	pos    int
	left   int
	family uint32
	qLo    int // qualifier, as offsets into raw
	qHi    int
	ts     int   // where the timestamp begins; it ends at pos
	delta  int64 // timestamp - base
	again  bool  // another version of the column before
	err    error
}

func openShape(raw []byte, l *Layout) shapeCursor {
	return shapeCursor{raw: raw[:l.base], pos: l.columns, left: l.Count}
}

// next answers false at the end, with err where that came early.
func (c *shapeCursor) next() bool {
	if c.left == 0 || c.err != nil {
		return false
	}
	c.left--
	family, pos := Uvarint(c.raw, c.pos)
	c.again = family == 0
	if pos >= 0 && family != 0 && family <= MaxFamilyID {
		c.family = uint32(family)
		var n uint64
		if n, pos = Uvarint(c.raw, pos); pos >= 0 && n <= uint64(len(c.raw)-pos) {
			c.qLo, c.qHi = pos, pos+int(n)
			pos = c.qHi
		} else {
			pos = -1
		}
	} else if family != 0 || c.family == 0 { // the first cell names its column
		pos = -1
	}
	var d uint64
	if c.ts = pos; pos >= 0 {
		d, pos = Uvarint(c.raw, pos)
	}
	if pos < 0 || c.left == 0 && pos != len(c.raw) {
		c.err = ErrCorrupt
		return false
	}
	c.delta = unzigzag(d)
	c.pos = pos
	return true
}

func unzigzag(d uint64) int64 { return int64(d>>1) ^ -int64(d&1) }

// cursor walks the cells of a packed row. After next has answered false, err
// says whether that was its end.
type Cursor struct {
	cell
	shape  shapeCursor
	raw    []byte
	layout Layout
	base   int64
	n      int // cells passed
	Err    error
}

// Open gives the cells of a packed row, the first by the first Next.
func Open(raw []byte) Cursor {
	c := Cursor{raw: raw}
	if c.layout, c.Err = ReadLayout(raw); c.Err == nil {
		c.shape = openShape(raw, &c.layout)
		c.base = int64(binary.BigEndian.Uint64(raw[c.layout.base:]))
	}
	return c
}

// Next moves to the next cell; where there is none, Err tells whether the row is malformed.
func (c *Cursor) Next() bool {
	if c.Err != nil || !c.shape.next() {
		if c.Err == nil {
			c.Err = c.shape.err
		}
		return false
	}
	ends, values := c.raw[c.layout.ends():c.layout.values()], c.raw[c.layout.values():]
	lo, hi := endOf(ends, c.layout.width, c.n-1), endOf(ends, c.layout.width, c.n)
	c.n++
	if lo > hi || hi > len(values) || c.n == c.layout.Count && hi != len(values) {
		c.Err = ErrCorrupt
		return false
	}
	c.Family = c.shape.family
	c.Qualifier = c.raw[c.shape.qLo:c.shape.qHi:c.shape.qHi]
	c.TS = c.base + c.shape.delta
	c.value = values[lo:hi:hi]
	return true
}

// Uvarint reads a uvarint and gives the position after it, -1 where there is
// none. Most are one byte, which inlines.
func Uvarint(b []byte, pos int) (uint64, int) {
	if uint(pos) < uint(len(b)) && b[pos] < 0x80 {
		return uint64(b[pos]), pos + 1
	}
	return uvarintSlow(b, pos)
}

func uvarintSlow(b []byte, pos int) (uint64, int) {
	if pos < 0 || pos > len(b) {
		return 0, -1
	}
	v, w := binary.Uvarint(b[pos:])
	if w <= 0 {
		return 0, -1
	}
	return v, pos + w
}
