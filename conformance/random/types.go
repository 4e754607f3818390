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
	classJSONText // has no equality
	classArray
	classInterval // has no order in a key
	classWide     // a numeric of any size
)

// colType is a type with the values that its columns may take, in Postgres's
// text form. No two values of a type are equal in SQL.
type colType struct {
	decl   string // in DDL
	pg     string // in Postgres's DDL, where it does not know decl
	check  string // what the values obey there; %s is the column
	plain  string // in casts
	class  class
	oid    uint32
	array  uint32 // OID of the array type; 0: arrays of it are not made
	elem   *colType
	values []string
	forms  []string // that rows write besides: they round, pad or cut to a value
	bad    []string // that columns refuse
	probes []string // that predicates compare with besides: columns may not take them
}

var texts = []string{"", "a", "aa", "ab", "b", "B", "b%", "a_b", `a\b`, "é", "ÿ", "zz", "a\x01", "\U0010FFFF"}

var dates = []string{"-infinity", "1969-12-31", "1970-01-01", "2023-12-31", "2024-01-01", "2024-02-28", "2024-02-29", "2024-03-01", "infinity"}

var stamps = []string{"-infinity", "1969-12-31 23:59:59.999999", "1970-01-01 00:00:00", "2023-12-31 23:59:59.999999",
	"2024-01-01 00:00:00", "2024-01-01 00:00:00.000001", "2024-02-29 00:00:00", "2024-06-01 12:00:00.5", "infinity"}

var floats = []string{"-Infinity", "-1.5", "0", "0.25", "1", "2.5", "1e+10", "Infinity", "NaN"}

// keyTypes may be key columns too.
var keyTypes = []colType{
	{decl: "INT", plain: "integer", class: classInt, oid: 23, array: 1007, values: strs(-2147483648, -7, -1, 0, 1, 2, 3, 4, 5, 6, 2147483647), bad: []string{"2147483648", "-2147483649"}},
	{decl: "INT", plain: "integer", class: classInt, oid: 23, array: 1007, values: strs(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), bad: []string{"1e10"}},
	{decl: "BIGINT", plain: "bigint", class: classInt, oid: 20, array: 1016, values: strs(-9223372036854775808, -9000000000, -1, 0, 1, 2, 3, 9000000000, 9223372036854775807), bad: []string{"9223372036854775808"}},
	{decl: "SMALLINT", plain: "smallint", class: classInt, oid: 21, array: 1005, values: strs(-32768, -2, 0, 1, 2, 3, 32767), bad: strs(32768, -32769)},
	{decl: "TINYINT", pg: "smallint", check: "%s BETWEEN -128 AND 127", plain: "smallint", class: classInt, oid: 21, array: 1005, values: strs(-128, -2, 0, 1, 2, 127), probes: strs(128, -129, 200), bad: strs(128, -129)},
	{decl: "UNSIGNED_TINYINT", pg: "smallint", check: "%s BETWEEN 0 AND 127", plain: "smallint", class: classInt, oid: 21, array: 1005, values: strs(0, 1, 2, 127), probes: strs(-1, 128), bad: strs(-1, 128)},
	{decl: "UNSIGNED_SMALLINT", pg: "smallint", check: "%s >= 0", plain: "smallint", class: classInt, oid: 21, array: 1005, values: strs(0, 1, 2, 32767), probes: strs(-1), bad: strs(-1)},
	{decl: "UNSIGNED_INT", pg: "integer", check: "%s >= 0", plain: "integer", class: classInt, oid: 23, array: 1007, values: strs(0, 1, 2, 3, 2147483647), probes: strs(-1, -2147483648), bad: strs(-1)},
	{decl: "UNSIGNED_LONG", pg: "bigint", check: "%s >= 0", plain: "bigint", class: classInt, oid: 20, array: 1016, values: strs(0, 1, 2, 3, 9223372036854775807), probes: strs(-1, -9223372036854775808), bad: strs(-1)},
	{decl: "NUMERIC(8,2)", plain: "numeric", class: classNumeric, oid: 1700, array: 1231, values: []string{"-99999.99", "-1.50", "-1.00", "0.00", "0.01", "1.00", "1.50", "2.00", "100.00", "99999.99"}, forms: []string{"1.004", "1.495", "-1.005", "0.0149", "0.004999", "99999.994", "1.5", "2"}, bad: []string{"999999.995", "1e8"}, probes: []string{"1.001", "1.499", "-1000000"}},
	{decl: "DECIMAL(12,4)", plain: "numeric", class: classNumeric, oid: 1700, array: 1231, values: []string{"-12345678.0001", "-1.0000", "0.0000", "0.0001", "1.0000", "1.5000", "99.9999"}, forms: []string{"1.00004", "-0.99995", "0.00005", "99.99994"}, bad: []string{"99999999.99995"}, probes: []string{"1.00001", "1e20"}},
	{decl: "NUMERIC", plain: "numeric", class: classNumeric, oid: 1700, array: 1231, values: []string{"-123.456", "-1", "0", "0.000001", "1", "1.5", "2", "99", "100", "100000000000000000000"}, probes: []string{"1.0000000001", "99.5"}},
	{decl: "REAL", plain: "real", class: classFloat, oid: 700, array: 1021, values: floats, forms: []string{"0.1", "1e-40"}, bad: []string{"1e40"}, probes: []string{"-0", "0.1"}},
	{decl: "DOUBLE PRECISION", plain: "double precision", class: classFloat, oid: 701, array: 1022, values: floats, forms: []string{"0.1", "1e-310"}, bad: []string{"1e400"}, probes: []string{"-0", "0.1"}},
	{decl: "VARCHAR", plain: "varchar", class: classText, oid: 1043, array: 1015, values: texts},
	{decl: "VARCHAR(3)", plain: "varchar", class: classText, oid: 1043, array: 1015, values: []string{"", "a", "ab", "abc", "b", "日本語", "éa"}, forms: []string{"abc  ", "ab "}, bad: []string{"abcd", "日本語x"}, probes: []string{"abcd", "a "}},
	{decl: "TEXT", plain: "text", class: classText, oid: 25, array: 1009, values: texts},
	{decl: "CHAR(3)", plain: "bpchar", class: classChar, oid: 1042, array: 1014, values: []string{"", "a", "ab", "abc", "b", "x y"}, forms: []string{"a ", "ab ", "abc  ", "  "}, bad: []string{"abcd"}, probes: []string{"a ", "abcd", "b    ", " a"}},
	{decl: "BOOLEAN", plain: "boolean", class: classBool, oid: 16, array: 1000, values: []string{"false", "true"}},
	{decl: "DATE", plain: "date", class: classDate, oid: 1082, array: 1182, values: dates, bad: []string{"2024-02-30", "2024-13-01"}, probes: []string{"2024-01-31"}},
	{decl: "NUMERIC", plain: "numeric", class: classWide, oid: 1700, array: 1231, values: []string{"-Infinity", "-12345678901234567890123456789012345678901234567890", "-1234567890123456789012345678901234567890.25", "-1234567890123456789012345678901234567890.125", "-1234567890123456789012345678901234567890", "-1.5", "0", "1", "1234567890123456789012345678901234567890", "1234567890123456789012345678901234567890.125", "12345678901234567890123456789012345678901234567890", "Infinity", "NaN"}, probes: []string{"-1e-200", "1e-200", "1e200", "-1e200", "1234567890123456789012345678901234567890.1"}},
	{decl: "TIME", plain: "time", class: classTime, oid: 1083, array: 1183, values: []string{"00:00:00", "00:00:00.000001", "12:34:56.789", "12:34:56.789012", "23:59:59.999999"}, forms: []string{"12:34:56.7890118", "00:00:00.0000006"}, bad: []string{"25:00:00"}, probes: []string{"12:34:56.7891", "24:00:00"}},
	{decl: "TIME(3)", plain: "time", class: classTime, oid: 1083, array: 1183, values: []string{"00:00:00", "00:00:00.001", "12:34:56.789", "23:59:59.999"}, forms: []string{"12:34:56.7891", "00:00:00.0006", "23:59:59.9991"}, bad: []string{"25:00:00"}, probes: []string{"12:34:56.7891", "24:00:00"}},
	{decl: "TIMESTAMP", plain: "timestamp", class: classTimestamp, oid: 1114, array: 1115, values: stamps, forms: []string{"2024-01-01 00:00:00.0000004", "2023-12-31 23:59:59.9999988", "2024-02-29"}, bad: []string{"2023-02-29 00:00:00"}, probes: []string{"2024-01-15 00:00:00"}},
	{decl: "TIMESTAMPTZ", plain: "timestamptz", class: classTimestamp, oid: 1184, array: 1185, values: zoned(stamps), forms: []string{"2024-01-01 05:30:00+05:30", "2023-12-31 19:00:00-05"}, bad: []string{"2024-01-01 24:30:00+00"}, probes: []string{"2024-01-01 00:00:00+02"}},
	{decl: "BYTEA", plain: "bytea", class: classBytea, oid: 17, array: 1001, values: []string{`\x`, `\x00`, `\x0000`, `\x0001`, `\x00ff`, `\x01`, `\xff`, `\xff00`, `\xffff`}, forms: []string{`\000`, `\x00FF`}, bad: []string{`\x0g`}},
	{decl: "VARBINARY", pg: "bytea", plain: "bytea", class: classBytea, oid: 17, array: 1001, values: []string{`\x`, `\x00`, `\x01`, `\xff`}},
	{decl: "BINARY(2)", pg: "bytea", plain: "bytea", class: classBytea, oid: 17, array: 1001, values: []string{`\x0000`, `\x0001`, `\x01ff`, `\xff00`, `\xffff`}, probes: []string{`\x`, `\x00`, `\x01`, `\xff`, `\x000000`, `\xffff00`}},
	{decl: "UUID", plain: "uuid", class: classUUID, oid: 2950, array: 2951, values: []string{"00000000-0000-0000-0000-000000000000", "12345678-9abc-def0-1234-56789abcdef0", "ffffffff-ffff-ffff-ffff-ffffffffffff"}, forms: []string{"{12345678-9ABC-DEF0-1234-56789ABCDEF0}", "ffffffffffffffffffffffffffffffff"}, bad: []string{"12345678-9abc"}},
}

// valueTypes cannot be in a key.
var valueTypes = []colType{
	{decl: "JSONB", plain: "jsonb", class: classJSON, oid: 3802, array: 3807,
		values: []string{`{"a": 1, "b": [true, null]}`, `{"a": "x"}`, `{"b": 0}`, `{}`, `[1, 2]`, `[1]`, `[]`, `[[]]`, `"x"`, `"é"`, `1`, `-1.5`, `true`, `false`, `null`},
		forms:  []string{`{"b":[true,null],"a":0,"a":1}`, ` [ 1 , 2 ] `}, bad: []string{`{`, `{"a" 1}`}, probes: []string{`1.0`, `{"a": "x", "c": 1}`, `[1, "x"]`}},
	{decl: "INTERVAL", plain: "interval", class: classInterval, oid: 1186, array: 1187, values: []string{"-1 years -2 mons +3 days -04:05:06.7", "-1 days", "00:00:00", "00:00:00.000001", "1 day 02:03:04.5", "1 mon", "1 mon 00:00:00.000001", "10 years"}, forms: []string{"00:00:00.0000004", "120 months", "P1DT2H3M4.5S"}, bad: []string{"1 x"}, probes: []string{"30 days", "720 hours", "@ 1 day ago"}},
	{decl: "INTERVAL DAY TO SECOND(1)", plain: "interval", class: classInterval, oid: 1186, values: []string{"-00:00:00.1", "00:00:00", "1 day", "1 day 00:00:01"}, forms: []string{"1 day 00:00:01.04"}, bad: []string{"1 x"}, probes: []string{"1 mon"}},
	{decl: "JSON", plain: "json", class: classJSONText, oid: 114, values: []string{`{"a" : 1}`, `[1,2]`, `"x"`, `null`}, bad: []string{`{`}},
	arrayOf("INT", "{}", "{1,2,3}", "{1,3}", "{1}", "{-2147483648,2147483647}", "{2,2}", "{1,NULL,3}", "{NULL}"),
	arrayOf("BIGINT", "{}", "{9000000000}", "{0,1,2}", "{0,1}", "{NULL,0}"),
	arrayOf("SMALLINT", "{}", "{1}", "{1,-2}", "{32767,0,3}", "{32767,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0}"),
	arrayOf("NUMERIC", "{}", "{1.5,NULL}", "{NULL}", "{100,99}", "{1.5}"),
	arrayOf("DOUBLE PRECISION", "{}", "{NaN,1}", "{-Infinity}", "{0.25,2.5}", "{NULL,NaN}"),
	arrayOf("VARCHAR", "{}", "{a,b}", "{a,NULL}", `{"a b",""}`, `{"a\"\\"}`, "{zz}"),
	arrayOf("TEXT", "{}", "{a}", "{NULL,NULL}", `{"",NULL,"NULL"}`, `{"é,","{b}"}`),
	arrayOf("BOOLEAN", "{}", "{t,f}", "{f}", "{NULL,t}"),
	arrayOf("DATE", "{}", "{1970-01-01,infinity}", "{2024-02-29}", "{NULL,NULL,infinity}"),
	arrayOf("TIME", "{}", "{00:00:00.000001}", "{NULL,12:34:56}"),
	arrayOf("TIMESTAMP", "{}", `{"2024-01-01 00:00:00.000001"}`, `{-infinity,"1970-01-01 00:00:00"}`),
	arrayOf("UUID", "{}", "{12345678-9abc-def0-1234-56789abcdef0}", "{ffffffff-ffff-ffff-ffff-ffffffffffff,00000000-0000-0000-0000-000000000000}"),
}

// arrayOf is the type of arrays of a key type.
func arrayOf(decl string, values ...string) colType {
	for i := range keyTypes {
		if e := &keyTypes[i]; e.decl == decl {
			return colType{decl: decl + "[]", plain: e.plain + "[]", class: classArray, oid: e.array, elem: e, values: values, bad: []string{"{", "}", "x"}}
		}
	}
	panic("no such type: " + decl)
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

// related are OIDs of types that the type compares with.
func (t *colType) related() []uint32 {
	switch t.class {
	case classInt:
		return []uint32{21, 23, 20, 1700, 700, 701}
	case classNumeric:
		return []uint32{1700, 701, 20}
	case classFloat:
		return []uint32{700, 701, 1700}
	case classText, classChar:
		return []uint32{25, 1043, 1042}
	case classDate, classTimestamp:
		return []uint32{1082, 1114, 1184}
	}
	return nil
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
