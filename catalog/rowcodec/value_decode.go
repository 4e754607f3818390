package rowcodec

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/catalog/rowcodec/decimal"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// valueReader puts stored bytes of one column into vector slots.
type valueReader struct {
	col         Column
	table, name string
	mask        byte   // FF for DESC key columns
	mask64      uint64 // the same, eight times
	width       int    // 0 where values vary in size
	scale       int32  // declared fractional digits of a numeric, else 0
	phys        types.Phys
	adopted     bool
	escaped     bool   // VARBINARY_ENCODED in a key
	missing     []byte // CellColumn.Missing
	emptyNull   bool   // a cell of no bytes is NULL
	mem         *arena
	part        *partReader // a part of an index
}

func newValueReader(c *Column, table, name string, adopted bool, mem *arena) valueReader {
	r := valueReader{col: *c, table: table, name: name, width: c.FixedWidth(),
		phys: c.SQL.Phys(), adopted: adopted, emptyNull: adopted, mem: mem}
	r.scale = declaredScale(c.SQL)
	return r
}

func newKeyReader(s *KeySchema, i int, mem *arena) valueReader {
	c := &s.Columns[i]
	r := newValueReader(&c.Column, s.Table, c.Name, s.Adopted, mem)
	r.escaped = c.Type == VarbinaryEncoded
	if c.Desc && c.Form == nil {
		r.mask, r.mask64 = 0xFF, math.MaxUint64
	}
	if c.Stored != nil {
		r.part = &partReader{stored: newValueReader(c.Stored, s.Table, c.Name, s.Adopted, mem)}
	}
	return r
}

func declaredScale(t types.T) int32 {
	if t.Kind == types.Numeric {
		if _, s, ok := t.Precision(); ok && s > 0 {
			return int32(s)
		}
	}
	return 0
}

// corrupt is XX001 with the column and what is wrong with its bytes.
func corrupt(table, column, format string, args ...any) error {
	where := "column \"" + column + "\""
	if column == "" {
		where = "row key"
	}
	if table != "" {
		where += " of table \"" + table + "\""
	}
	return sqlerr.New(sqlerr.DataCorrupted, "data corrupted in %s", where).
		WithDetail(format, args...).WithColumn(table, column)
}

func (r *valueReader) corrupt(b []byte, why string) error {
	return corrupt(r.table, r.name, "The bytes %X are not a value of type %s: %s.", clip(b), r.col.Type, why)
}

// absent puts what a row without the cell holds into slot row of v.
func (r *valueReader) absent(row int, v *vec.Vec) error {
	if r.missing == nil {
		v.Nulls.Set(row)
		return nil
	}
	return r.read(r.missing, row, v)
}

// read puts b, which is not NULL, into slot row of v. In v bytes may alias b.
func (r *valueReader) read(b []byte, row int, v *vec.Vec) error {
	if r.part != nil {
		return r.readPart(b, row, v)
	}
	if r.width > 0 && len(b) != r.width {
		return r.corrupt(b, "the length is wrong")
	}
	switch r.col.Type {
	case Boolean:
		if r.phys != types.PhysBool {
			return r.corrupt(b, "the SQL type differs")
		}
		switch b[0] ^ r.mask {
		case 0:
			v.Bools[row] = false
		case 1:
			v.Bools[row] = true
		default:
			return r.corrupt(b, "neither true nor false")
		}
		return nil
	case Integer: // the common case first
		if r.phys == types.PhysInt {
			v.Ints[row] = int64(int32(binary.BigEndian.Uint32(b) ^ uint32(r.mask64) ^ 1<<31))
			return nil
		}
	case BigInt:
		if r.phys == types.PhysInt {
			v.Ints[row] = int64(binary.BigEndian.Uint64(b) ^ r.mask64 ^ 1<<63)
			return nil
		}
	case TinyInt, SmallInt, UnsignedTinyInt, UnsignedSmallInt, UnsignedInt, UnsignedLong:
		return r.readInt(b, row, v)
	case Float, Double, UnsignedFloat, UnsignedDouble:
		if r.phys == types.PhysFloat {
			v.Floats[row] = r.float(b)
			return nil
		}
	case Decimal:
		if r.phys == types.PhysDecimal {
			if !decimal.Decode(b, r.mask, r.scale, &v.Decimals[row]) {
				return r.corrupt(b, "not base-100 digits")
			}
			return nil
		}
	case Varchar, Char, Varbinary, VarbinaryEncoded, Binary:
		if r.phys == types.PhysBytes {
			if r.missing != nil && !r.adopted && string(b) == emptyText {
				b = b[:0]
			}
			v.Bytes[row] = r.bytes(b)
			return nil
		}
	case Date, Time, Timestamp, UnsignedDate, UnsignedTime, UnsignedTimestamp:
		if r.phys == types.PhysInt {
			x, ok := r.time(b)
			if !ok {
				return r.corrupt(b, "out of range")
			}
			v.Ints[row] = x
			return nil
		}
	case Int16BE, Int32BE, Int64BE, Float32BE, Float64BE, AsText:
		return r.readForeign(b, row, v)
	case TimeMicros:
		if r.phys == types.PhysInt {
			x := int64(binary.BigEndian.Uint64(b) ^ r.mask64 ^ 1<<63)
			if x < 0 || x > microsPerDay {
				return r.corrupt(b, "out of range")
			}
			v.Ints[row] = x
			return nil
		}
	case Interval:
		if r.phys == types.PhysInterval {
			be := binary.BigEndian
			v.Intervals[row] = types.IntervalValue{Months: int32(be.Uint32(b) ^ 1<<31), Days: int32(be.Uint32(b[4:]) ^ 1<<31), Micros: int64(be.Uint64(b[8:]) ^ 1<<63)}
			return nil
		}
	case Array:
		if r.phys == types.PhysArray {
			a, err := r.array(b)
			v.Arrays[row] = a
			return err
		}
	}
	return r.corrupt(b, "the SQL type differs")
}

func (r *valueReader) readInt(b []byte, row int, v *vec.Vec) error {
	var u uint64
	for _, c := range b {
		u = u<<8 | uint64(c^r.mask)
	}
	switch {
	case r.phys == types.PhysInt:
		switch r.col.Type {
		case TinyInt:
			v.Ints[row] = int64(int8(u ^ 1<<7))
		case SmallInt:
			v.Ints[row] = int64(int16(u ^ 1<<15))
		default:
			if u > math.MaxInt64 {
				return r.corrupt(b, "over the range of bigint")
			}
			v.Ints[row] = int64(u)
		}
		return nil
	case r.phys == types.PhysDecimal && r.col.Type == UnsignedLong:
		d := &v.Decimals[row]
		d.Form, d.Negative, d.Exponent = apd.Finite, false, 0
		d.Coeff.SetUint64(u)
		return nil
	}
	return r.corrupt(b, "the SQL type differs")
}

func (r *valueReader) float(b []byte) float64 {
	switch r.col.Type {
	case Double:
		return floatOf64(binary.BigEndian.Uint64(b) ^ r.mask64)
	case UnsignedDouble:
		return math.Float64frombits(binary.BigEndian.Uint64(b) ^ r.mask64)
	case Float:
		return float64(floatOf32(binary.BigEndian.Uint32(b) ^ uint32(r.mask64)))
	}
	return float64(math.Float32frombits(binary.BigEndian.Uint32(b) ^ uint32(r.mask64)))
}

func (r *valueReader) bytes(b []byte) []byte {
	if r.escaped {
		return r.unescape(b)
	}
	if r.mask != 0 {
		out := r.mem.take(len(b))
		for i, c := range b {
			out[i] = ^c
		}
		b = out
	}
	if r.col.Type == Char {
		n := len(b)
		for n > 0 && b[n-1] == ' ' {
			n--
		}
		b = b[:n]
	}
	return b
}

// unescape undoes appendEscaped; the separator is gone already.
func (r *valueReader) unescape(b []byte) []byte {
	if r.mask == 0 && bytes.IndexByte(b, 0) < 0 {
		return b
	}
	out := r.mem.room(len(b))
	for i := 0; i < len(b); i++ {
		c := b[i] ^ r.mask
		out = append(out, c)
		if c == 0 {
			i++ // the FF of 00 FF
		}
	}
	return r.mem.keep(out)
}

// time turns stored ms (and nanoseconds) into days or µs.
func (r *valueReader) time(b []byte) (int64, bool) {
	ms := int64(binary.BigEndian.Uint64(b) ^ r.mask64 ^ r.col.Type.signBit())
	if (ms == posInfinity || ms == negInfinity) && r.col.SQL.Kind != types.Time {
		return ms, true
	}
	micros := int64(0)
	if r.col.Type.signed() == Timestamp {
		nanos := binary.BigEndian.Uint32(b[8:]) ^ uint32(r.mask64)
		if nanos >= 1e6 { // old rows hold the nanoseconds of the whole second
			nanos %= 1e6
		}
		micros = int64(nanos / 1000)
	}
	switch r.col.SQL.Kind {
	case types.Date:
		return floorDiv(ms, msPerDay), true
	case types.Time:
		if ms < 0 || ms > msPerDay { // Phoenix keeps a date beside the time of day
			ms -= floorDiv(ms, msPerDay) * msPerDay
		}
	}
	if ms > math.MaxInt64/microsPerMs-1 || ms < math.MinInt64/microsPerMs+1 {
		return 0, false
	}
	return ms*microsPerMs + micros, true
}

func (r *valueReader) array(b []byte) (*types.ArrayValue, error) {
	a := &types.ArrayValue{Elem: r.col.SQL.ElemType()}
	el := r.col.elem()
	er := newValueReader(&el, r.table, r.name, r.adopted, r.mem)
	one := vec.New(el.SQL)
	one.Resize(1)
	if one.Type.Phys() == types.PhysBytes {
		b = bytes.Clone(b) // arrays are shared and outlive the row
	}
	elems, shape, wide, ok := splitShape(&el, b)
	if !ok {
		return nil, r.corrupt(b, "not an array")
	}
	skip := func() { // NULLs that have no bytes
		for shape.nulls != nil && len(a.Elems) < shape.count && shape.null(len(a.Elems)) {
			a.Elems = append(a.Elems, types.NullDatum)
		}
	}
	n, ok, err := splitArray(&el, elems, func(_ int, elem []byte) error {
		skip()
		if elem == nil || (r.adopted && len(elem) == 0) {
			a.Elems = append(a.Elems, types.NullDatum)
			return nil
		}
		if err := er.read(elem, 0, one); err != nil {
			return err
		}
		d := one.Datum(0)
		if d.Decimal != nil {
			d.Decimal = new(apd.Decimal).Set(d.Decimal)
		}
		a.Elems = append(a.Elems, d)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, r.corrupt(b, "not an array")
	}
	switch {
	case wide:
		if skip(); len(a.Elems) != shape.count {
			return nil, r.corrupt(b, "the dimensions differ from the elements")
		}
		a.Dims, a.Low = shape.dims, shape.low
	case n > 0:
		a.Dims = []int32{int32(n)}
	}
	return a, nil
}

// ValueDecoder decodes the values of one cell column. Not for concurrent use.
type ValueDecoder struct {
	r   valueReader
	mem arena
}

// NewValueDecoder makes a decoder for a cell column; table is for error messages.
func NewValueDecoder(table string, c *CellColumn) *ValueDecoder {
	d := &ValueDecoder{}
	d.r = newValueReader(&c.Column, table, c.Name, false, &d.mem)
	return d
}

// Absent gives what a row without the cell of a column holds.
func Absent(table string, c *CellColumn) (types.Datum, error) {
	var mem arena
	r := newValueReader(&c.Column, table, c.Name, false, &mem)
	r.missing, r.emptyNull = c.Missing, c.Missing != nil
	v := vec.New(c.SQL)
	v.Resize(1)
	if err := r.absent(0, v); err != nil {
		return types.NullDatum, err
	}
	return v.Datum(0), nil
}

// Reset frees the scratch memory of the last batch.
func (d *ValueDecoder) Reset() { d.mem.reset() }

// Decode puts value into slot row of v, which is not NULL then. Bytes may alias
// value. Corrupt bytes are XX001.
func (d *ValueDecoder) Decode(value []byte, row int, v *vec.Vec) error {
	return d.r.read(value, row, v)
}
