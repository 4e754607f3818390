package rowcodec

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/types"
)

// where tells where a value of SQL lies among those that can be stored.
type where uint8

const (
	exactly where = iota
	above         // between two storable values, the lower of which is given
	beyond        // over all storable values
	beneath       // under all storable values
	nowhere       // the column's bytes do not sort as its values do
)

// place is where a bound lies: bounds need not be storable (1000 for a
// TINYINT, a text longer than its column), but what they admit must be found.
type place struct {
	lo, hi []byte // the first and last encoding of the value, mostly the same
	where  where
	loose  bool // lo and hi may enclose other values
}

func at(b []byte) place { return place{lo: b, hi: b} }

func justUnder(b []byte) place { return place{lo: b, hi: b, where: above} }

// lower gives the cut for values over p; loose bounds err on the wide side.
func (p place) lower(incl bool) cut {
	switch {
	case p.where == beneath || p.where == nowhere:
		return cutBegin
	case p.where == beyond:
		return cutEnd
	case p.where == exactly && (incl || p.loose):
		return before(p.lo)
	}
	return after(p.hi)
}

// upper gives the cut for values under p.
func (p place) upper(incl bool) cut {
	switch {
	case p.where == beneath:
		return cutBegin
	case p.where == beyond || p.where == nowhere:
		return cutEnd
	case p.where == exactly && !incl && !p.loose:
		return before(p.lo)
	}
	return after(p.hi)
}

// locate finds the place of d, which is not NULL, in ASC bytes of column c
// (unescaped).
func (c *Column) locate(d types.Datum, adopted bool) place {
	switch c.Type {
	case Boolean:
		if d.Bool {
			return at([]byte{1})
		}
		return at([]byte{0})
	case TinyInt, SmallInt, Integer, BigInt, UnsignedTinyInt, UnsignedSmallInt, UnsignedInt, UnsignedLong:
		return c.locateInt(d)
	case Float, Double, UnsignedFloat, UnsignedDouble:
		return c.locateFloat(d.Float, adopted)
	case Decimal:
		if d.Decimal != nil {
			return locateDecimal(d.Decimal, adopted)
		}
	case Varchar:
		if i := bytes.IndexByte(d.Bytes, 0); i >= 0 {
			return justUnder(d.Bytes[:i])
		}
		return at(d.Bytes)
	case Char:
		return c.locateChar(d.Bytes)
	case Varbinary, VarbinaryEncoded:
		return at(d.Bytes)
	case Binary:
		if len(d.Bytes) > c.Width {
			return justUnder(d.Bytes[:c.Width:c.Width])
		}
		// A shorter value equals the padded one, or is less than it: that is
		// for the filter to say.
		p := at(appendPad(bytes.Clone(d.Bytes), 0, c.Width-len(d.Bytes)))
		p.loose = len(d.Bytes) < c.Width
		return p
	case Date, Time, Timestamp, UnsignedDate, UnsignedTime, UnsignedTimestamp:
		return c.locateTime(d.Int, adopted)
	case TimeMicros:
		return at(appendUint(nil, uint64(d.Int)^c.Type.signBit(), 8))
	}
	return place{where: nowhere, loose: true}
}

func (c *Column) locateInt(d types.Datum) place {
	width := c.FixedWidth()
	bits := 8 * width
	if d.Decimal != nil {
		u, w := floorUint(d.Decimal)
		if w == beneath || w == beyond || c.Type != UnsignedLong {
			return place{where: w, loose: c.Type != UnsignedLong}
		}
		b := appendUint(nil, u, 8)
		return place{lo: b, hi: b, where: w}
	}
	if c.Type.signBit() == 0 {
		switch {
		case d.Int < 0:
			return place{where: beneath}
		case bits < 64 && d.Int>>bits != 0:
			return place{where: beyond}
		}
	} else if half := bits - 1; half < 63 {
		switch {
		case d.Int < -1<<half:
			return place{where: beneath}
		case d.Int > 1<<half-1:
			return place{where: beyond}
		}
	}
	return at(appendUint(nil, uint64(d.Int)^c.Type.signBit(), width))
}

func (c *Column) locateFloat(f float64, adopted bool) place {
	unsigned := c.Type == UnsignedFloat || c.Type == UnsignedDouble
	if unsigned && f < 0 {
		return place{where: beneath}
	}
	w := exactly
	if c.Type == Float || c.Type == UnsignedFloat {
		g := float32(f)
		if !math.IsNaN(f) && float64(g) != f {
			if float64(g) > f {
				g = math.Nextafter32(g, float32(math.Inf(-1)))
			}
			f, w = float64(g), above
		}
	}
	b, err := c.appendFloat(nil, f)
	if err != nil {
		return place{where: nowhere, loose: true}
	}
	p := place{lo: b, hi: b, where: w}
	if f == 0 && adopted && !unsigned { // Phoenix keeps -0.0, one under 0.0
		p.lo = bytes.Clone(b)
		p.lo[len(b)-1]--
	}
	return p
}

func (c *Column) locateChar(text []byte) place {
	// char(n) values come without their blanks: a bound that has some was made for text,
	// to which they matter.
	trimmed := bytes.TrimRight(text, " ")
	p := place{loose: len(trimmed) < len(text)}
	text = trimmed
	if i := bytes.IndexFunc(text, func(r rune) bool { return r < ' ' }); i >= 0 {
		text, p.where = text[:i], above
	}
	if len(text) > c.Width {
		text, p.where = text[:c.Width], above
	}
	p.lo = appendPad(bytes.Clone(text), ' ', c.Width-len(text))
	p.hi = p.lo
	return p
}

func (c *Column) locateTime(v int64, adopted bool) place {
	typ := c.Type.signed()
	if typ == Time && adopted {
		return place{where: nowhere, loose: true} // Phoenix keeps a date beside the time of day
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
			return place{where: beneath}
		}
		return at(encode(v, 0))
	}
	var ms int64
	p := place{}
	switch {
	case c.SQL.Kind == types.Date:
		if ms = v * msPerDay; ms/msPerDay != v {
			switch { // between the infinities, which are the extremes, and what is stored
			case v > 0:
				return justUnder(encode(posInfinity-1, 0))
			case unsigned:
				return place{where: beneath}
			}
			return justUnder(encode(negInfinity, 0))
		}
	default:
		ms = floorDiv(v, microsPerMs)
		if typ != Timestamp && ms*microsPerMs != v {
			p.where = above
		}
	}
	if unsigned && ms < 0 {
		return place{where: beneath}
	}
	switch {
	case typ == Timestamp && adopted: // nanoseconds are dropped when read
		p.lo, p.hi, p.loose = encode(ms, 0), encode(ms, math.MaxUint32), true
	case typ == Timestamp:
		p.lo = encode(ms, uint32(v-ms*microsPerMs)*1000)
		p.hi = p.lo
	case c.SQL.Kind == types.Date && adopted: // a time of day is dropped when read
		p.lo, p.hi = encode(ms, 0), encode(min(ms, math.MaxInt64-msPerDay)+msPerDay-1, 0)
	default:
		p.lo = encode(ms, 0)
		p.hi = p.lo
	}
	return p
}

// locateDecimal is locate for a DECIMAL. In an adopted table there are no others than
// Phoenix's, of which some have bytes beside those that wide ones have here.
func locateDecimal(d *apd.Decimal, adopted bool) place {
	switch {
	case d.Form != apd.Finite && !adopted:
		return at(unboundedDecimal(d))
	case d.Form == apd.Infinite && d.Negative:
		return place{where: beneath}
	case d.Form != apd.Finite:
		return place{where: beyond}
	}
	var buf [96]byte
	x, ok := split100(d, buf[:0])
	if !ok {
		return at([]byte{decZero})
	}
	if !adopted {
		switch {
		case x.exp > wideMaxExp && !x.neg:
			return justUnder([]byte{wideMost, wideAbove + 1})
		case x.exp > wideMaxExp:
			return justUnder([]byte{^byte(wideMost), wideBelow})
		case x.exp < wideMinExp && !x.neg:
			return justUnder([]byte{decZero})
		case x.exp < wideMinExp:
			x = decDigits{neg: true, exp: wideMinExp, digits: []byte{1}}
			return justUnder(x.appendWide(nil))
		case x.narrow():
			return at(x.append(nil))
		}
		return at(x.appendWide(nil))
	}
	// Exponents that saltsql does not write may stand in an adopted table.
	const minExp, maxExp = -decBias, decBias - 1
	switch {
	case x.exp > maxExp && !x.neg:
		return place{where: beyond}
	case x.exp > maxExp:
		return place{where: beneath}
	case x.exp < minExp && !x.neg:
		return justUnder([]byte{decZero})
	case x.exp < minExp: // just under zero: over every storable negative
		return justUnder((&decDigits{neg: true, exp: minExp, digits: []byte{1}}).append(nil))
	case x.sig <= MaxDecimalDigits:
		return at(x.append(nil))
	}
	return floorDecimal(d, x)
}

// floorDecimal is the place of a number of too many digits.
func floorDecimal(d *apd.Decimal, x decDigits) place {
	ctx := apd.BaseContext.WithPrecision(MaxDecimalDigits)
	ctx.Rounding = apd.RoundFloor
	ctx.MaxExponent, ctx.MinExponent = apd.MaxExponent, apd.MinExponent
	var r apd.Decimal
	if _, err := ctx.Round(&r, d); err != nil || r.Form != apd.Finite {
		// The digits as far as they are kept enclose the number.
		return place{where: nowhere, loose: true}
	}
	var buf [96]byte
	y, ok := split100(&r, buf[:0])
	if !ok || y.exp > decBias-1 {
		if x.neg {
			return place{where: beneath}
		}
		return place{where: beyond}
	}
	return justUnder(y.append(nil))
}

// floorUint gives the largest uint64 that is not over d.
func floorUint(d *apd.Decimal) (uint64, where) {
	switch {
	case d.Form == apd.Infinite && d.Negative:
		return 0, beneath
	case d.Form != apd.Finite:
		return 0, beyond
	case d.Negative && d.Sign() != 0:
		return 0, beneath
	}
	var buf [96]byte
	text := d.Coeff.Append(buf[:0], 10)
	w := exactly
	if d.Exponent < 0 {
		cut := max(len(text)+int(d.Exponent), 0)
		for _, c := range text[cut:] {
			if c != '0' {
				w = above
			}
		}
		text = text[:cut]
	}
	var u uint128
	for _, c := range text {
		u.mulAdd(10, uint64(c-'0'))
	}
	for e := d.Exponent; e > 0 && !u.over && (u.hi|u.lo) != 0; e-- {
		u.mulAdd(10, 0)
	}
	if u.over || u.hi != 0 {
		return 0, beyond
	}
	return u.lo, w
}
