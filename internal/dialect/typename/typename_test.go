package typename

import (
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want, printed string }{
		{"int", "pg_catalog.int4 []", "integer"},
		{"INTEGER", "pg_catalog.int4 []", "integer"},
		{"int4", ".int4 []", "int4"},
		{"smallint", "pg_catalog.int2 []", "smallint"},
		{"bigint", "pg_catalog.int8 []", "bigint"},
		{"real", "pg_catalog.float4 []", "real"},
		{"double precision", "pg_catalog.float8 []", "double precision"},
		{"double", ".double []", `"double"`},
		{"float", "pg_catalog.float8 []", "double precision"},
		{"float(24)", "pg_catalog.float4 []", "real"},
		{"float(25)", "pg_catalog.float8 []", "double precision"},
		{"decimal(10,2)", "pg_catalog.numeric [10 2]", "numeric(10,2)"},
		{"numeric(3, -2)", "pg_catalog.numeric [3 -2]", "numeric(3,-2)"},
		{"boolean", "pg_catalog.bool []", "boolean"},
		{"bit", "pg_catalog.bit [1]", "bit(1)"},
		{"bit varying(5)", "pg_catalog.varbit [5]", "bit varying(5)"},
		{"char", "pg_catalog.bpchar [1]", "character(1)"},
		{"character(5)", "pg_catalog.bpchar [5]", "character(5)"},
		{"national character varying(5)", "pg_catalog.varchar [5]", "character varying(5)"},
		{"varchar", "pg_catalog.varchar []", "character varying"},
		{`"char"`, ".char []", `"char"`},
		{`"integer"`, ".integer []", `"integer"`},
		{"pg_catalog.int4", "pg_catalog.int4 []", "integer"},
		{"pg_catalog.bpchar", "pg_catalog.bpchar []", "pg_catalog.bpchar"},
		{"timestamp", "pg_catalog.timestamp []", "timestamp without time zone"},
		{"timestamp(3) with time zone", "pg_catalog.timestamptz [3]", "timestamp(3) with time zone"},
		{"time without time zone", "pg_catalog.time []", "time without time zone"},
		{"timestamptz", ".timestamptz []", "timestamptz"},
		{"interval", "pg_catalog.interval []", "interval"},
		{"interval(3)", "pg_catalog.interval [32767 3]", "interval(3)"},
		{"interval year to month", "pg_catalog.interval [6]", "interval year to month"},
		{"interval day to second(2)", "pg_catalog.interval [7176 2]", "interval day to second(2)"},
		{"text[]", ".text [] dims [-1]", "text[]"},
		{"int[3][]", "pg_catalog.int4 [] dims [3 -1]", "integer[3][]"},
		{"int array[4]", "pg_catalog.int4 [] dims [4]", "integer[4]"},
		{"varchar(5) array", "pg_catalog.varchar [5] dims [-1]", "character varying(5)[]"},
		{`my."T y"`, "my.T y []", `my."T y"`},
		{"UNSIGNED_INT", ".unsigned_int []", "unsigned_int"},
		{"binary(4)", ".binary [4]", `"binary"(4)`},
		{"setof text", ".text []", "setof text"},
	} {
		ty, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got := fmt.Sprintf("%s.%s %v", ty.Schema, ty.Name, ty.Mods)
		if ty.Array() {
			got += fmt.Sprintf(" dims %v", ty.Dims)
		}
		if got != c.want || ty.String() != c.printed {
			t.Errorf("%s: %s printed %s; want %s printed %s", c.text, got, ty, c.want, c.printed)
		}
		again, err := Parse(ty.String())
		if err != nil || again.String() != ty.String() {
			t.Errorf("%s does not read back: %v %v", ty, again, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, code := range map[string]sqlerr.Code{
		"": sqlerr.SyntaxError, "select": sqlerr.SyntaxError, "int int": sqlerr.SyntaxError, "text(": sqlerr.SyntaxError, "text(1": sqlerr.SyntaxError,
		"text()": sqlerr.SyntaxError, "int[": sqlerr.SyntaxError, "int[x]": sqlerr.SyntaxError, "numeric(99999999999)": sqlerr.SyntaxError,
		"interval month to year": sqlerr.SyntaxError, "interval(1,2)": sqlerr.SyntaxError, "timestamp with time": sqlerr.SyntaxError, "national": sqlerr.SyntaxError,
		"float(0)": sqlerr.InvalidParameterValue, "float(54)": sqlerr.InvalidParameterValue, "geometry(point)": sqlerr.InvalidParameterValue,
		"a.b.c": sqlerr.FeatureNotSupported, "'x": sqlerr.SyntaxError, "varchar(-)": sqlerr.SyntaxError,
	} {
		if _, err := Parse(text); err == nil || sqlerr.CodeOf(err) != code {
			t.Errorf("%q: %v, want %v", text, err, code)
		}
	}
}
