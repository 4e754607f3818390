package types

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Text of the types of system columns. The value of a reg… type is an OID; what
// it names is known to the catalog.

// ObjectResolver is a NameResolver that knows more than relations.
type ObjectResolver interface {
	NameResolver
	// ObjectOID finds what a reg… type names by its text.
	ObjectOID(kind Kind, name string) (oid uint32, err error)
	// ObjectName prints it; ok is false if there is none.
	ObjectName(kind Kind, oid uint32) (name string, ok bool)
}

func appendObject(dst []byte, k Kind, oid uint32, env *IOEnv) []byte {
	if oid == 0 {
		if k == Regoper || k == Regoperator {
			return append(dst, '0')
		}
		return append(dst, '-')
	}
	if env != nil {
		if names, ok := env.Names.(ObjectResolver); ok {
			if name, ok := names.ObjectName(k, oid); ok {
				return append(dst, name...)
			}
		}
	}
	return strconv.AppendUint(dst, uint64(oid), 10)
}

func parseObject(k Kind, s string, env *IOEnv) (Datum, error) {
	switch {
	case s == "-" && k != Regoper && k != Regoperator, s == "0":
		return NewInt(0), nil
	case allDigits(s):
		return parseOID(s, "oid")
	}
	env.touch()
	if env != nil {
		if names, ok := env.Names.(ObjectResolver); ok {
			oid, err := names.ObjectOID(k, s)
			return NewInt(int64(oid)), err
		}
	}
	return NullDatum, sqlerr.New(sqlerr.UndefinedObject, `%s "%s" does not exist`, k, s)
}

// parseXID reads what C's strtoul does in base 0: a sign, a prefix for the base, and digits as
// far as they go. It never fails; what is beyond 64 bits is the greatest number.
func parseXID(s string) Datum {
	t := strings.TrimLeft(s, " \t\n\v\f\r")
	neg := strings.HasPrefix(t, "-")
	if neg || strings.HasPrefix(t, "+") {
		t = t[1:]
	}
	base := uint64(10)
	switch {
	case len(t) > 2 && t[0] == '0' && t[1]|0x20 == 'x' && digitOf(t[2]) < 16:
		base, t = 16, t[2:]
	case strings.HasPrefix(t, "0"):
		base = 8
	}
	v := uint64(0)
	for ; t != "" && digitOf(t[0]) < base; t = t[1:] {
		hi, lo := bits.Mul64(v, base)
		sum, carry := bits.Add64(lo, digitOf(t[0]), 0)
		if hi != 0 || carry != 0 {
			return NewInt(math.MaxUint32)
		}
		v = sum
	}
	if neg {
		v = -v
	}
	return NewInt(int64(uint32(v)))
}

// digitOf is the value of a digit in base 16, 16 for what is none.
func digitOf(c byte) uint64 {
	switch {
	case '0' <= c && c <= '9':
		return uint64(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return uint64(c|0x20-'a') + 10
	}
	return 16
}

func appendTID(dst []byte, v int64) []byte {
	dst = strconv.AppendUint(append(dst, '('), uint64(uint32(v>>16)), 10)
	return append(strconv.AppendUint(append(dst, ','), uint64(uint16(v)), 10), ')')
}

// parseTID reads as PostgreSQL does: what stands before the parenthesis and behind it does not count.
func parseTID(s string) (Datum, error) {
	_, t, open := strings.Cut(s, "(")
	t, _, closed := strings.Cut(t, ")")
	block, row, ok := strings.Cut(t, ",")
	b, err1 := strconv.ParseUint(strings.TrimLeft(block, " \t\n\v\f\r"), 10, 32)
	r, err2 := strconv.ParseUint(strings.TrimLeft(row, " \t\n\v\f\r"), 10, 16)
	if !open || !closed || !ok || err1 != nil || err2 != nil {
		return NullDatum, invalidInput("tid", s)
	}
	return NewInt(int64(b<<16 | r)), nil
}

// lsn turns the highest bit over: as stored and as sent.
func lsn(v int64) uint64 { return uint64(v) ^ 1<<63 }

func appendLSN(dst []byte, v int64) []byte {
	u := lsn(v)
	return fmt.Appendf(dst, "%X/%X", u>>32, u&math.MaxUint32)
}

func parseLSN(s string) (Datum, error) {
	hi, lo, ok := strings.Cut(s, "/")
	h, err1 := strconv.ParseUint(hi, 16, 32)
	l, err2 := strconv.ParseUint(lo, 16, 32)
	if !ok || err1 != nil || err2 != nil {
		return NullDatum, invalidInput("pg_lsn", s)
	}
	return NewInt(int64(lsn(int64(h<<32 | l)))), nil
}
