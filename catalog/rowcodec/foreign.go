package rowcodec

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// textEnv is how values are written as text in cells: as PostgreSQL shows them with its
// defaults, times in UTC.
var textEnv types.IOEnv

// appendForeign is AppendValue for the cells of tables that others write.
func (c *Column) appendForeign(dst []byte, d types.Datum) ([]byte, error) {
	switch c.Type {
	case Int16BE:
		if d.Int != int64(int16(d.Int)) {
			return dst, sqlerr.New(sqlerr.NumericValueOutOfRange, "smallint out of range")
		}
		return appendUint(dst, uint64(d.Int), 2), nil
	case Int32BE:
		if d.Int != int64(int32(d.Int)) {
			return dst, sqlerr.New(sqlerr.NumericValueOutOfRange, "integer out of range")
		}
		return appendUint(dst, uint64(d.Int), 4), nil
	case Int64BE:
		return appendUint(dst, uint64(d.Int), 8), nil
	case Float32BE:
		return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(d.Float))), nil
	case Float64BE:
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(d.Float)), nil
	}
	if c.SQL.Phys() == types.PhysBytes && c.SQL.Kind != types.Bytea && c.SQL.Kind != types.UUID {
		if err := checkText(d.Bytes); err != nil {
			return dst, err
		}
	}
	// Not to dst itself: types' writers keep it from the stack, and so would all of
	// AppendValue's callers.
	return append(dst, types.AppendText(nil, c.SQL, d, &textEnv)...), nil
}

// readForeign is read for the cells of tables that others write: XX001 for what is no
// value of the column.
func (r *valueReader) readForeign(b []byte, row int, v *vec.Vec) error {
	switch r.col.Type {
	case Int16BE:
		v.Ints[row] = int64(int16(binary.BigEndian.Uint16(b)))
	case Int32BE:
		v.Ints[row] = int64(int32(binary.BigEndian.Uint32(b)))
	case Int64BE:
		v.Ints[row] = int64(binary.BigEndian.Uint64(b))
	case Float32BE:
		v.Floats[row] = float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
	case Float64BE:
		v.Floats[row] = math.Float64frombits(binary.BigEndian.Uint64(b))
	default:
		if !utf8.Valid(b) {
			return r.corrupt(b, "not UTF-8")
		}
		d, err := types.ParseText(r.col.SQL, b, &textEnv)
		if err != nil {
			return r.corrupt(b, err.Error())
		}
		v.Set(row, d)
	}
	return nil
}

// sortable is a column that stores what c does in bytes that sort as its values do.
func (c Column) sortable() Column {
	switch c.Type {
	case Int16BE:
		c.Type = SmallInt
	case Int32BE:
		c.Type = Integer
	case Int64BE:
		c.Type = BigInt
	case Float32BE:
		c.Type = Float
	case Float64BE:
		c.Type = Double
	case AsText:
		switch c.SQL.Phys() {
		case types.PhysBool:
			c.Type = Boolean
		case types.PhysFloat:
			c.Type = Double
		case types.PhysDecimal:
			c.Type = Decimal
		case types.PhysInt:
			switch c.SQL.Kind {
			case types.Date:
				c.Type = Date
			case types.Time:
				c.Type = TimeStorage(c.SQL)
			case types.Timestamp, types.Timestamptz:
				c.Type = Timestamp
			default:
				c.Type = BigInt
			}
		case types.PhysBytes:
			switch c.SQL.Kind {
			case types.UUID:
				c.Type, c.Width = Binary, 16
			case types.Bytea:
				c.Type = Varbinary
			default:
				c.Type = Varchar
			}
		}
	}
	return c
}
