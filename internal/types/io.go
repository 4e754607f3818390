package types

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// AppendText appends d as Postgres's output function of t prints it. d must not
// be NULL. It does not allocate beyond dst's growth.
func AppendText(dst []byte, t T, d Datum, env *IOEnv) []byte {
	switch t.Kind {
	case Bool:
		if d.Bool {
			return append(dst, 't')
		}
		return append(dst, 'f')
	case Int2, Int4, Int8:
		return strconv.AppendInt(dst, d.Int, 10)
	case OID:
		return strconv.AppendUint(dst, uint64(uint32(d.Int)), 10)
	case Regclass:
		return appendRegclass(dst, uint32(d.Int), env)
	case Regtype:
		return appendRegtype(dst, uint32(d.Int), env)
	case Regproc, Regprocedure, Regoper, Regoperator, Regnamespace, Regrole, Regcollation:
		return appendObject(dst, t.Kind, uint32(d.Int), env)
	case XID, CID:
		return strconv.AppendUint(dst, uint64(uint32(d.Int)), 10)
	case TID:
		return appendTID(dst, d.Int)
	case PgLSN:
		return appendLSN(dst, d.Int)
	case Inet:
		return appendInet(dst, d.Bytes)
	case Enum:
		return appendEnum(dst, t, d.Int)
	case Float4:
		return AppendFloat4(dst, d.Float, env)
	case Float8:
		return AppendFloat8(dst, d.Float, env)
	case Numeric:
		return numeric.Append(dst, d.Decimal)
	case Bpchar:
		return AppendPadded(dst, t, d.Bytes)
	case Bytea:
		return AppendBytea(dst, d.Bytes, env)
	case UUID:
		return AppendUUID(dst, d.Bytes)
	case CharOne:
		return appendCharOne(dst, d.Bytes)
	case Date:
		return env.style().AppendDate(dst, d.Int)
	case Time:
		return datetime.AppendTime(dst, d.Int)
	case Timestamp:
		return env.style().AppendTimestamp(dst, d.Int)
	case Timestamptz:
		return env.style().AppendTimestamptz(dst, d.Int, env.zone())
	case Interval:
		return env.style().AppendInterval(dst, d.Interval.Months, d.Interval.Days, d.Interval.Micros)
	case Array:
		return appendArray(dst, t, d.Array, env)
	case Record:
		return appendRecord(dst, d.Array, env)
	case JSONPath:
		if env != nil && env.Kept {
			return append(dst, d.Bytes...)
		}
		return appendJSONPath(dst, d.Bytes)
	case Void:
		return dst
	}
	return append(dst, d.Bytes...)
}

// Format gives d as text.
func Format(t T, d Datum, env *IOEnv) string { return string(AppendText(nil, t, d, env)) }

// AppendPadded appends the text of a char(n), padded to n characters.
func AppendPadded(dst []byte, t T, b []byte) []byte {
	dst = append(dst, b...)
	if n, ok := t.Length(); ok {
		for pad := n - charCount(b); pad > 0; pad-- {
			dst = append(dst, ' ')
		}
	}
	return dst
}

// AppendUUID appends the 8-4-4-4-12 form.
func AppendUUID(dst []byte, b []byte) []byte {
	for i, c := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// AppendBytea appends the hex form, or the escape form if env asks for it.
func AppendBytea(dst []byte, b []byte, env *IOEnv) []byte {
	if env != nil && env.ByteaEscape {
		return AppendByteaEscape(dst, b)
	}
	dst = append(dst, '\\', 'x')
	for _, c := range b {
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}

// AppendByteaEscape appends the escape form.
func AppendByteaEscape(dst []byte, b []byte) []byte {
	for _, c := range b {
		switch {
		case c == '\\':
			dst = append(dst, '\\', '\\')
		case c < 0x20 || c > 0x7e:
			dst = append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func appendCharOne(dst []byte, b []byte) []byte {
	if len(b) == 0 || b[0] == 0 {
		return dst
	}
	if c := b[0]; c >= 0x80 {
		return append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
	}
	return append(dst, b[0])
}

func appendRegclass(dst []byte, oid uint32, env *IOEnv) []byte {
	if oid == 0 {
		return append(dst, '-')
	}
	if env != nil && env.Names != nil {
		if name, ok := env.Names.RelationName(oid); ok {
			return append(dst, name...)
		}
	}
	return strconv.AppendUint(dst, uint64(oid), 10)
}

func appendRegtype(dst []byte, oid uint32, env *IOEnv) []byte {
	if oid == 0 {
		return append(dst, '-')
	}
	if t, ok := FromOID(oid, -1); ok {
		return append(dst, t.String()...)
	}
	return appendObject(dst, Regtype, oid, env)
}
