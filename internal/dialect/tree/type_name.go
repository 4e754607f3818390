package tree

import (
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/ident"
)

// TypeName is a type as the user wrote it, not yet looked up.
//
// Keyword types are given as Postgres's grammar gives them: Schema
// "pg_catalog" and Name the pg_type.typname ("integer" and "int" are int4,
// "character varying" is varchar, "char(n)" is bpchar, "timestamp with time
// zone" is timestamptz, "decimal" is numeric, "double precision" is float8).
// Any other name is kept as written, folded unless quoted, with the schema the
// user wrote or none: "text", "uuid", "tinyint", "unsigned_int", and "char"
// for a quoted "char" (Postgres's one-byte type).
type TypeName struct {
	Schema string
	Name   string
	// Mods are the modifiers in the form of Postgres's typmodin: (10,2) is
	// {10, 2}. An interval with fields has Mods[0] = the field mask of
	// Postgres (IntervalFull when only a precision is given) and, when there
	// is one, Mods[1] = the precision. "character" without a length is {1}.
	Mods []int32
	// Dims has one entry per array dimension, -1 where no bound is written.
	// Postgres ignores both the number and the bounds; so may the binder.
	Dims []int32
	// Bare says that it is FLOAT without a precision, which Phoenix keeps in 4 bytes.
	Bare bool
	// SetOf is true for SETOF type, which is valid in few places.
	SetOf bool
	// Pos is the 1-based character position in the user's text, 0 unknown.
	Pos int
}

// Array tells whether the type is an array.
func (t *TypeName) Array() bool { return len(t.Dims) > 0 }

// IntervalFull is Mods[0] of an interval that names no fields.
const IntervalFull = 0x7FFF

// The bits of the field mask of an interval.
const (
	IntervalMonth  = 1 << 1
	IntervalYear   = 1 << 2
	IntervalDay    = 1 << 3
	IntervalHour   = 1 << 10
	IntervalMinute = 1 << 11
	IntervalSecond = 1 << 12
)

// intervalFields are the field combinations in the order of the standard.
var intervalFields = []struct {
	mask int32
	text string
}{
	{IntervalYear, "year"},
	{IntervalMonth, "month"},
	{IntervalDay, "day"},
	{IntervalHour, "hour"},
	{IntervalMinute, "minute"},
	{IntervalSecond, "second"},
	{IntervalYear | IntervalMonth, "year to month"},
	{IntervalDay | IntervalHour, "day to hour"},
	{IntervalDay | IntervalHour | IntervalMinute, "day to minute"},
	{IntervalDay | IntervalHour | IntervalMinute | IntervalSecond, "day to second"},
	{IntervalHour | IntervalMinute, "hour to minute"},
	{IntervalHour | IntervalMinute | IntervalSecond, "hour to second"},
	{IntervalMinute | IntervalSecond, "minute to second"},
}

// displayName is how a pg_catalog type is spelled in SQL, where that differs.
var displayName = map[string]string{
	"int2": "smallint", "int4": "integer", "int8": "bigint",
	"float4": "real", "float8": "double precision", "bool": "boolean",
	"varchar": "character varying", "bpchar": "character", "numeric": "numeric",
	"timestamp": "timestamp without time zone", "timestamptz": "timestamp with time zone",
	"time": "time without time zone", "timetz": "time with time zone",
	"bit": "bit", "varbit": "bit varying", "interval": "interval",
}

// String gives SQL text that Parse reads back as the same type.
func (t *TypeName) String() string {
	var b strings.Builder
	if t.SetOf {
		b.WriteString("setof ")
	}
	t.writeBase(&b)
	for _, d := range t.Dims {
		b.WriteByte('[')
		if d >= 0 {
			b.WriteString(strconv.Itoa(int(d)))
		}
		b.WriteByte(']')
	}
	return b.String()
}

func (t *TypeName) writeBase(b *strings.Builder) {
	text, keyword := displayName[t.Name]
	if t.Schema != "pg_catalog" || !keyword {
		if t.Schema != "" {
			b.WriteString(ident.Quote(t.Schema))
			b.WriteByte('.')
		}
		name := ident.Quote(t.Name)
		if name == "double" {
			name = `"double"` // bare, it begins DOUBLE PRECISION
		}
		b.WriteString(name)
		writeMods(b, t.Mods)
		return
	}
	mods, tail := t.Mods, ""
	switch t.Name {
	case "interval":
		b.WriteString("interval")
		if len(mods) == 0 {
			return
		}
		if mods[0] != IntervalFull {
			for _, f := range intervalFields {
				if f.mask == mods[0] {
					b.WriteByte(' ')
					b.WriteString(f.text)
				}
			}
		}
		writeMods(b, mods[1:])
		return
	case "bpchar":
		// "character" alone means character(1); without a length the
		// type must be called by its own name.
		if len(mods) == 0 {
			b.WriteString("pg_catalog.bpchar")
			return
		}
	case "bit":
		if len(mods) == 0 {
			b.WriteString(`pg_catalog."bit"`)
			return
		}
	case "timestamp", "timestamptz", "time", "timetz":
		head, rest, _ := strings.Cut(text, " ")
		text, tail = head, " "+rest
	}
	b.WriteString(text)
	writeMods(b, mods)
	b.WriteString(tail)
}

func writeMods(b *strings.Builder, mods []int32) {
	if len(mods) == 0 {
		return
	}
	b.WriteByte('(')
	for i, m := range mods {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(int(m)))
	}
	b.WriteByte(')')
}
