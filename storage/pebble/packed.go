package pebble

import (
	"encoding/binary"
	"errors"
)

// A packed row, the value of one Pebble key, holds the cells of one row in
// order of (family id, qualifier), versions of a column newest first:
//
//	01                    format version
//	count     uvarint     cells, at least 1
//	base      8 bytes     timestamp of the first cell, µs, big-endian
//	each cell:
//	  family  uvarint     id from the table directory, from 1; 0 says: another
//	                      version of the column before, no qualifier follows
//	  qualifier           uvarint length, bytes
//	  ts      uvarint     zigzag of (timestamp - base), µs: 00 where equal
//	  value               uvarint length, bytes
//
// Family 1, qualifier 80 0B, at 1,700,000,000,000 ms the value "ab" and a
// millisecond before that "c"; family 2, empty qualifier, empty value:
//
//	01 03 00060A24181E4000  01 02 800B 00 02 6162  00 CF0F 01 63  02 00 00 00
const packedVersion = 0x01

const packedHeader = 1 + 8 // without count

var errPacked = errors.New("stored row is malformed")

// cell is a decoded cell; the slices point into the packed row.
type cell struct {
	family uint32
	qual   []byte
	ts     int64
	value  []byte
}

func (c *cell) size() int64 { return int64(len(c.qual) + len(c.value)) }

// appendPacked encodes cells, which are in order and not none.
func appendPacked(dst []byte, cells []cell) []byte {
	dst = append(dst, packedVersion)
	dst = binary.AppendUvarint(dst, uint64(len(cells)))
	base := cells[0].ts
	dst = binary.BigEndian.AppendUint64(dst, uint64(base))
	for i := range cells {
		c := &cells[i]
		if i > 0 && c.sameColumn(&cells[i-1]) {
			dst = append(dst, 0)
		} else {
			dst = binary.AppendUvarint(dst, uint64(c.family))
			dst = binary.AppendUvarint(dst, uint64(len(c.qual)))
			dst = append(dst, c.qual...)
		}
		d := c.ts - base
		dst = binary.AppendUvarint(dst, uint64(d<<1)^uint64(d>>63))
		dst = binary.AppendUvarint(dst, uint64(len(c.value)))
		dst = append(dst, c.value...)
	}
	return dst
}

func (c *cell) sameColumn(o *cell) bool {
	return c.family == o.family && string(c.qual) == string(o.qual)
}

// cursor walks the cells of a packed row. After next has answered false, err
// says whether that was its end.
type cursor struct {
	cell
	raw  []byte
	pos  int
	left int
	base int64
	err  error
}

func openPacked(raw []byte) cursor {
	c := cursor{raw: raw}
	if len(raw) < packedHeader+1 || raw[0] != packedVersion {
		c.err = errPacked
		return c
	}
	n, w := binary.Uvarint(raw[1:])
	if w <= 0 || n == 0 || n > uint64(len(raw)) || len(raw) < packedHeader+w {
		c.err = errPacked
		return c
	}
	c.left = int(n)
	c.base = int64(binary.BigEndian.Uint64(raw[1+w:]))
	c.pos = packedHeader + w
	return c
}

func (c *cursor) next() bool {
	if c.left == 0 || c.err != nil {
		return false
	}
	c.left--
	family, ok := c.uvarint()
	if ok && family != 0 {
		c.family = uint32(family)
		c.qual, ok = c.bytes()
	} else if c.family == 0 { // the first cell names its column
		ok = false
	}
	if ok {
		var d uint64
		d, ok = c.uvarint()
		c.ts = c.base + (int64(d>>1) ^ -int64(d&1))
	}
	if ok {
		c.value, ok = c.bytes()
	}
	if !ok || c.left == 0 && c.pos != len(c.raw) {
		c.err = errPacked
		return false
	}
	return true
}

func (c *cursor) uvarint() (uint64, bool) {
	v, pos := uvarintAt(c.raw, c.pos)
	if pos < 0 {
		return 0, false
	}
	c.pos = pos
	return v, true
}

func (c *cursor) bytes() ([]byte, bool) {
	n, ok := c.uvarint()
	if !ok || n > uint64(len(c.raw)-c.pos) {
		return nil, false
	}
	b := c.raw[c.pos : c.pos+int(n) : c.pos+int(n)]
	c.pos += int(n)
	return b, true
}

// uvarintAt reads a uvarint and gives the position after it, -1 where there is
// none. Most are one byte, which inlines.
func uvarintAt(b []byte, pos int) (uint64, int) {
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
