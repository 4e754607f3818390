package types

import (
	"bytes"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/race/alloctest"
)

func typeNamed(t testing.TB, name string, mods ...int32) T {
	t.Helper()
	ty, err := FromName(name, mods, false)
	if err != nil {
		t.Fatal(err)
	}
	return ty
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		name  string
		mods  []int32
		array bool
		want  string
		oid   uint32
	}{
		{"int", nil, false, "integer", 23},
		{"int4", nil, true, "integer[]", 1007},
		{"bigint", nil, false, "bigint", 20},
		{"character varying", []int32{10}, false, "character varying(10)", 1043},
		{"varchar", nil, true, "character varying[]", 1015},
		{"char", nil, false, "character(1)", 1042},
		{"bpchar", nil, false, "character", 1042},
		{`"char"`, nil, false, `"char"`, 18},
		{"decimal", []int32{10, 2}, false, "numeric(10,2)", 1700},
		{"numeric", []int32{5}, false, "numeric(5,0)", 1700},
		{"float", []int32{24}, false, "real", 700},
		{"float", []int32{25}, false, "double precision", 701},
		{"float", nil, false, "double precision", 701},
		{"timestamptz", []int32{3}, false, "timestamp(3) with time zone", 1184},
		{"timestamp with time zone", nil, false, "timestamp with time zone", 1184},
		{"time", nil, false, "time without time zone", 1083},
		{"varbinary", nil, false, "bytea", 17},
		{"_text", nil, false, "text[]", 1009},
		{"pg_catalog.int8", nil, false, "bigint", 20},
		{"interval", []int32{0x7fff, 3}, false, "interval(3)", 1186},
		{"interval", []int32{1<<10 | 1<<11}, false, "interval hour to minute", 1186},
		{"interval", []int32{1 << 12, 2}, false, "interval second(2)", 1186},
	} {
		ty, err := FromName(c.name, c.mods, c.array)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if ty.String() != c.want || ty.OID() != c.oid {
			t.Errorf("%s: %s (%d), want %s (%d)", c.name, ty, ty.OID(), c.want, c.oid)
		}
		if back, ok := FromOID(ty.OID(), ty.Typmod()); !ok || back != ty {
			t.Errorf("%s: FromOID gives %v", c.name, back)
		}
	}
	for _, bad := range []string{"nosuch", "_nosuch", "", "int[]x"} {
		if _, err := FromName(bad, nil, false); err == nil {
			t.Errorf("%q is a type", bad)
		}
	}
}

// TestRoundTrip prints and reads back in both formats.
func TestRoundTrip(t *testing.T) {
	env := &IOEnv{TimeZone: time.FixedZone("", -3*3600-1800)}
	for _, c := range []struct{ typ, in, out string }{
		{"bool", " TRUE ", "t"},
		{"int2", "-32768", "-32768"},
		{"int8", "-9223372036854775808", "-9223372036854775808"},
		{"oid", "4294967295", "4294967295"},
		{"float4", "1e-45", "1e-45"},
		{"float4", "16777216", "1.6777216e+07"},
		{"float8", "1e308", "1e+308"},
		{"float8", "-Infinity", "-Infinity"},
		{"float8", "5e-324", "5e-324"},
		{"numeric", "-0.000", "0.000"},
		{"numeric", "1e3", "1000"},
		{"numeric", "123456789012345678901234567890.123456789", "123456789012345678901234567890.123456789"},
		{"numeric", "0.00010002", "0.00010002"},
		{"text", "é\n", "é\n"},
		{"bytea", `\xDE ad`, `\xdead`},
		{"uuid", "A0EEBC999C0B4EF8BB6D6BB9BD380A11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{"date", "4714-11-24 BC", "4714-11-24 BC"},
		{"date", "5874897-12-31", "5874897-12-31"},
		{"time", "24:00:00", "24:00:00"},
		{"timestamp", "294246-12-31 23:59:59.999999", "294246-12-31 23:59:59.999999"},
		{"timestamp", "-infinity", "-infinity"},
		{"timestamptz", "2024-01-02 03:04:05.06-03:30", "2024-01-02 03:04:05.06-03:30"},
		{"timestamptz", "0001-01-01 00:00:00+00 BC", "0002-12-31 20:30:00-03:30 BC"},
		{"interval", "-178000000 years", "-178000000 years"},
		{"interval", "1 mon -1 day +00:00:01", "1 mon -1 days +00:00:01"},
		{"json", ` {"a" : 1} `, ` {"a" : 1} `},
		{"jsonb", `{"b":1,"aa":[],"b":{}}`, `{"b": {}, "aa": []}`},
		{"_text", `{a,"b,c",NULL,"NULL",""}`, `{a,"b,c",NULL,"NULL",""}`},
		{"_int4", `{{1,2},{3,4}}`, `{{1,2},{3,4}}`},
		{"regtype", "int4", "integer"},
	} {
		ty := typeNamed(t, c.typ)
		d, err := ParseString(ty, c.in, env)
		if err != nil {
			t.Errorf("%s %q: %v", c.typ, c.in, err)
			continue
		}
		text := Format(ty, d, env)
		if text != c.out {
			t.Errorf("%s %q prints as %q, want %q", c.typ, c.in, text, c.out)
		}
		checkBack(t, ty, d, env)
	}
}

// checkBack holds that what is printed reads back as the same value.
func checkBack(t testing.TB, ty T, d Datum, env *IOEnv) {
	t.Helper()
	text := AppendText(nil, ty, d, env)
	d2, err := ParseText(ty, text, env)
	if err != nil {
		t.Fatalf("%s %q does not read back: %v", ty, text, err)
	}
	if Compare(ty, d, d2) != 0 || Hash(ty, d, 1) != Hash(ty, d2, 1) {
		t.Fatalf("%s %q reads back as %q", ty, text, Format(ty, d2, env))
	}
	if again := AppendText(nil, ty, d2, env); !bytes.Equal(again, text) {
		t.Fatalf("%s %q prints again as %q", ty, text, again)
	}
	b, err := AppendBinary(nil, ty, d, env)
	if err != nil {
		t.Fatalf("%s %q: %v", ty, text, err)
	}
	d3, err := ParseBinary(ty, b, env)
	if err != nil {
		t.Fatalf("%s %q: binary %x: %v", ty, text, b, err)
	}
	if Compare(ty, d, d3) != 0 {
		t.Fatalf("%s %q: binary reads as %q", ty, text, Format(ty, d3, env))
	}
}

var fuzzKinds = []Kind{Bool, Int2, Int4, Int8, OID, Float4, Float8, Numeric, Text, Varchar, Bpchar, Name, Bytea, UUID,
	Date, Time, Timestamp, Timestamptz, Interval, JSON, JSONB, Regtype, CharOne}

func fuzzType(n uint8) T {
	k := fuzzKinds[int(n)%len(fuzzKinds)]
	if int(n)/len(fuzzKinds)%2 == 1 {
		return ArrayOf(Of(k))
	}
	return Of(k)
}

var seeds = []string{"t", "1", "-5.50", "1e10", "NaN", "Infinity", "abc", `\xff`, `a\001`, "2024-02-29 12:34:56.789+05:30",
	"Jan 8 1999 BC", "J2451187", "1 year 2 mons -3 days 04:05:06.7", "P1Y2M3DT4H5M6S", `{"a": [1, null, "x\u00e9"]}`,
	"{1,2,NULL}", `{{"a b",c},{d,"e\"f"}}`, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "04:05:06 PM", "epoch", "1.5 months ago", "20240101T101112Z"}

// FuzzParseText: no input panics, and what is read prints and reads back.
func FuzzParseText(f *testing.F) {
	for k := range uint8(2 * len(fuzzKinds)) {
		for _, s := range seeds {
			f.Add(k, s)
		}
	}
	f.Fuzz(func(t *testing.T, k uint8, s string) {
		ty := fuzzType(k)
		env := &IOEnv{TimeZone: time.UTC}
		d, err := ParseString(ty, s, env)
		if err != nil {
			return
		}
		checkBack(t, ty, d, env)
	})
}

// FuzzParseBinary is FuzzParseText for the binary format.
func FuzzParseBinary(f *testing.F) {
	for k := range uint8(2 * len(fuzzKinds)) {
		ty := fuzzType(k)
		for _, s := range seeds {
			if d, err := ParseString(ty, s, nil); err == nil {
				if b, err := AppendBinary(nil, ty, d, nil); err == nil {
					f.Add(k, b)
				}
			}
		}
		f.Add(k, []byte{0, 0, 0, 1})
	}
	f.Fuzz(func(t *testing.T, k uint8, b []byte) {
		ty := fuzzType(k)
		env := &IOEnv{TimeZone: time.UTC}
		d, err := ParseBinary(ty, b, env)
		if err != nil {
			return
		}
		if ty.Kind == Array || ty.Kind == CharOne {
			// Binary allows bytes in "char" that text does not tell apart.
			AppendText(nil, ty, d, env)
			return
		}
		checkBack(t, ty, d, env)
	})
}

func TestAppendTextAllocates(t *testing.T) {
	buf := make([]byte, 0, 256)
	for _, c := range []struct{ typ, in string }{{"int8", "123"}, {"float8", "1.5e100"}, {"numeric", "12345.678"},
		{"timestamptz", "2024-01-02 03:04:05"}, {"interval", "1 day"}, {"uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}, {"bytea", "abc"}} {
		ty := typeNamed(t, c.typ)
		d, err := ParseString(ty, c.in, nil)
		if err != nil {
			t.Fatal(err)
		}
		env := &IOEnv{TimeZone: time.UTC}
		if n := alloctest.PerRun(100, func() { AppendText(buf, ty, d, env) }); n > 0 {
			t.Errorf("AppendText of %s allocates %v times", c.typ, n)
		}
	}
}
