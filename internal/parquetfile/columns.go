package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/parquet-go/parquet-go"
)

// Column is a column of a query's result, as its description says.
type Column struct {
	Name     string
	OID      uint32 // of the type
	Modifier int32  // of the type; -1 for none
}

// Days and microseconds from Parquet's epoch, 1970, to PostgreSQL's, 2000.
const (
	epochDays   = 10957
	epochMicros = epochDays * 86400 * 1_000_000
)

// leaf says how the values of a type are kept. A leaf without from takes text.
type leaf struct {
	node parquet.Node
	from func(binary []byte) (parquet.Value, error)
	elem uint32 // the type of elements, in a list
}

var (
	errLength   = errors.New("the value has not the length of its type")
	errInfinite = errors.New("an infinity of this type does not exist in Parquet; export the table as csv")
)

// fixed makes a reader of values of n bytes.
func fixed(n int, value func(b []byte) (parquet.Value, error)) func([]byte) (parquet.Value, error) {
	return func(b []byte) (parquet.Value, error) {
		if len(b) != n {
			return parquet.Value{}, errLength
		}
		return value(b)
	}
}

func bytesValue(b []byte) (parquet.Value, error) { return parquet.ByteArrayValue(b), nil }

func int32Value(b []byte) (parquet.Value, error) {
	return parquet.Int32Value(int32(binary.BigEndian.Uint32(b))), nil
}

func int64Value(b []byte) (parquet.Value, error) {
	return parquet.Int64Value(int64(binary.BigEndian.Uint64(b))), nil
}

// microsValue is a timestamp: microseconds from 2000.
func microsValue(b []byte) (parquet.Value, error) {
	v := int64(binary.BigEndian.Uint64(b))
	if v == math.MaxInt64 || v == math.MinInt64 {
		return parquet.Value{}, errInfinite
	}
	return parquet.Int64Value(v + epochMicros), nil
}

// leafOf is the leaf of a scalar type.
func leafOf(oid uint32, modifier int32) leaf {
	text := leaf{node: parquet.String(), from: bytesValue}
	switch oid {
	case pgtype.BoolOID:
		return leaf{node: parquet.Leaf(parquet.BooleanType), from: fixed(1, func(b []byte) (parquet.Value, error) { return parquet.BooleanValue(b[0] != 0), nil })}
	case pgtype.Int2OID:
		return leaf{node: parquet.Int(16), from: fixed(2, func(b []byte) (parquet.Value, error) {
			return parquet.Int32Value(int32(int16(binary.BigEndian.Uint16(b)))), nil
		})}
	case pgtype.Int4OID:
		return leaf{node: parquet.Int(32), from: fixed(4, int32Value)}
	case pgtype.Int8OID:
		return leaf{node: parquet.Int(64), from: fixed(8, int64Value)}
	case pgtype.Float4OID:
		return leaf{node: parquet.Leaf(parquet.FloatType), from: fixed(4, func(b []byte) (parquet.Value, error) {
			return parquet.FloatValue(math.Float32frombits(binary.BigEndian.Uint32(b))), nil
		})}
	case pgtype.Float8OID:
		return leaf{node: parquet.Leaf(parquet.DoubleType), from: fixed(8, func(b []byte) (parquet.Value, error) {
			return parquet.DoubleValue(math.Float64frombits(binary.BigEndian.Uint64(b))), nil
		})}
	case pgtype.DateOID:
		return leaf{node: parquet.Date(), from: fixed(4, func(b []byte) (parquet.Value, error) {
			v := int32(binary.BigEndian.Uint32(b))
			if v == math.MaxInt32 || v == math.MinInt32 {
				return parquet.Value{}, errInfinite
			}
			return parquet.Int32Value(v + epochDays), nil
		})}
	case pgtype.TimeOID:
		return leaf{node: parquet.TimeAdjusted(parquet.Microsecond, false), from: fixed(8, int64Value)}
	case pgtype.TimestampOID:
		return leaf{node: parquet.TimestampAdjusted(parquet.Microsecond, false), from: fixed(8, microsValue)}
	case pgtype.TimestamptzOID:
		return leaf{node: parquet.TimestampAdjusted(parquet.Microsecond, true), from: fixed(8, microsValue)}
	case pgtype.UUIDOID:
		return leaf{node: parquet.UUID(), from: fixed(16, func(b []byte) (parquet.Value, error) { return parquet.FixedLenByteArrayValue(b), nil })}
	case pgtype.ByteaOID:
		return leaf{node: parquet.Leaf(parquet.ByteArrayType), from: bytesValue}
	case pgtype.JSONOID:
		return leaf{node: parquet.JSON(), from: bytesValue}
	case pgtype.JSONBOID:
		return leaf{node: parquet.JSON(), from: func(b []byte) (parquet.Value, error) {
			if len(b) == 0 || b[0] != 1 {
				return parquet.Value{}, errors.New("the version of the jsonb value is not 1")
			}
			return parquet.ByteArrayValue(b[1:]), nil
		}}
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID:
		return text
	case pgtype.NumericOID:
		if l, ok := decimalOf(modifier); ok {
			return l
		}
	}
	return leaf{node: parquet.String()}
}

// decimalOf is the leaf of numeric(precision, scale) where Parquet has it:
// integers of 4 or 8 bytes, or big-endian two's complement of 16.
func decimalOf(modifier int32) (leaf, bool) {
	if modifier < 4 {
		return leaf{}, false
	}
	precision := int(modifier-4) >> 16
	scale := int(modifier-4) & 0x7ff
	if precision < 1 || precision > 38 || scale > precision {
		return leaf{}, false
	}
	typ, value := parquet.FixedLenByteArrayType(16), func(n *big.Int) parquet.Value {
		var b [16]byte
		if n.Sign() < 0 {
			n.Add(n, new(big.Int).Lsh(big.NewInt(1), 128))
		}
		return parquet.FixedLenByteArrayValue(n.FillBytes(b[:]))
	}
	switch {
	case precision <= 9:
		typ, value = parquet.Int32Type, func(n *big.Int) parquet.Value { return parquet.Int32Value(int32(n.Int64())) }
	case precision <= 18:
		typ, value = parquet.Int64Type, func(n *big.Int) parquet.Value { return parquet.Int64Value(n.Int64()) }
	}
	return leaf{node: parquet.Decimal(scale, precision, typ), from: func(b []byte) (parquet.Value, error) {
		var n pgtype.Numeric
		if err := decode.Scan(pgtype.NumericOID, pgtype.BinaryFormatCode, b, &n); err != nil {
			return parquet.Value{}, err
		}
		if n.NaN || n.InfinityModifier != pgtype.Finite {
			return parquet.Value{}, errors.New("decimals of Parquet have no NaN and no infinity; export the table as csv")
		}
		v, ten := new(big.Int).Set(n.Int), big.NewInt(10)
		for shift := int(n.Exp) + scale; shift != 0; {
			if shift > 0 {
				v.Mul(v, ten)
				shift--
				continue
			}
			var rest big.Int
			if v.QuoRem(v, ten, &rest); rest.Sign() != 0 {
				return parquet.Value{}, fmt.Errorf("the value has more than %d digits after the point", scale)
			}
			shift++
		}
		if len(new(big.Int).Abs(v).String()) > precision && v.Sign() != 0 {
			return parquet.Value{}, fmt.Errorf("the value has more than %d digits", precision)
		}
		return value(v), nil
	}}, true
}

// decode reads what pgtype reads better than we would. It is not changed, and
// so may be shared.
var decode = pgtype.NewMap()

// columnOf is the leaf of a column: a list for an array whose elements have a
// Parquet type of their own.
func columnOf(c Column) leaf {
	if t, ok := decode.TypeForOID(c.OID); ok {
		if a, ok := t.Codec.(*pgtype.ArrayCodec); ok {
			if l := leafOf(a.ElementType.OID, c.Modifier); l.from != nil {
				l.elem = a.ElementType.OID
				return l
			}
		}
	}
	return leafOf(c.OID, c.Modifier)
}

// ordered is a group whose fields stand in the order of a table's columns.
// parquet.Group sorts them by name.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

type field struct {
	parquet.Node
	name string
}

func (f field) Name() string                           { return f.name }
func (f field) Value(base reflect.Value) reflect.Value { return base.MapIndex(reflect.ValueOf(f.name)) }
func (o ordered) Fields() []parquet.Field              { return o.fields }
func (o *ordered) add(name string, node parquet.Node) {
	o.Group[name] = node
	o.fields = append(o.fields, field{node, name})
}
