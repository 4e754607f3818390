package rowcodec

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/catalog/rowcodec/decimal"
	"github.com/saltsql/saltsql/internal/types"
)

// locate finds the place of d, which is not NULL, in ASC bytes of column c
// (unescaped).
func (c *Column) locate(d types.Datum, adopted bool) bound.Place {
	switch c.Type {
	case Boolean:
		if d.Bool {
			return bound.At([]byte{1})
		}
		return bound.At([]byte{0})
	case TinyInt, SmallInt, Integer, BigInt, UnsignedTinyInt, UnsignedSmallInt, UnsignedInt, UnsignedLong:
		return c.locateInt(d)
	case Float, Double, UnsignedFloat, UnsignedDouble:
		return c.locateFloat(d.Float, adopted)
	case Decimal:
		if d.Decimal != nil {
			return decimal.Locate(d.Decimal, adopted)
		}
	case Varchar:
		if i := bytes.IndexByte(d.Bytes, 0); i >= 0 {
			return bound.JustUnder(d.Bytes[:i])
		}
		return bound.At(d.Bytes)
	case Char:
		return c.locateChar(d.Bytes)
	case Varbinary, VarbinaryEncoded:
		return bound.At(d.Bytes)
	case Binary:
		if len(d.Bytes) > c.Width {
			return bound.JustUnder(d.Bytes[:c.Width:c.Width])
		}
		// A shorter value equals the padded one, or is less than it: that is
		// for the filter to say.
		p := bound.At(appendPad(bytes.Clone(d.Bytes), 0, c.Width-len(d.Bytes)))
		p.Loose = len(d.Bytes) < c.Width
		return p
	case Date, Time, Timestamp, UnsignedDate, UnsignedTime, UnsignedTimestamp:
		return c.locateTime(d.Int, adopted)
	case TimeMicros:
		return bound.At(appendUint(nil, uint64(d.Int)^c.Type.signBit(), 8))
	}
	return bound.Place{Where: bound.Nowhere, Loose: true}
}

func (c *Column) locateInt(d types.Datum) bound.Place {
	width := c.FixedWidth()
	bits := 8 * width
	if d.Decimal != nil {
		u, w := decimal.FloorUint(d.Decimal)
		if w == bound.Beneath || w == bound.Beyond || c.Type != UnsignedLong {
			return bound.Place{Where: w, Loose: c.Type != UnsignedLong}
		}
		b := appendUint(nil, u, 8)
		return bound.Place{Lo: b, Hi: b, Where: w}
	}
	if c.Type.signBit() == 0 {
		switch {
		case d.Int < 0:
			return bound.Place{Where: bound.Beneath}
		case bits < 64 && d.Int>>bits != 0:
			return bound.Place{Where: bound.Beyond}
		}
	} else if half := bits - 1; half < 63 {
		switch {
		case d.Int < -1<<half:
			return bound.Place{Where: bound.Beneath}
		case d.Int > 1<<half-1:
			return bound.Place{Where: bound.Beyond}
		}
	}
	return bound.At(appendUint(nil, uint64(d.Int)^c.Type.signBit(), width))
}

func (c *Column) locateFloat(f float64, adopted bool) bound.Place {
	unsigned := c.Type == UnsignedFloat || c.Type == UnsignedDouble
	if unsigned && f < 0 {
		return bound.Place{Where: bound.Beneath}
	}
	w := bound.Exactly
	if c.Type == Float || c.Type == UnsignedFloat {
		g := float32(f)
		if !math.IsNaN(f) && float64(g) != f {
			if float64(g) > f {
				g = math.Nextafter32(g, float32(math.Inf(-1)))
			}
			f, w = float64(g), bound.Above
		}
	}
	b, err := c.appendFloat(nil, f)
	if err != nil {
		return bound.Place{Where: bound.Nowhere, Loose: true}
	}
	p := bound.Place{Lo: b, Hi: b, Where: w}
	if f == 0 && adopted && !unsigned { // Phoenix keeps -0.0, one under 0.0
		p.Lo = bytes.Clone(b)
		p.Lo[len(b)-1]--
	}
	return p
}

func (c *Column) locateChar(text []byte) bound.Place {
	// char(n) values come without their blanks: a bound that has some was made for text,
	// to which they matter.
	trimmed := bytes.TrimRight(text, " ")
	p := bound.Place{Loose: len(trimmed) < len(text)}
	text = trimmed
	if i := bytes.IndexFunc(text, func(r rune) bool { return r < ' ' }); i >= 0 {
		text, p.Where = text[:i], bound.Above
	}
	if len(text) > c.Width {
		text, p.Where = text[:c.Width], bound.Above
	}
	p.Lo = appendPad(bytes.Clone(text), ' ', c.Width-len(text))
	p.Hi = p.Lo
	return p
}

func (c *Column) locateTime(v int64, adopted bool) bound.Place {
	typ := c.Type.signed()
	if typ == Time && adopted {
		return bound.Place{Where: bound.Nowhere, Loose: true} // Phoenix keeps a date beside the time of day
	}
	encode := func(ms int64, nanos uint32) []byte {
		b := binary.BigEndian.AppendUint64(nil, uint64(ms)^c.Type.signBit())
		if typ == Timestamp {
			b = binary.BigEndian.AppendUint32(b, nanos)
		}
		return b
	}
	unsigned := c.Type.signBit() == 0
	if v == posInfinity || v == negInfinity {
		if v == negInfinity && unsigned {
			return bound.Place{Where: bound.Beneath}
		}
		return bound.At(encode(v, 0))
	}
	var ms int64
	p := bound.Place{}
	switch {
	case c.SQL.Kind == types.Date:
		if ms = v * msPerDay; ms/msPerDay != v {
			switch { // between the infinities, which are the extremes, and what is stored
			case v > 0:
				return bound.JustUnder(encode(posInfinity-1, 0))
			case unsigned:
				return bound.Place{Where: bound.Beneath}
			}
			return bound.JustUnder(encode(negInfinity, 0))
		}
	default:
		ms = floorDiv(v, microsPerMs)
		if typ != Timestamp && ms*microsPerMs != v {
			p.Where = bound.Above
		}
	}
	if unsigned && ms < 0 {
		return bound.Place{Where: bound.Beneath}
	}
	switch {
	case typ == Timestamp && adopted: // nanoseconds are dropped when read
		p.Lo, p.Hi, p.Loose = encode(ms, 0), encode(ms, math.MaxUint32), true
	case typ == Timestamp:
		p.Lo = encode(ms, uint32(v-ms*microsPerMs)*1000)
		p.Hi = p.Lo
	case c.SQL.Kind == types.Date && adopted: // a time of day is dropped when read
		p.Lo, p.Hi = encode(ms, 0), encode(min(ms, math.MaxInt64-msPerDay)+msPerDay-1, 0)
	default:
		p.Lo = encode(ms, 0)
		p.Hi = p.Lo
	}
	return p
}
