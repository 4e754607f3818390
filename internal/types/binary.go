package types

import (
	"encoding/binary"
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// Binary formats, all integers big-endian:
//
//	bool 01/00            int2, int4, int8, oid      float4, float8: IEEE
//	date        int32 days since 2000-01-01, ±infinity the extremes
//	timestamp   int64 µs since 2000-01-01 00:00      time: int64 µs
//	interval    int64 µs, int32 days, int32 months   uuid: 16 bytes
//	jsonb, jsonpath: 01, then the text               text, json, bytea: as they are
//	array       int32 dimensions, int32 has NULLs, uint32 element OID,
//	            per dimension int32 length, int32 lower bound,
//	            per element int32 length (-1 is NULL) and its bytes

var be = binary.BigEndian

// AppendBinary appends d as Postgres's send function of t does. d must not be
// NULL. 0A000 for types that have no binary format.
func AppendBinary(dst []byte, t T, d Datum, env *IOEnv) ([]byte, error) {
	switch t.Kind {
	case Bool:
		if d.Bool {
			return append(dst, 1), nil
		}
		return append(dst, 0), nil
	case Int2:
		return be.AppendUint16(dst, uint16(d.Int)), nil
	case Int4, OID, Regclass, Regtype, Regproc, Regprocedure, Regoper, Regoperator, Regnamespace, Regrole, Regcollation, XID, CID:
		return be.AppendUint32(dst, uint32(d.Int)), nil
	case TID:
		return be.AppendUint16(be.AppendUint32(dst, uint32(d.Int>>16)), uint16(d.Int)), nil
	case PgLSN:
		return be.AppendUint64(dst, lsn(d.Int)), nil
	case ACLItem:
		return dst, sqlerr.Unsupported("no binary output function available for type aclitem", "Ask for text format.")
	case Int8, Time:
		return be.AppendUint64(dst, uint64(d.Int)), nil
	case Float4:
		return be.AppendUint32(dst, float4Bits(d.Float)), nil
	case Float8:
		return be.AppendUint64(dst, Float8Bits(d.Float)), nil
	case Numeric:
		return numeric.AppendBinary(dst, d.Decimal), nil
	case Bpchar:
		return AppendPadded(dst, t, d.Bytes), nil
	case Date:
		return be.AppendUint32(dst, uint32(dateToWire(d.Int))), nil
	case Timestamp, Timestamptz:
		v := d.Int
		if !datetime.IsInf(v) {
			v -= datetime.EpochOffsetMicros
		}
		return be.AppendUint64(dst, uint64(v)), nil
	case Interval:
		dst = be.AppendUint64(dst, uint64(d.Interval.Micros))
		dst = be.AppendUint32(dst, uint32(d.Interval.Days))
		return be.AppendUint32(dst, uint32(d.Interval.Months)), nil
	case JSONB:
		return append(append(dst, 1), d.Bytes...), nil
	case JSONPath:
		return appendJSONPath(append(dst, jsonpathVersion), d.Bytes), nil
	case CharOne:
		if len(d.Bytes) == 0 {
			return append(dst, 0), nil
		}
		return append(dst, d.Bytes[0]), nil
	case Array:
		return appendArrayBinary(dst, t, d.Array, env)
	case Record:
		return appendRecordBinary(dst, d.Array, env)
	case Enum:
		return appendEnum(dst, t, d.Int), nil
	case Void:
		return dst, nil
	}
	return append(dst, d.Bytes...), nil
}

func dateToWire(d int64) int32 {
	switch d {
	case datetime.PosInfinity:
		return math.MaxInt32
	case datetime.NegInfinity:
		return math.MinInt32
	}
	return int32(d - datetime.EpochOffsetDays)
}

func incorrectBinary() error {
	return sqlerr.New(sqlerr.InvalidBinaryRepresentation, "incorrect binary data format")
}

func insufficient() error {
	return sqlerr.New(sqlerr.ProtocolViolation, "insufficient data left in message")
}

// fixed checks the length of a fixed-width value.
func fixed(b []byte, n int) error {
	switch {
	case len(b) < n:
		return insufficient()
	case len(b) > n:
		return incorrectBinary()
	}
	return nil
}

// ParseBinary reads what AppendBinary writes, checking lengths and ranges, and
// applies t's modifier: 22P03 or 08P01 for bytes that are no value of the type.
// The result does not point into b.
func ParseBinary(t T, b []byte, env *IOEnv) (Datum, error) {
	d, err := parseBinary(t, b, env)
	if err != nil || t.Typmod() < 0 || t.Kind == Array {
		return d, err
	}
	return CoerceTypmod(t, d, false)
}

var fixedLen = [NumKinds]int{
	Bool: 1, Int2: 2, Int4: 4, OID: 4, Regclass: 4, Regtype: 4, Int8: 8, Float4: 4, Float8: 8,
	Date: 4, Time: 8, Timestamp: 8, Timestamptz: 8, Interval: 16, UUID: 16, CharOne: 1,
	Regproc: 4, Regprocedure: 4, Regoper: 4, Regoperator: 4, Regnamespace: 4, Regrole: 4, Regcollation: 4,
	XID: 4, CID: 4, TID: 6, PgLSN: 8,
}

func parseBinary(t T, b []byte, env *IOEnv) (Datum, error) {
	if n := fixedLen[t.Kind]; n > 0 {
		if err := fixed(b, n); err != nil {
			return NullDatum, err
		}
	}
	switch t.Kind {
	case Bool:
		return NewBool(b[0] != 0), nil
	case Int2:
		return NewInt(int64(int16(be.Uint16(b)))), nil
	case Int4:
		return NewInt(int64(int32(be.Uint32(b)))), nil
	case OID, Regclass, Regtype, Regproc, Regprocedure, Regoper, Regoperator, Regnamespace, Regrole, Regcollation, XID, CID:
		return NewInt(int64(be.Uint32(b))), nil
	case TID:
		return NewInt(int64(be.Uint32(b))<<16 | int64(be.Uint16(b[4:]))), nil
	case PgLSN:
		return NewInt(int64(lsn(int64(be.Uint64(b))))), nil
	case Inet:
		return parseInetBinary(b)
	case Int8:
		return NewInt(int64(be.Uint64(b))), nil
	case Float4:
		return NewFloat(float64(math.Float32frombits(be.Uint32(b)))), nil
	case Float8:
		return NewFloat(math.Float64frombits(be.Uint64(b))), nil
	case Numeric:
		z := new(apd.Decimal)
		err := numeric.ParseBinary(z, b)
		return NewDecimal(z), err
	case Date:
		return dateFromWire(int32(be.Uint32(b)))
	case Time:
		v := int64(be.Uint64(b))
		if v < 0 || v > datetime.MicrosPerDay {
			return NullDatum, sqlerr.New(sqlerr.DatetimeFieldOverflow, "time out of range")
		}
		return NewInt(v), nil
	case Timestamp, Timestamptz:
		return timestampFromWire(int64(be.Uint64(b)))
	case Interval:
		return Datum{Interval: IntervalValue{
			Micros: int64(be.Uint64(b)), Days: int32(be.Uint32(b[8:])), Months: int32(be.Uint32(b[12:])),
		}}, nil
	case UUID, Bytea, CharOne:
		return NewBytes(append([]byte{}, b...)), nil
	case JSONB:
		if len(b) == 0 {
			return NullDatum, insufficient()
		}
		if b[0] != 1 {
			return NullDatum, sqlerr.New(sqlerr.InternalError, "unsupported jsonb version number %d", b[0])
		}
		return parseAny(t, string(b[1:]), env)
	case JSONPath:
		if len(b) == 0 {
			return NullDatum, insufficient()
		}
		if b[0] != jsonpathVersion {
			return NullDatum, sqlerr.New(sqlerr.InternalError, "unsupported jsonpath version number: %d", b[0])
		}
		return parseAny(t, string(b[1:]), env)
	case Array:
		d, err := parseArrayBinary(t, b, env)
		if err == nil && t.IsVector() {
			return toVector(t, d)
		}
		return d, err
	case Text, Varchar, Bpchar, Name, JSON, Unknown, Enum:
		return parseAny(t, string(b), env)
	}
	return NullDatum, sqlerr.Unsupported("no binary input function available for type "+t.String(), "Send the value in text format.")
}

func dateFromWire(v int32) (Datum, error) {
	switch v {
	case math.MaxInt32:
		return NewInt(datetime.PosInfinity), nil
	case math.MinInt32:
		return NewInt(datetime.NegInfinity), nil
	}
	d := int64(v) + datetime.EpochOffsetDays
	if !datetime.ValidDate(d) {
		return NullDatum, datetime.DateOutOfRange()
	}
	return NewInt(d), nil
}

func timestampFromWire(v int64) (Datum, error) {
	if datetime.IsInf(v) {
		return NewInt(v), nil
	}
	if v > math.MaxInt64-datetime.EpochOffsetMicros || !datetime.ValidTimestamp(v+datetime.EpochOffsetMicros) {
		return NullDatum, datetime.TimestampOutOfRange()
	}
	return NewInt(v + datetime.EpochOffsetMicros), nil
}
