package exprtest

import (
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// Extremes are values at the edges of each type.
var Extremes = map[types.Kind][]string{
	types.Bool:        {"t", "f"},
	types.Int2:        {"0", "-1", "32767", "-32768"},
	types.Int4:        {"0", "1", "-1", "2147483647", "-2147483648"},
	types.Int8:        {"0", "-1", "9223372036854775807", "-9223372036854775808"},
	types.OID:         {"0", "23", "4294967295"},
	types.Regclass:    {"0"},
	types.Regtype:     {"25"},
	types.Float4:      {"0", "-0", "1e38", "NaN", "-Infinity"},
	types.Float8:      {"0", "-1.5", "1e308", "5e-324", "NaN", "Infinity"},
	types.Numeric:     {"0", "-1.5", "1e100", "1e-50", "NaN", "Infinity", "-Infinity", "123456.789"},
	types.Text:        {"", "a", "é,b\\%_", "([", "YYYY-MM-DD", "year", "2024-01-01", "{a,b}", "-9.9", "9G999D99S", "UTC", "hex"},
	types.Varchar:     {"x"},
	types.Bpchar:      {"ab  "},
	types.Name:        {"n"},
	types.Bytea:       {"", `\x00ff5c`},
	types.UUID:        {"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
	types.Date:        {"2024-02-29", "4714-11-24 BC", "5874897-12-31", "infinity", "-infinity"},
	types.Time:        {"00:00", "24:00"},
	types.Timestamp:   {"2024-02-29 12:34:56.789", "4714-11-24 BC", "294246-12-31", "infinity"},
	types.Timestamptz: {"2024-02-29 12:34:56+00", "4714-11-24 00:00+00 BC", "-infinity"},
	types.Interval:    {"0", "-1 mon 2 days", "178000000 years", "-2147483648 days", "2562047788:00:54.775807"},
	types.JSON:        {"{}", "[1,null]", `"x"`},
	types.JSONB:       {"{}", "[]", `{"a":[1,{"b":null}]}`, "1.50", `"x"`, "null"},
	types.CharOne:     {"", "a"},
	types.Unknown:     {"x"},
	types.Record:      {},
	types.Void:        {},
}

// Users has one type, Enum, of the values a and b.
var Users types.Users

// Enum is CREATE TYPE letter AS ENUM ('a', 'b').
var Enum = Users.Learn(1<<20, &types.UserDef{
	Version: 1, ArrayID: 1<<20 + 1, Schema: "public", Name: "letter", ArrayName: "_letter",
	Labels: []types.Label{{Code: types.LabelCode(1), Text: "a"}, {Code: types.LabelCode(2), Text: "b"}},
}).T()

// ConcreteKinds gives types that an argument of type a takes: a itself, but for pseudo-types.
func ConcreteKinds(a types.T) []types.T {
	switch a.Kind {
	case expr.KindAnyElement, expr.KindAnyCompatible, expr.KindAny, expr.KindAnyNonArray:
		return []types.T{tInt4, tText}
	case expr.KindAnyEnum:
		return []types.T{Enum}
	case expr.KindAnyArray, expr.KindAnyCompatibleArray:
		return []types.T{types.ArrayOf(tInt4)}
	}
	return []types.T{a}
}

// ValuesOf gives NULL and the Extremes of a type, as constants.
func ValuesOf(t *testing.T, ty types.T) []expr.Expr {
	out := []expr.Expr{&expr.Const{Value: types.NullDatum, T: ty}}
	texts := Extremes[ty.Kind]
	if ty == Enum {
		texts = []string{"a", "b"}
	}
	if ty.Kind == types.Array {
		texts = []string{"{}", "{1,NULL}", "{{1,2},{3,4}}"}
		if ty.IsVector() {
			texts = []string{"", "1", "1 2"}
		}
	}
	for _, s := range texts {
		d, err := types.ParseString(ty, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, &expr.Const{Value: d, T: ty})
	}
	return out
}
