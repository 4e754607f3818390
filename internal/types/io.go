package types

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// AppendText appends d as Postgres's output function of t prints it. d must not
// be NULL. It does not allocate beyond dst's growth, but for jsonb and arrays.
func AppendText(dst []byte, t T, d Datum, env *IOEnv) []byte {
	return dst
}

// ParseText reads s as Postgres's input function of t does, and applies t's
// modifier as an assignment does. The result does not point into s. 22P02 for
// what is no value of the type, 22003, 22007, 22008 and 22001 as Postgres.
func ParseText(t T, s []byte, env *IOEnv) (Datum, error) {
	return NullDatum, sqlerr.New(sqlerr.FeatureNotSupported, "not there yet")
}

// AppendBinary appends d as Postgres's send function of t does. d must not be
// NULL. 0A000 for types that have no binary format.
func AppendBinary(dst []byte, t T, d Datum, env *IOEnv) ([]byte, error) {
	return dst, nil
}

// ParseBinary reads what AppendBinary writes, checking lengths and ranges, and
// applies t's modifier: 22P03 for bytes that are no value of the type. The
// result does not point into b.
func ParseBinary(t T, b []byte, env *IOEnv) (Datum, error) {
	return NullDatum, sqlerr.New(sqlerr.FeatureNotSupported, "not there yet")
}

// Compare orders two values of type t as Postgres's btree operators do: NULL is
// greatest, NaN is greater than any number, text by bytes, trailing blanks of
// char(n) do not count. json has no order: it compares by bytes.
func Compare(t T, a, b Datum) int { return 0 }

// Hash gives equal numbers for values that Compare calls equal. It is not
// stable between processes.
func Hash(t T, d Datum, seed uint64) uint64 { return 0 }

// CoerceTypmod applies t's modifier to a value of t's kind. Explicit casts
// truncate varchar(n) and char(n) in silence; otherwise 22001. numeric(p,s)
// rounds, then 22003 if the precision does not hold the value.
func CoerceTypmod(t T, d Datum, explicit bool) (Datum, error) { return d, nil }
