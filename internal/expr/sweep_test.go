package expr

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// extremes are values at the edges of each type.
var extremes = map[types.Kind][]string{
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

// TestSweep calls every overload with every combination of extremes, NULL
// included: none may panic, fail with an internal error or take long.
func TestSweep(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	env := &Env{Ctx: ctx, User: "u", Database: "d", Now: time.Unix(1e9, 0)}
	n := 0
	for _, f := range Overloads() {
		n += sweep(t, env, f.Name, f)
	}
	t.Logf("%d calls", n)
}

func sweep(t *testing.T, env *Env, name string, f *Func) int {
	choices := make([][]Expr, len(f.args))
	for i, a := range f.args {
		for _, k := range concreteKinds(a) {
			choices[i] = append(choices[i], valuesOf(t, k)...)
		}
	}
	idx := make([]int, len(choices))
	calls := 0
	for calls < 4000 {
		args := make([]Expr, len(choices))
		for i := range choices {
			args[i] = choices[i][idx[i]]
		}
		one(t, env, name, f, args)
		calls++
		k := 0
		for k < len(idx) {
			idx[k]++
			if idx[k] < len(choices[k]) {
				break
			}
			idx[k] = 0
			k++
		}
		if k == len(idx) {
			break
		}
	}
	return calls
}

func concreteKinds(a types.T) []types.T {
	switch a.Kind {
	case anyElement, anyCompatible, anyType, anyNonArray:
		return []types.T{tInt4, tText}
	case anyArray, anyCompatibleArray:
		return []types.T{types.ArrayOf(tInt4)}
	}
	return []types.T{a}
}

func valuesOf(t *testing.T, ty types.T) []Expr {
	out := []Expr{&Const{Value: types.NullDatum, T: ty}}
	texts := extremes[ty.Kind]
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
		out = append(out, &Const{Value: d, T: ty})
	}
	return out
}

func one(t *testing.T, env *Env, name string, f *Func, args []Expr) {
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s%v with %s: panic %v", name, f.args, list(args), r)
		}
	}()
	e, err := call(f, args, 0)
	if err != nil {
		return
	}
	start := time.Now()
	d, err := EvalConst(env, e)
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("%s with %s took %v", name, list(args), took)
	}
	if err == nil && !d.Null {
		types.Format(e.Type(), d, nil)
	}
	if err != nil && sqlerr.CodeOf(err) == sqlerr.InternalError && !errors.Is(err, context.Canceled) {
		t.Errorf("%s with %s: %v", name, list(args), err)
	}
	_ = ToText(e)
}

func list(args []Expr) string {
	s := ""
	for _, a := range args {
		s += fmt.Sprintf(" %.60s", ToText(a))
	}
	return s
}

// TestSweepCasts converts the extremes of every type to every other.
func TestSweepCasts(t *testing.T) {
	env := &Env{}
	for from := range extremes {
		for _, v := range valuesOf(t, types.Of(from)) {
			for _, to := range types.Kinds() {
				for _, ty := range []types.T{types.Of(to), types.Of(to).WithLength(3), types.ArrayOf(types.Of(to))} {
					if to == types.Numeric && ty.Typmod() >= 0 {
						ty = ty.WithPrecision(3, 1)
					}
					func() {
						defer func() {
							if r := recover(); r != nil {
								t.Fatalf("%s to %s: %v", ToText(v), ty, r)
							}
						}()
						e, err := ResolveCast(v, ty, Explicit, 0)
						if err != nil {
							return
						}
						if d, err := EvalConst(env, e); err == nil && !d.Null {
							types.Format(ty, d, nil)
						}
					}()
				}
			}
		}
	}
}
