package random

import (
	"fmt"
	"strings"
)

// class groups the types that take the same predicates.
type class int

const (
	classInt class = iota
	classNumeric
	classFloat
	classText
	classChar
	classBool
	classDate
	classTimestamp
	classTime
	classBytea
	classUUID
	classJSON
	classArray
)

// colType is a type with the values that its columns may take, in Postgres's
// text form. No two values of a type are equal in SQL.
type colType struct {
	decl   string // in saltsql's DDL
	plain  string // in Postgres's, and in casts; "" where it has no such type
	class  class
	oid    uint32
	array  uint32 // OID of the array type
	values []string
	probes []string // that predicates compare with besides: columns may not take them
}

var texts = []string{"", "a", "aa", "ab", "b", "B", "b%", "a_b", `a\b`, "é", "ÿ", "zz", "a\x01", "\U0010FFFF"}

var dates = []string{"-infinity", "1969-12-31", "1970-01-01", "2023-12-31", "2024-01-01", "2024-02-28", "2024-02-29", "2024-03-01", "infinity"}

var stamps = []string{"-infinity", "1969-12-31 23:59:59.999999", "1970-01-01 00:00:00", "2023-12-31 23:59:59.999999",
	"2024-01-01 00:00:00", "2024-01-01 00:00:00.000001", "2024-02-29 00:00:00", "2024-06-01 12:00:00.5", "infinity"}

var floats = []string{"-Infinity", "-1.5", "0", "0.25", "1", "2.5", "1e+10", "Infinity", "NaN"}

// keyTypes may be key columns too.
var keyTypes = []colType{
	{decl: "INT", plain: "integer", class: classInt, oid: 23, array: 1007, values: strs(-2147483648, -7, -1, 0, 1, 2, 3, 4, 5, 6, 2147483647)},
	{decl: "INT", plain: "integer", class: classInt, oid: 23, array: 1007, values: strs(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)},
	{decl: "BIGINT", plain: "bigint", class: classInt, oid: 20, array: 1016, values: strs(-9223372036854775808, -9000000000, -1, 0, 1, 2, 3, 9000000000, 9223372036854775807)},
	{decl: "SMALLINT", plain: "smallint", class: classInt, oid: 21, array: 1005, values: strs(-32768, -2, 0, 1, 2, 3, 32767)},
	{decl: "TINYINT", plain: "smallint", class: classInt, oid: 21, array: 1005, values: strs(-128, -2, 0, 1, 2, 127), probes: strs(128, -129, 200)},
	{decl: "UNSIGNED_TINYINT", plain: "smallint", class: classInt, oid: 21, array: 1005, values: strs(0, 1, 2, 127), probes: strs(-1, 128)},
	{decl: "UNSIGNED_SMALLINT", plain: "smallint", class: classInt, oid: 21, array: 1005, values: strs(0, 1, 2, 32767), probes: strs(-1)},
	{decl: "UNSIGNED_INT", plain: "integer", class: classInt, oid: 23, array: 1007, values: strs(0, 1, 2, 3, 2147483647), probes: strs(-1, -2147483648)},
	{decl: "UNSIGNED_LONG", plain: "bigint", class: classInt, oid: 20, array: 1016, values: strs(0, 1, 2, 3, 9223372036854775807), probes: strs(-1, -9223372036854775808)},
	{decl: "NUMERIC(8,2)", plain: "numeric", class: classNumeric, oid: 1700, array: 1231, values: []string{"-99999.99", "-1.50", "-1.00", "0.00", "0.01", "1.00", "1.50", "2.00", "100.00", "99999.99"}, probes: []string{"1.001", "1.499", "-1000000"}},
	{decl: "NUMERIC", plain: "numeric", class: classNumeric, oid: 1700, array: 1231, values: []string{"-123.456", "-1", "0", "0.000001", "1", "1.5", "2", "99", "100", "100000000000000000000"}, probes: []string{"1.0000000001", "99.5"}},
	{decl: "REAL", plain: "real", class: classFloat, oid: 700, array: 1021, values: floats, probes: []string{"-0", "0.1"}},
	{decl: "DOUBLE PRECISION", plain: "double precision", class: classFloat, oid: 701, array: 1022, values: floats, probes: []string{"-0", "0.1"}},
	{decl: "VARCHAR", plain: "varchar", class: classText, oid: 1043, array: 1015, values: texts},
	{decl: "VARCHAR(3)", plain: "varchar", class: classText, oid: 1043, array: 1015, values: []string{"", "a", "ab", "abc", "b", "日本語", "éa"}, probes: []string{"abcd", "a "}},
	{decl: "TEXT", plain: "text", class: classText, oid: 25, array: 1009, values: texts},
	{decl: "CHAR(3)", plain: "bpchar", class: classChar, oid: 1042, array: 1014, values: []string{"", "a", "ab", "abc", "b", "x y"}, probes: []string{"a ", "abcd"}},
	{decl: "BOOLEAN", plain: "boolean", class: classBool, oid: 16, array: 1000, values: []string{"false", "true"}},
	{decl: "DATE", plain: "date", class: classDate, oid: 1082, array: 1182, values: dates, probes: []string{"2024-01-31"}},
	{decl: "TIME", plain: "time", class: classTime, oid: 1083, array: 1183, values: []string{"00:00:00", "00:00:00.001", "12:34:56.789", "23:59:59.999"}, probes: []string{"12:34:56.7891", "24:00:00"}},
	{decl: "TIMESTAMP", plain: "timestamp", class: classTimestamp, oid: 1114, array: 1115, values: stamps, probes: []string{"2024-01-15 00:00:00"}},
	{decl: "TIMESTAMPTZ", plain: "timestamptz", class: classTimestamp, oid: 1184, array: 1185, values: zoned(stamps), probes: []string{"2024-01-01 00:00:00+02"}},
	{decl: "BYTEA", plain: "bytea", class: classBytea, oid: 17, array: 1001, values: []string{`\x`, `\x00`, `\x0000`, `\x0001`, `\x00ff`, `\x01`, `\xff`, `\xff00`, `\xffff`}},
	{decl: "VARBINARY", plain: "bytea", class: classBytea, oid: 17, array: 1001, values: []string{`\x`, `\x00`, `\x01`, `\xff`}},
	{decl: "BINARY(2)", class: classBytea, oid: 17, array: 1001, values: []string{`\x0000`, `\x0001`, `\x01ff`, `\xffff`}},
	{decl: "UUID", plain: "uuid", class: classUUID, oid: 2950, array: 2951, values: []string{"00000000-0000-0000-0000-000000000000", "12345678-9abc-def0-1234-56789abcdef0", "ffffffff-ffff-ffff-ffff-ffffffffffff"}},
}

// valueTypes cannot be in a key.
var valueTypes = []colType{
	{decl: "JSONB", plain: "jsonb", class: classJSON, oid: 3802, array: 3807, values: []string{`{"a": 1, "b": [true, null]}`, `{"a": "x"}`, `[1, 2]`, `"x"`, `null`}},
	{decl: "INT[]", plain: "integer[]", class: classArray, oid: 1007, values: []string{"{}", "{1,2,3}", "{1,3}", "{-2147483648,2147483647}"}},
	{decl: "VARCHAR[]", plain: "varchar[]", class: classArray, oid: 1015, values: []string{"{}", "{a,b}", "{a,NULL}", `{"a b",""}`}},
}

var limitType = colType{decl: "BIGINT", plain: "bigint", class: classInt, oid: 20}

func strs(vs ...int) []string {
	var out []string
	for _, v := range vs {
		out = append(out, fmt.Sprint(v))
	}
	return out
}

func zoned(in []string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		if out[i] = s; !strings.HasSuffix(s, "infinity") {
			out[i] += "+00"
		}
	}
	return out
}

// lit writes a value as a literal.
func (t *colType) lit(v string) string {
	switch t.class {
	case classInt, classNumeric, classBool:
		return v
	case classFloat:
		if !strings.HasSuffix(v, "y") && v != "NaN" {
			return v
		}
	}
	return quote(v)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// castName is how a cast names the type.
func (t *colType) castName() string {
	if t.plain == "" {
		return "bytea"
	}
	return t.plain
}

// arrayText is an array's text form; an empty pointer is NULL.
func arrayText(vs []*string) string {
	esc := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	var out []string
	for _, v := range vs {
		if v == nil {
			out = append(out, "NULL")
		} else {
			out = append(out, `"`+esc.Replace(*v)+`"`)
		}
	}
	return "{" + strings.Join(out, ",") + "}"
}
