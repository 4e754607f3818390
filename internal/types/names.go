package types

import (
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/datetime"
)

// Limits of the type modifiers.
const (
	//saltsql:limit types: n of varchar(n) and char(n) (22023)
	MaxVarcharLength = 10485760
	//saltsql:limit types: p of numeric(p, s) (22023)
	MaxNumericPrecision = 1000
	MaxNumericScale     = 1000
	//saltsql:limit types: digits of seconds that are kept
	MaxTimePrecision = 6
)

// spellings are the names SQL and Postgres's grammar add to pg_type's own.
var spellings = map[string]Kind{
	"boolean":                     Bool,
	"smallint":                    Int2,
	"int":                         Int4,
	"integer":                     Int4,
	"bigint":                      Int8,
	"real":                        Float4,
	"float":                       Float8,
	"double precision":            Float8,
	"double":                      Float8,
	"decimal":                     Numeric,
	"dec":                         Numeric,
	"character varying":           Varchar,
	"char varying":                Varchar,
	"nchar varying":               Varchar,
	"national character varying":  Varchar,
	"character":                   Bpchar,
	"char":                        Bpchar,
	"nchar":                       Bpchar,
	"national character":          Bpchar,
	"string":                      Text,
	"varbinary":                   Bytea,
	"time without time zone":      Time,
	"timestamp without time zone": Timestamp,
	"timestamp with time zone":    Timestamptz,
	`"char"`:                      CharOne,
}

// FromName finds a type by any of Postgres's spellings of its name, lower case
// and without modifier; the one-byte type is `"char"` with its quotes. mods are
// the numbers in parentheses. 42704 for an unknown name, 22023 for a modifier
// out of range, 42601 for one the type does not take.
func FromName(name string, mods []int32, array bool) (T, error) {
	for strings.HasSuffix(name, "[]") {
		name, array = strings.TrimSpace(strings.TrimSuffix(name, "[]")), true
	}
	k, ok := kindOf(name)
	if elem, under := strings.CutPrefix(strings.TrimPrefix(name, "pg_catalog."), "_"); !ok && under {
		k, ok = kindByName[elem]
		array = true
	}
	if !ok {
		suffix := ""
		if array {
			suffix = "[]"
		}
		return T{}, sqlerr.New(sqlerr.UndefinedObject, `type "%s%s" does not exist`, name, suffix)
	}
	t, err := Of(k).withMods(strings.TrimPrefix(name, "pg_catalog."), mods)
	if err != nil {
		return T{}, err
	}
	if array {
		if t.IsVector() {
			return T{}, sqlerr.Unsupported(`type "`+name+`[]" is not supported`, "Take text[], with the text of each.")
		}
		if t.ArrayOID() == 0 {
			return T{}, sqlerr.New(sqlerr.UndefinedObject, `type "%s[]" does not exist`, name)
		}
		return ArrayOf(t), nil
	}
	return t, nil
}

func kindOf(name string) (Kind, bool) {
	qualified := strings.HasPrefix(name, "pg_catalog.")
	name = strings.TrimPrefix(name, "pg_catalog.")
	if qualified && name == "char" {
		return CharOne, true
	}
	if k, ok := spellings[name]; ok {
		return k, true
	}
	if k, ok := kindByName[name]; ok {
		return k, true
	}
	return Unknown, false
}

func (t T) withMods(name string, mods []int32) (T, error) {
	if len(mods) == 0 {
		// CHARACTER without a length is CHARACTER(1); bpchar has no length.
		if t.Kind == Bpchar && name != "bpchar" {
			return t.WithLength(1), nil
		}
		return t, nil
	}
	switch {
	case name == "float":
		return floatOf(mods)
	case t.Kind == Varchar || t.Kind == Bpchar:
		return t.withLengthMod(mods)
	case t.Kind == Numeric:
		return t.withNumericMods(mods)
	case t.Kind == Time || t.Kind == Timestamp || t.Kind == Timestamptz:
		return t.withTimeMod(mods)
	case t.Kind == Interval:
		return t.withIntervalMods(mods)
	case t.Kind == Bytea && name == "varbinary" && len(mods) == 1 && mods[0] > 0:
		return t, nil
	}
	return T{}, sqlerr.New(sqlerr.SyntaxError, `type modifier is not allowed for type "%s"`, t.TypName())
}

func floatOf(mods []int32) (T, error) {
	switch {
	case len(mods) != 1:
		return T{}, invalidMod()
	case mods[0] < 1:
		return T{}, sqlerr.New(sqlerr.InvalidParameterValue, "precision for type float must be at least 1 bit")
	case mods[0] <= 24:
		return Of(Float4), nil
	case mods[0] <= 53:
		return Of(Float8), nil
	}
	return T{}, sqlerr.New(sqlerr.InvalidParameterValue, "precision for type float must be less than 54 bits")
}

func (t T) withLengthMod(mods []int32) (T, error) {
	if len(mods) != 1 {
		return T{}, invalidMod()
	}
	name := map[Kind]string{Varchar: "varchar", Bpchar: "char"}[t.Kind]
	if mods[0] < 1 {
		return T{}, sqlerr.New(sqlerr.InvalidParameterValue, "length for type %s must be at least 1", name)
	}
	if mods[0] > MaxVarcharLength {
		return T{}, sqlerr.New(sqlerr.InvalidParameterValue, "length for type %s cannot exceed %d", name, MaxVarcharLength)
	}
	return t.WithLength(int(mods[0])), nil
}

func (t T) withNumericMods(mods []int32) (T, error) {
	if len(mods) > 2 {
		return T{}, sqlerr.New(sqlerr.InvalidParameterValue, "invalid NUMERIC type modifier")
	}
	p, s := mods[0], int32(0)
	if p < 1 || p > MaxNumericPrecision {
		return T{}, sqlerr.New(sqlerr.InvalidParameterValue, "NUMERIC precision %d must be between 1 and %d", p, MaxNumericPrecision)
	}
	if len(mods) == 2 {
		s = mods[1]
		if s < -MaxNumericScale || s > MaxNumericScale {
			return T{}, sqlerr.New(sqlerr.InvalidParameterValue, "NUMERIC scale %d must be between %d and %d", s, -MaxNumericScale, MaxNumericScale)
		}
	}
	return t.WithPrecision(int(p), int(s)), nil
}

func (t T) withTimeMod(mods []int32) (T, error) {
	if len(mods) != 1 {
		return T{}, invalidMod()
	}
	if mods[0] < 0 {
		name := map[Kind]string{Time: "TIME", Timestamp: "TIMESTAMP", Timestamptz: "TIMESTAMP"}[t.Kind]
		return T{}, sqlerr.New(sqlerr.InvalidParameterValue, "%s(%d) precision must not be negative", name, mods[0])
	}
	return t.WithTypmod(min(mods[0], MaxTimePrecision)), nil
}

// withIntervalMods takes fields, and perhaps a precision.
func (t T) withIntervalMods(mods []int32) (T, error) {
	const fullPrecision = 0xffff
	fields, p := int32(datetime.AllFields), int32(fullPrecision)
	switch {
	case len(mods) == 2:
		fields, p = mods[0], mods[1]
	case len(mods) == 1:
		fields = mods[0]
	default:
		return T{}, invalidMod()
	}
	if p < 0 {
		return T{}, sqlerr.New(sqlerr.InvalidParameterValue, "INTERVAL(%d) precision must not be negative", p)
	}
	if p != fullPrecision {
		p = min(p, MaxTimePrecision)
	}
	if fields == int32(datetime.AllFields) && p == fullPrecision {
		return t, nil
	}
	return t.WithTypmod(fields<<16 | p), nil
}

// IntervalFields are the fields that an interval type keeps.
func (t T) IntervalFields() datetime.IntervalFields {
	if t.Kind != Interval || t.Typmod() < 0 {
		return datetime.AllFields
	}
	return datetime.IntervalFields(t.Typmod() >> 16 & 0x7fff)
}

func invalidMod() error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid type modifier")
}
