package rowcodec

import (
	"bytes"
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/catalog/rowcodec/decimal"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

const (
	msPerDay     = 86_400_000
	microsPerMs  = 1_000
	microsPerDay = msPerDay * microsPerMs
	posInfinity  = math.MaxInt64 // of dates and timestamps, in memory and on disk
	negInfinity  = math.MinInt64
)

// AppendValue appends the ASC bytes of d as c stores it. Errors: 22003 (out of
// range), 22008 (date out of range), 22001 (too long), 22021 (a character that
// cannot be stored), 22004 (NULL, or a NULL element where mayBeWide says no), 0A000
// (such an array of several dimensions).
func AppendValue(dst []byte, c *Column, d types.Datum) ([]byte, error) {
	if c.Type == Array && !d.Null {
		return c.appendArray(dst, d.Array)
	}
	return appendScalar(dst, c, d)
}

// appendScalar is AppendValue for all but arrays, and for their elements: dst stays on the
// stack of a caller that has it there, as it would not if elements were arrays again.
func appendScalar(dst []byte, c *Column, d types.Datum) ([]byte, error) {
	if d.Null {
		return dst, sqlerr.New(sqlerr.NullValueNotAllowed, "null value has no encoding")
	}
	switch c.Type {
	case Boolean:
		if d.Bool {
			return append(dst, 1), nil
		}
		return append(dst, 0), nil
	case TinyInt, SmallInt, Integer, BigInt, UnsignedTinyInt, UnsignedSmallInt, UnsignedInt, UnsignedLong:
		return c.appendInt(dst, d)
	case Float, Double, UnsignedFloat, UnsignedDouble:
		return c.appendFloat(dst, d.Float)
	case Decimal:
		if d.Decimal == nil {
			return dst, mismatch(c)
		}
		return decimal.Append(dst, d.Decimal, c.Phoenix)
	case Varchar:
		return c.appendText(dst, d.Bytes)
	case Char:
		return c.appendChar(dst, d.Bytes)
	case Varbinary:
		return append(dst, d.Bytes...), nil
	case VarbinaryEncoded:
		return append(dst, d.Bytes...), nil // escaped in keys only: see appendEscaped
	case Binary:
		return c.appendBinary(dst, d.Bytes)
	case Date, Time, Timestamp, UnsignedDate, UnsignedTime, UnsignedTimestamp:
		return c.appendTime(dst, d.Int)
	case TimeMicros:
		if d.Int < 0 || d.Int > microsPerDay {
			return dst, dateOutOfRange(c)
		}
		return binary.BigEndian.AppendUint64(dst, uint64(d.Int)^c.Type.signBit()), nil
	case Interval:
		return appendInterval(dst, d.Interval), nil
	case Int16BE, Int32BE, Int64BE, Float32BE, Float64BE, AsText:
		return c.appendForeign(dst, d)
	}
	return dst, mismatch(c)
}

func mismatch(c *Column) error {
	return sqlerr.Internal(nil, "a value of another type was given for a column stored as %s", c.Type)
}

func outOfRange(c *Column) error {
	name := c.Type.String()
	switch c.Type {
	case TinyInt:
		name = "tinyint"
	case SmallInt:
		name = "smallint"
	case Integer:
		name = "integer"
	case BigInt:
		name = "bigint"
	case Float:
		name = "real"
	case Double:
		name = "double precision"
	}
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "%s out of range", name)
}

// appendUint appends the low width bytes of u, big-endian.
func appendUint(dst []byte, u uint64, width int) []byte {
	switch width {
	case 1:
		return append(dst, byte(u))
	case 2:
		return binary.BigEndian.AppendUint16(dst, uint16(u))
	case 4:
		return binary.BigEndian.AppendUint32(dst, uint32(u))
	}
	return binary.BigEndian.AppendUint64(dst, u)
}

func (c *Column) appendInt(dst []byte, d types.Datum) ([]byte, error) {
	lo, hi := c.intRange()
	if d.Decimal != nil {
		u, w := decimal.FloorUint(d.Decimal)
		if w != bound.Exactly || u > hi || c.Type != UnsignedLong {
			return dst, outOfRange(c)
		}
		return appendUint(dst, u, 8), nil
	}
	if d.Int < lo || (d.Int > 0 && uint64(d.Int) > hi) {
		return dst, outOfRange(c)
	}
	return appendUint(dst, uint64(d.Int)^c.Type.signBit(), c.FixedWidth()), nil
}

// sortableFloat is Phoenix's: negative values are inverted, others get the top bit, and
// all are one up so that no value is all zeros.
func sortableFloat64(bits uint64) uint64 { return (bits ^ uint64(int64(bits)>>63|math.MinInt64)) + 1 }

func sortableFloat32(bits uint32) uint32 { return (bits ^ uint32(int32(bits)>>31|math.MinInt32)) + 1 }

func floatOf64(u uint64) float64 {
	u--
	return math.Float64frombits(u ^ (^uint64(int64(u)>>63) | 1<<63))
}

func floatOf32(u uint32) float32 {
	u--
	return math.Float32frombits(u ^ (^uint32(int32(u)>>31) | 1<<31))
}

func (c *Column) appendFloat(dst []byte, f float64) ([]byte, error) {
	if f == 0 {
		f = 0 // -0.0 and 0.0 are equal: one encoding
	}
	if math.IsNaN(f) {
		f = math.Float64frombits(0x7FF8 << 48)
	}
	if f < 0 && (c.Type == UnsignedFloat || c.Type == UnsignedDouble) {
		return dst, outOfRange(c)
	}
	switch c.Type {
	case Double:
		return binary.BigEndian.AppendUint64(dst, sortableFloat64(math.Float64bits(f))), nil
	case UnsignedDouble:
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(f)), nil
	}
	f32 := float32(f)
	if math.IsInf(float64(f32), 0) && !math.IsInf(f, 0) {
		return dst, outOfRange(c)
	}
	if f32 == 0 {
		f32 = 0
	}
	bits := math.Float32bits(f32)
	if math.IsNaN(f) {
		bits = 0x7FC00000
	}
	if c.Type == Float {
		bits = sortableFloat32(bits)
	}
	return binary.BigEndian.AppendUint32(dst, bits), nil
}

func (c *Column) appendText(dst, text []byte) ([]byte, error) {
	if err := checkText(text); err != nil {
		return dst, err
	}
	if n, ok := c.SQL.Length(); ok && c.SQL.Kind == types.Varchar && len(text) > n && utf8.RuneCount(text) > n {
		return dst, sqlerr.New(sqlerr.StringDataRightTruncation, "value too long for type character varying(%d)", n)
	}
	return append(dst, text...), nil
}

// checkText refuses what no text is: a 00 byte, which separates key columns, and
// bytes that are not UTF-8.
func checkText(text []byte) error {
	if bytes.IndexByte(text, 0) >= 0 {
		return sqlerr.New(sqlerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`)
	}
	if !utf8.Valid(text) {
		for i := 0; i < len(text); {
			r, n := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && n == 1 {
				return sqlerr.New(sqlerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x%02x`, text[i])
			}
			i += n
		}
	}
	return nil
}

func (c *Column) appendChar(dst, text []byte) ([]byte, error) {
	text = bytes.TrimRight(text, " ")
	for _, b := range text {
		if b >= utf8.RuneSelf {
			return dst, sqlerr.New(sqlerr.CharacterNotInRepertoire, "type character stores single-byte characters only").
				WithDetail("The value is %q.", clip(text)).
				WithHint("Declare the column as VARCHAR.")
		}
	}
	if err := checkText(text); err != nil {
		return dst, err
	}
	if len(text) > c.Width {
		return dst, sqlerr.New(sqlerr.StringDataRightTruncation, "value too long for type character(%d)", c.Width)
	}
	dst = append(dst, text...)
	return appendPad(dst, ' ', c.Width-len(text)), nil
}

// checkKeyChar refuses what a CHAR key column could not order: its padding would sort
// after a control character, where SQL says that the shorter value comes first.
func checkKeyChar(text []byte) error {
	for _, b := range text {
		if b < ' ' {
			return sqlerr.New(sqlerr.CharacterNotInRepertoire, "a key column of type character cannot hold the control character 0x%02x", b).
				WithHint("Declare the column as VARCHAR.")
		}
	}
	return nil
}

func clip(b []byte) []byte { return b[:min(len(b), 64)] }

func appendPad(dst []byte, pad byte, n int) []byte {
	for range n {
		dst = append(dst, pad)
	}
	return dst
}

func (c *Column) appendBinary(dst, b []byte) ([]byte, error) {
	if len(b) > c.Width {
		return dst, sqlerr.New(sqlerr.StringDataRightTruncation, "value too long for type binary(%d)", c.Width).
			WithDetail("The value has %d bytes.", len(b))
	}
	return appendPad(append(dst, b...), 0, c.Width-len(b)), nil
}

func (c *Column) appendTime(dst []byte, v int64) ([]byte, error) {
	ms, nanos, ok := c.millis(v)
	if !ok || (ms < 0 && c.Type.signBit() == 0) {
		return dst, dateOutOfRange(c)
	}
	dst = binary.BigEndian.AppendUint64(dst, uint64(ms)^c.Type.signBit())
	if c.Type.signed() == Timestamp {
		dst = binary.BigEndian.AppendUint32(dst, nanos)
	}
	return dst, nil
}

func dateOutOfRange(c *Column) error {
	name := "timestamp"
	switch c.SQL.Kind {
	case types.Date:
		name = "date"
	case types.Time:
		name = "time"
	}
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "%s out of range", name)
}

// millis turns days or µs into what the column stores: ms, and for timestamps the
// nanoseconds within them. Columns of ms round as a cast to precision 3 does.
func (c *Column) millis(v int64) (ms int64, nanos uint32, ok bool) {
	if v == posInfinity || v == negInfinity {
		return v, 0, c.SQL.Kind != types.Time && (v > 0 || c.Type.signBit() != 0)
	}
	switch {
	case c.SQL.Kind == types.Date:
		ms = v * msPerDay
		return ms, 0, ms/msPerDay == v
	case c.Type.signed() == Timestamp:
		ms = floorDiv(v, microsPerMs)
		return ms, uint32(v-ms*microsPerMs) * 1000, true
	}
	ms = floorDiv(v, microsPerMs)
	if v-ms*microsPerMs >= microsPerMs/2 {
		ms++
	}
	return ms, 0, true
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// appendInterval writes the parts of an interval as they are, the signs turned over:
//
//	1 mon -2 days 00:00:00.000003    80000001 7FFFFFFE 8000000000000003
//
// The bytes sort by months, and SQL by the time that the parts come to: '30 days' is
// '1 mon', and both are kept. So no key has them.
func appendInterval(dst []byte, v types.IntervalValue) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(v.Months)^1<<31)
	dst = binary.BigEndian.AppendUint32(dst, uint32(v.Days)^1<<31)
	return binary.BigEndian.AppendUint64(dst, uint64(v.Micros)^1<<63)
}
