package rowcodec

import (
	"encoding/binary"
	"math"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/catalog/rowcodec/decimal"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// A part of an index's key may be NULL, which is no bytes: so values of fixed width are
// kept as ones that vary in size, as Phoenix does. A part is made of the bytes that a cell
// of the table holds, so that what SQL calls one value has one entry:
//
//	stored as                           in the index          7, 'ab', true, 1970-01-02
//	integers, BOOLEAN, DATE/TIME/…      DECIMAL (ms, nanos)   C1 08, -, C1 02, C5 09 29
//	CHAR(n)                             VARCHAR, with blanks  61 62 20 20 20
//	VARCHAR                             VARCHAR               61 62
//	BINARY(n), VARBINARY                VARBINARY_ENCODED
//	FLOAT, DOUBLE                       VARBINARY_ENCODED
//
// Two things Phoenix has not. Its DECIMAL of a DOUBLE holds neither NaN nor 1e200, so
// those bytes are the sortable ones of the table. And the empty string, which is not
// NULL here, is 01; what begins with 00 or 01 is written behind a 01, and what begins with FE
// or FF behind an FE, by which order is kept and nothing is mistaken for NULL:
//
//	NULL  -        ''  01       '\x01a'  01 01 61      \xff  FE FF

// IndexColumn gives the column of an index's key that holds values which a table stores
// as c and that may be NULL.
func IndexColumn(c Column) KeyColumn {
	c = c.sortable()
	k := KeyColumn{Column: Column{SQL: c.SQL}, Nullable: true, Stored: &c}
	switch c.Type {
	case Decimal, Array, Interval:
		k.Column, k.Stored = c, nil
	case Varchar, Char:
		k.Type = Varchar
	case Varbinary, VarbinaryEncoded, Binary, Float, Double, UnsignedFloat, UnsignedDouble:
		k.Type = VarbinaryEncoded
	default:
		k.Type = Decimal
	}
	return k
}

// appendIndexPart turns the ASC bytes that a cell of c would hold into those of a part,
// not yet escaped or inverted.
func appendIndexPart(dst []byte, c *Column, asc []byte) []byte {
	switch c.Type {
	case Varchar, Char, Varbinary, VarbinaryEncoded, Binary, Float, Double, UnsignedFloat, UnsignedDouble:
		switch {
		case len(asc) == 0 || asc[0] <= 1:
			dst = append(dst, 0x01)
		case asc[0] >= 0xFE:
			dst = append(dst, 0xFE)
		}
		return append(dst, asc...)
	}
	neg, whole, nanos := c.number(asc)
	return decimal.AppendMillionths(dst, neg, whole, nanos)
}

// number reads stored bytes of fixed width as sign, whole part and millionths: of
// times, milliseconds and the nanoseconds within them.
func (c *Column) number(asc []byte) (neg bool, whole uint64, nanos uint32) {
	if c.Type == Boolean {
		return false, uint64(asc[0]), 0
	}
	width := min(len(asc), 8)
	u := uint64(0)
	for _, b := range asc[:width] {
		u = u<<8 | uint64(b)
	}
	if len(asc) > 8 {
		nanos = binary.BigEndian.Uint32(asc[8:])
		if nanos >= 1e6 { // as valueReader.time reads them; of a bound, the last one
			nanos %= 1e6
		}
	}
	if c.Type.signBit() == 0 {
		return false, u, nanos
	}
	v := int64(u^c.Type.signBit()) << (64 - 8*width) >> (64 - 8*width)
	switch {
	case v >= 0:
		return false, uint64(v), nanos
	case nanos == 0:
		return true, -uint64(v), 0
	}
	return true, -uint64(v) - 1, 1e6 - nanos
}

// storedBytes undoes appendIndexPart: part has been unescaped and is not inverted. ok is
// false where the bytes are no part.
func storedBytes(dst []byte, c *Column, part []byte) (_ []byte, ok bool) {
	switch c.Type {
	case Varchar, Char, Varbinary, VarbinaryEncoded, Binary, Float, Double, UnsignedFloat, UnsignedDouble:
		if len(part) > 0 && (part[0] == 0x01 || part[0] == 0xFE) {
			part = part[1:]
		}
		return append(dst, part...), true
	}
	neg, whole, nanos, ok := decimalNumber(part)
	if !ok {
		return dst, false
	}
	if c.Type == Boolean {
		return append(dst, byte(whole)), whole <= 1 && !neg
	}
	v := whole
	if neg {
		if v = -whole; nanos > 0 {
			v, nanos = v-1, 1e6-nanos
		}
	}
	width := fixedWidth(c.Type, 0)
	dst = appendUint(dst, v^c.Type.signBit(), min(width, 8))
	if width > 8 {
		dst = binary.BigEndian.AppendUint32(dst, nanos)
	}
	return dst, true
}

// decimalNumber reads a DECIMAL as number gives it.
func decimalNumber(b []byte) (neg bool, whole uint64, nanos uint32, ok bool) {
	if len(b) == 1 && b[0] == decimal.Zero {
		return false, 0, 0, true
	}
	if len(b) < 2 {
		return false, 0, 0, false
	}
	b0, digits := b[0], b[1:]
	if neg = b0 < 0x80; neg {
		b0 = ^b0
		if n := len(digits); digits[n-1] == decimal.EndMark {
			digits = digits[:n-1]
		}
	}
	exp := int(b0&0x7F) - decimal.Bias
	if exp < -2 || exp > 10 {
		return false, 0, 0, false
	}
	for i := range max(max(exp, 0)+3, max(-exp, 0)+len(digits)) {
		v := uint64(0)
		if k := i - max(-exp, 0); k >= 0 && k < len(digits) {
			if v = uint64(digits[k]) - 1; neg {
				v = 101 - uint64(digits[k])
			}
		}
		switch at := i - max(exp, 0); {
		case v > 99 || at >= 3 && v != 0 || at < 0 && whole > (math.MaxUint64-v)/100:
			return false, 0, 0, false
		case at < 0:
			whole = whole*100 + v
		case at < 3:
			nanos = nanos*100 + uint32(v)
		}
	}
	return neg, whole, nanos, true
}

// locatePart is locate for a key column, in the bytes that its key holds.
func (c *KeyColumn) locatePart(d types.Datum, adopted bool) bound.Place {
	if c.Stored == nil {
		return c.locate(d, adopted)
	}
	p := c.Stored.locate(d, adopted)
	if p.Lo != nil || p.Where == bound.Exactly || p.Where == bound.Above {
		p.Lo, p.Hi = appendIndexPart(nil, c.Stored, p.Lo), appendIndexPart(nil, c.Stored, p.Hi)
	}
	return p
}

// partReader reads the parts of an index's key.
type partReader struct {
	stored valueReader
	buf    []byte // scratch for what is not text or bytes
}

func (r *valueReader) readPart(b []byte, row int, v *vec.Vec) error {
	p := r.part
	plain := r.bytes(b) // unescaped and not inverted
	if p.stored.phys != types.PhysBytes {
		out, ok := storedBytes(p.buf[:0], &p.stored.col, plain)
		if p.buf = out; !ok {
			return r.corrupt(b, "not a part of an index")
		}
		return p.stored.read(out, row, v)
	}
	if len(plain) > 0 && (plain[0] == 0x01 || plain[0] == 0xFE) {
		plain = plain[1:]
	}
	return p.stored.read(plain, row, v)
}
