package types

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/jsonval"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// ParseText reads s as Postgres's input function of t does, and applies t's
// modifier as an assignment does. The result does not point into s. 22P02 for
// what is no value of the type, 22003, 22007, 22008 and 22001 as Postgres.
func ParseText(t T, s []byte, env *IOEnv) (Datum, error) {
	return ParseString(t, string(s), env)
}

// ParseString is ParseText for a string.
func ParseString(t T, s string, env *IOEnv) (Datum, error) {
	d, err := parseAny(t, s, env)
	if err != nil || t.Typmod() < 0 {
		return d, err
	}
	if t.Kind == Array {
		return d, nil // the elements were coerced one by one
	}
	return CoerceTypmod(t, d, false)
}

func parseAny(t T, s string, env *IOEnv) (Datum, error) {
	switch t.Kind {
	case Bool:
		v, ok := parseBool(s)
		if !ok {
			return NullDatum, invalidInput("boolean", s)
		}
		return NewBool(v), nil
	case Int2:
		return parseInt(s, "smallint", math.MinInt16, math.MaxInt16)
	case Int4:
		return parseInt(s, "integer", math.MinInt32, math.MaxInt32)
	case Int8:
		return parseInt(s, "bigint", math.MinInt64, math.MaxInt64)
	case OID:
		return parseOID(s, "oid")
	case Regclass:
		return parseRegclass(s, env)
	case Enum:
		return parseEnum(t, s)
	case Regtype:
		return parseRegtype(s, env)
	case Regproc, Regprocedure, Regoper, Regoperator, Regnamespace, Regrole, Regcollation:
		return parseObject(t.Kind, s, env)
	case XID, CID:
		return parseXID(s), nil
	case Record:
		return parseRecord(t, s, env)
	case TID:
		return parseTID(s)
	case PgLSN:
		return parseLSN(s)
	case Inet:
		return parseInet(s)
	case ACLItem, NodeTree, NDistinct, Dependencies, MCVList:
		return NullDatum, sqlerr.New(sqlerr.FeatureNotSupported, "cannot accept a value of type %s", t)
	case Float4, Float8:
		bits := 64
		if t.Kind == Float4 {
			bits = 32
		}
		f, err := parseFloat(s, bits)
		return NewFloat(f), err
	case Numeric:
		z := new(apd.Decimal)
		if err := numeric.Parse(z, s); err != nil {
			return NullDatum, err
		}
		return NewDecimal(z), nil
	case Bytea:
		b, err := ParseBytea(s)
		return NewBytes(b), err
	case UUID:
		return parseUUID(s)
	case Date, Time, Timestamp, Timestamptz:
		return parseDatetime(t, s, env)
	case Interval:
		sp, used, err := env.style().Spans.Parse(s, t.IntervalFields())
		if used {
			env.touch()
		}
		return Datum{Interval: IntervalValue{Months: sp.Months, Days: sp.Days, Micros: sp.Micros}}, err
	case JSON:
		if err := CheckUTF8(s); err != nil {
			return NullDatum, err
		}
		return NewText(s), jsonval.Validate(s)
	case JSONB:
		if err := CheckUTF8(s); err != nil {
			return NullDatum, err
		}
		return canonicalJSON(s)
	case JSONPath:
		return parseJSONPath(s)
	case Array:
		if t.IsVector() {
			return parseVector(t, s)
		}
		return parseArray(t, s, env)
	case CharOne:
		return parseCharOne(s), nil
	case Name:
		if err := CheckUTF8(s); err != nil {
			return NullDatum, err
		}
		return NewText(TruncateName(s)), nil
	case Text, Varchar, Bpchar, Unknown:
		return NewText(s), CheckUTF8(s)
	case Void:
		return NewText(""), nil
	}
	return NullDatum, sqlerr.Unsupported("input of anonymous composite types is not implemented",
		"Write the value as ROW(...).")
}

func canonicalJSON(s string) (Datum, error) {
	v, err := jsonval.Parse(s)
	if err != nil {
		return NullDatum, err
	}
	return NewBytes(v.Append(nil)), nil
}

// CheckUTF8 refuses what a text value cannot hold: 22021.
func CheckUTF8(s string) error {
	if utf8.ValidString(s) {
		if strings.IndexByte(s, 0) < 0 {
			return nil
		}
		return badEncoding("0x00")
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return badEncoding(encodingBytes(s[i:]))
		}
		i += n
	}
	return nil
}

func badEncoding(b string) error {
	return sqlerr.New(sqlerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": %s`, b)
}

// encodingBytes shows the bytes that a sequence starting at s would have.
func encodingBytes(s string) string {
	n := 1
	switch c := s[0]; {
	case c >= 0xf0 && c < 0xf8:
		n = 4
	case c >= 0xe0 && c < 0xf0:
		n = 3
	case c >= 0xc0 && c < 0xe0:
		n = 2
	}
	var out []string
	for i := range min(n, len(s)) {
		out = append(out, "0x"+string([]byte{hexDigits[s[i]>>4], hexDigits[s[i]&15]}))
	}
	return strings.Join(out, " ")
}

// TruncateName cuts an identifier to the 63 bytes of type name.
func TruncateName(s string) string {
	if len(s) <= 63 {
		return s
	}
	n := 63
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func parseBool(s string) (v, ok bool) {
	t := strings.ToLower(trimSpace(s))
	if t == "" {
		return false, false
	}
	switch {
	case t == "1" || t == "on" || strings.HasPrefix("true", t) || strings.HasPrefix("yes", t):
		return true, true
	case t == "0" || t == "off" || t == "of" || strings.HasPrefix("false", t) || strings.HasPrefix("no", t):
		return false, true
	}
	return false, false
}

func parseInt(s, name string, lo, hi int64) (Datum, error) {
	t := trimSpace(s)
	body := strings.TrimLeft(t, "+-")
	digits := body[:len(body)-len(strings.TrimLeft(body, "0123456789"))]
	if digits == "" || len(t)-len(body) > 1 {
		return NullDatum, invalidInput(name, s)
	}
	v, err := strconv.ParseInt(t[:len(t)-len(body)+len(digits)], 10, 64)
	if len(digits) < len(body) {
		// What even its negative could not hold is too large before the rest is looked at.
		if name == "oid" || err == nil && v >= lo && (lo == math.MinInt64 || v <= -lo) {
			return NullDatum, invalidInput(name, s)
		}
		v, err = 0, strconv.ErrRange
	}
	if err != nil || v < lo || v > hi {
		return NullDatum, sqlerr.New(sqlerr.NumericValueOutOfRange, `value "%s" is out of range for type %s`, s, name)
	}
	return NewInt(v), nil
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func parseOID(s, name string) (Datum, error) {
	d, err := parseInt(s, name, math.MinInt32, math.MaxUint32)
	d.Int = int64(uint32(d.Int))
	return d, err
}

func parseRegclass(s string, env *IOEnv) (Datum, error) {
	t := trimSpace(s)
	switch {
	case t == "-":
		return NewInt(0), nil
	case allDigits(t):
		return parseOID(t, "oid")
	}
	env.touch()
	if env == nil || env.Names == nil {
		return NullDatum, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, t)
	}
	oid, err := env.Names.RelationOID(t)
	return NewInt(int64(oid)), err
}

func parseRegtype(s string, env *IOEnv) (Datum, error) {
	t := trimSpace(s)
	switch {
	case t == "-":
		return NewInt(0), nil
	case allDigits(t):
		return parseOID(t, "oid")
	}
	name := strings.ToLower(t)
	// The modifier does not matter, but "time(3) without time zone" has one.
	if i := strings.IndexByte(name, '('); i > 0 {
		if j := strings.IndexByte(name, ')'); j > i {
			name = name[:i] + name[j+1:]
		}
	}
	name = strings.Join(strings.Fields(name), " ")
	typ, err := FromName(name, nil, false)
	if sqlerr.CodeOf(err) == sqlerr.UndefinedObject && env != nil {
		env.touch() // users may have made it
		if names, ok := env.Names.(ObjectResolver); ok {
			oid, err := names.ObjectOID(Regtype, t)
			return NewInt(int64(oid)), err
		}
	}
	return NewInt(int64(typ.OID())), err
}

func parseUUID(s string) (Datum, error) {
	bad := func() (Datum, error) { return NullDatum, invalidInput("uuid", s) }
	t := s
	if strings.HasPrefix(t, "{") {
		if !strings.HasSuffix(t, "}") {
			return bad()
		}
		t = t[1 : len(t)-1]
	}
	out := make([]byte, 0, 16)
	for i := range 16 {
		// A hyphen may follow any group of four digits.
		if i > 0 && i%2 == 0 && strings.HasPrefix(t, "-") {
			t = t[1:]
		}
		if len(t) < 2 {
			return bad()
		}
		hi, err1 := hexValue(t)
		lo, err2 := hexValue(t[1:])
		if err1 != nil || err2 != nil {
			return bad()
		}
		out = append(out, hi<<4|lo)
		t = t[2:]
	}
	if t != "" {
		return bad()
	}
	return NewBytes(out), nil
}

func parseCharOne(s string) Datum {
	if len(s) == 4 && s[0] == '\\' && isOctal(s[1]) && isOctal(s[2]) && isOctal(s[3]) {
		return NewBytes([]byte{(s[1]-'0')<<6 | (s[2]-'0')<<3 | (s[3] - '0')})
	}
	if s == "" {
		return NewBytes([]byte{0})
	}
	return NewBytes([]byte{s[0]})
}

func parseDatetime(t T, s string, env *IOEnv) (Datum, error) {
	ctx := datetime.Context{Zone: env.zone(), Now: env.now(), Order: env.style().Order}
	var v int64
	var err error
	switch t.Kind {
	case Date:
		v, err = datetime.ParseDate(s, &ctx)
	case Time:
		v, err = datetime.ParseTime(s, &ctx)
	case Timestamp:
		v, err = datetime.ParseTimestamp(s, &ctx)
	default:
		v, err = datetime.ParseTimestamptz(s, &ctx)
	}
	if ctx.Used {
		env.touch()
	}
	return NewInt(v), err
}

func charCount(b []byte) int { return utf8.RuneCount(b) }

func trimBlanks(b []byte) []byte { return bytes.TrimRight(b, " ") }
