package keyform

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"time"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// epoch gives the number that ASC bytes of a numeric column stand for in a key, before it
// is reversed: whole says that it is no other value's too.
func (c *Column) epoch(asc []byte) (n int64, whole bool) {
	switch c.Class {
	case Int16:
		return int64(int16(binary.BigEndian.Uint16(asc) ^ 1<<15)), true
	case Int32:
		return int64(int32(binary.BigEndian.Uint32(asc) ^ 1<<31)), true
	}
	n = int64(binary.BigEndian.Uint64(asc) ^ 1<<63)
	switch c.Class {
	case Millis:
		unit := c.Unit / microsPerMs
		q := floorDiv(n, unit)
		return q, n == q*unit
	case Micros:
		switch {
		case n > math.MaxInt64/microsPerMs-1:
			return math.MaxInt64, true
		case n < math.MinInt64/microsPerMs+1:
			return math.MinInt64, true
		}
		nanos := binary.BigEndian.Uint32(asc[8:])
		return n*microsPerMs + int64(nanos/1000), nanos%1000 == 0
	}
	return n, true
}

// appendEpoch undoes epoch; ok is false where the column has no such value.
func (c *Column) appendEpoch(dst []byte, n int64) (_ []byte, ok bool) {
	switch c.Class {
	case Millis:
		unit := c.Unit / microsPerMs
		if n > math.MaxInt64/unit-1 || n < math.MinInt64/unit+1 {
			return dst, false
		}
		n *= unit
	case Micros:
		ms := floorDiv(n, microsPerMs)
		dst = binary.BigEndian.AppendUint64(dst, uint64(ms)^1<<63)
		return binary.BigEndian.AppendUint32(dst, uint32(n-ms*microsPerMs)*1000), true
	case Int16:
		ok = n == int64(int16(n))
		return binary.BigEndian.AppendUint16(dst, uint16(n)^1<<15), ok
	case Int32:
		ok = n == int64(int32(n))
		return binary.BigEndian.AppendUint32(dst, uint32(n)^1<<31), ok
	}
	return binary.BigEndian.AppendUint64(dst, uint64(n)^1<<63), true
}

// numbers gives the range of the numbers that can be written.
func (c *Column) numbers() (lo, hi int64) {
	f := &c.Form
	most := uint64(math.MaxInt64)
	switch {
	case f.Kind == AsDecimal && f.Width > 0 && f.Width < 19:
		most = 1
		for range f.Width {
			most *= 10
		}
		most--
	case f.Kind == AsHex && f.Width < 16:
		most = 1<<(4*f.Width) - 1
	case f.Kind == AsBinary && f.Width < 8:
		most = 1<<(8*f.Width) - 1
	}
	hi = int64(min(most, math.MaxInt64))
	if f.Max > 0 {
		lo, hi = max(0, f.Max-hi), f.Max
	} else if f.Kind == AsDecimal && f.Width == 0 {
		lo = math.MinInt64
	}
	switch c.Class {
	case Int16:
		lo, hi = max(lo, math.MinInt16), min(hi, math.MaxInt16)
	case Int32:
		lo, hi = max(lo, math.MinInt32), min(hi, math.MaxInt32)
	case Millis:
		unit := c.Unit / microsPerMs
		lo, hi = max(lo, math.MinInt64/unit/microsPerMs+1), min(hi, math.MaxInt64/unit/microsPerMs-1)
	case Micros:
		lo, hi = max(lo, (math.MinInt64/microsPerMs+1)*microsPerMs), min(hi, math.MaxInt64/microsPerMs*microsPerMs-1)
	}
	return lo, hi
}

// Append writes ASC bytes as the key has them, without the separator; ok is false
// where the form cannot hold them.
func (c *Column) Append(dst, asc []byte) (_ []byte, ok bool) {
	f := &c.Form
	if c.numeric() {
		n, whole := c.epoch(asc)
		if lo, hi := c.numbers(); n < lo || n > hi || !whole {
			return dst, false
		}
		if f.Max > 0 {
			n = f.Max - n
		}
		switch {
		case f.Kind == AsBinary:
			for i := f.Width - 1; i >= 0; i-- {
				dst = append(dst, byte(n>>(8*i)))
			}
		case f.Kind == AsHex:
			dst = appendDigits(dst, uint64(n), 16, f.Width)
		case n < 0:
			dst = appendDigits(append(dst, '-'), -uint64(n), 10, 0)
		default:
			dst = appendDigits(dst, uint64(n), 10, f.Width)
		}
		return dst, true
	}
	base := len(dst)
	switch {
	case c.Class == Fixed && f.Kind == AsText:
		for i, b := range asc {
			if i == 4 || i == 6 || i == 8 || i == 10 {
				dst = append(dst, '-')
			}
			dst = hex.AppendEncode(dst, []byte{b})
		}
	case c.Class == Millis:
		ms := int64(binary.BigEndian.Uint64(asc) ^ 1<<63)
		if ms < minISO || ms > maxISO {
			return dst, false
		}
		dst = time.UnixMilli(ms).UTC().AppendFormat(dst, time.DateOnly)
	case f.Kind == AsHex:
		dst = hex.AppendEncode(dst, asc)
	default:
		dst = append(dst, asc...)
	}
	if f.Width > 0 {
		return dst, len(dst)-base == f.Width
	}
	return dst, c.splits(dst[base:])
}

// isoDate is the size of yyyy-mm-dd.
const isoDate = 10

// The first and the last day of years of four digits, in ms.
const (
	minISO = -62135596800000
	maxISO = 253402214400000
)

// splits says that the separator behind a value is where it is found.
func (c *Column) splits(part []byte) bool {
	sep := c.Sep
	if len(sep) == 0 {
		return true
	}
	return !bytes.Contains(part, sep) && bytes.Index(append(append(make([]byte, 0, len(part)+len(sep)), part...), sep...), sep) == len(part)
}

// Decode undoes Append; ok is false where the bytes are no value, or not as
// Append writes them.
func (c *Column) Decode(dst, part []byte) (_ []byte, ok bool) {
	f := &c.Form
	if f.Width > 0 && len(part) != f.Width {
		return dst, false
	}
	if c.numeric() {
		u, neg := uint64(0), false
		switch f.Kind {
		case AsBinary:
			for _, b := range part {
				u = u<<8 | uint64(b)
			}
		case AsHex:
			for _, b := range part {
				d := hexDigit(b)
				if d > 15 {
					return dst, false
				}
				u = u<<4 | uint64(d)
			}
		default:
			digits := part
			if f.Width == 0 {
				if neg = len(digits) > 1 && digits[0] == '-'; neg {
					digits = digits[1:]
				}
				if len(digits) > 1 && digits[0] == '0' || neg && digits[0] == '0' {
					return dst, false
				}
			}
			if len(digits) == 0 || len(digits) > 19 {
				return dst, false
			}
			for _, b := range digits {
				if b < '0' || b > '9' {
					return dst, false
				}
				u = u*10 + uint64(b-'0')
			}
		}
		if u > math.MaxInt64 {
			if !neg || u != 1<<63 {
				return dst, false
			}
		}
		n := int64(u)
		if neg {
			n = -n
		}
		if f.Max > 0 {
			n = f.Max - n
		}
		if lo, hi := c.numbers(); n < lo || n > hi {
			return dst, false
		}
		return c.appendEpoch(dst, n)
	}
	switch {
	case c.Class == Fixed && f.Kind == AsText:
		for i := 0; i < len(part); i++ {
			if i == 8 || i == 13 || i == 18 || i == 23 {
				if part[i] != '-' {
					return dst, false
				}
				continue
			}
			a, b := hexDigit(part[i]), hexDigit(part[i+1])
			if a|b > 15 {
				return dst, false
			}
			dst = append(dst, a<<4|b)
			i++
		}
		return dst, true
	case c.Class == Millis:
		t, err := time.Parse(time.DateOnly, string(part))
		ms := t.UnixMilli()
		return binary.BigEndian.AppendUint64(dst, uint64(ms)^1<<63), err == nil && ms >= minISO
	case f.Kind == AsHex:
		if len(part)%2 != 0 {
			return dst, false
		}
		for i := 0; i < len(part); i += 2 {
			a, b := hexDigit(part[i]), hexDigit(part[i+1])
			if a|b > 15 {
				return dst, false
			}
			dst = append(dst, a<<4|b)
		}
		return dst, true
	case c.Class == Text && (!utf8.Valid(part) || bytes.IndexByte(part, 0) >= 0):
		return dst, false
	}
	return append(dst, part...), true
}

// hexDigit gives the value of a lower-case hexadecimal digit, over 15 for other bytes.
func hexDigit(b byte) byte {
	switch {
	case b >= '0' && b <= '9':
		return b - '0'
	case b >= 'a' && b <= 'f':
		return b - 'a' + 10
	}
	return 0xFF
}

// Next takes the column off the front of rest: its part without the separator, and what
// follows. ok is false where the bytes are no key.
func (c *Column) Next(rest []byte) (part, after []byte, ok bool) {
	f := &c.Form
	n := f.Width
	switch {
	case n > 0:
	case len(f.Sep) > 0:
		n = bytes.Index(rest, f.Sep)
	default:
		n = len(rest)
	}
	if n < 0 || n > len(rest) || !bytes.HasPrefix(rest[n:], f.Sep) {
		return nil, nil, false
	}
	return rest[:n:n], rest[n+len(f.Sep):], true
}

// Refuse is the error for a value that Append cannot write: 22023.
func (c *Column) Refuse() error {
	e := sqlerr.New(sqlerr.InvalidParameterValue, "value for column %q cannot be written in the table's KEY FORMAT", c.Name)
	if lo, hi := int64(0), int64(0); c.numeric() {
		lo, hi = c.numbers()
		return e.WithDetail("As a number it must be between %d and %d.", lo, hi)
	}
	if c.Width > 0 {
		return e.WithDetail("It takes exactly %d bytes there.", c.Width)
	}
	return e.WithDetail("It must not contain the separator %q.", c.Sep)
}

// iso is the bytes of a day.
func iso(ms int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(ms)^1<<63) }

const microsPerMs = 1000

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
