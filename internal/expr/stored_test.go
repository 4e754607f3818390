package expr

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/types"
)

// storedEnv is far from the defaults, which Store must not depend on.
func storedEnv() *Env {
	return &Env{Ctx: context.Background(), User: "u", Database: "d", Now: time.Unix(1e9, 0), StmtTime: time.Unix(1e9, 0),
		TimeZone: time.FixedZone("X", 5*3600+1800), IO: types.IOEnv{FewFloatDigits: true, ExtraFloatDigits: -5, ByteaEscape: true}}
}

// storedCorpus makes expressions: every function, operator and cast over values of
// the types it takes, and every other node over some of these.
func storedCorpus(t *testing.T, r *rand.Rand) []Expr {
	var out []Expr
	for _, f := range Overloads() {
		for range 3 {
			args := make([]Expr, len(f.args))
			for i, a := range f.args {
				kinds := concreteKinds(a)
				vals := valuesOf(t, kinds[r.IntN(len(kinds))])
				args[i] = vals[r.IntN(len(vals))]
				if r.IntN(3) == 0 {
					args[i] = &Col{Index: r.IntN(9), T: args[i].Type(), Name: "c"}
				}
			}
			if e, err := call(f, args, 0); err == nil {
				out = append(out, e)
			}
		}
	}
	for from := range extremes {
		for _, v := range valuesOf(t, types.Of(from)) {
			out = append(out, v)
			for _, to := range types.Kinds() {
				for _, ty := range []types.T{types.Of(to), types.Of(to).WithLength(3), types.ArrayOf(types.Of(to))} {
					if ty.Kind == types.Array && ty.ArrayOID() == 0 {
						continue
					}
					for _, ctx := range []CastContext{Assignment, Explicit} {
						if e, err := ResolveCast(v, ty, ctx, 0); err == nil {
							out = append(out, e)
						}
					}
				}
			}
		}
	}
	for _, e := range out[:len(out):len(out)] {
		if r.IntN(4) == 0 {
			out = append(out, storedNodes(e, out[r.IntN(len(out))])...)
		}
	}
	return out
}

// storedNodes puts two expressions under every node that takes them.
func storedNodes(x, y Expr) []Expr {
	var out []Expr
	add := func(e Expr, err error) {
		if err == nil {
			out = append(out, e)
		}
	}
	null, _ := MakeIsNull(x, 0)
	other, err := MakeIsNull(y, 0)
	if err != nil || null == nil {
		return nil
	}
	add(null, nil)
	add(MakeAnd([]Expr{null, other}, 0))
	add(MakeOr([]Expr{null, other, null}, 0))
	add(MakeNot(other, 0))
	add(MakeIsDistinct(x, y, 0))
	add(MakeIsTest(null, "unknown", true, 0))
	add(MakeIsTest(null, "true", false, 0))
	add(MakeCase(nil, []When{{null, x}, {other, y}}, nil, 0))
	add(MakeCase(nil, []When{{null, x}}, y, 0))
	add(MakeCoalesce([]Expr{x, y}, 0))
	add(MakeNullIf(x, y, 0))
	add(MakeGreatest([]Expr{x, y}, true, 0))
	add(MakeGreatest([]Expr{x, y}, false, 0))
	add(MakeIn(x, []Expr{y, x}, true, 0))
	add(MakeRowCmp("<=", []Expr{x, y}, []Expr{x, y}, 0))
	arr, err := MakeArrayExpr([]Expr{x, x}, 0)
	add(arr, err)
	if err == nil {
		add(MakeAnyAll("=", x, arr, false, 0))
		add(MakeAnyAll("<", x, arr, true, 0))
		add(MakeArrayExpr([]Expr{arr, arr}, 0))
		add(MakeSubscript(arr, &Const{Value: types.NewInt(1), T: tInt4}, 0))
	}
	return out
}

// TestStoredRoundTrip stores and binds again: the same text comes out, the same
// form, and the same value.
func TestStoredRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	corpus := storedCorpus(t, r)
	for _, e := range corpus {
		s, err := Store(e, func(i int) int { return i + 7 })
		if err != nil {
			t.Fatalf("%s: %v", ToText(e), err)
		}
		types := map[int]*Col{}
		Walk(e, func(x Expr) bool {
			if c, ok := x.(*Col); ok {
				types[c.Index] = c
			}
			return true
		})
		again, err := s.Bind(func(id int) (*Col, bool) {
			c, ok := types[id-7]
			if ok {
				return &Col{Index: c.Index, Name: c.Name}, true
			}
			return nil, false
		})
		if err != nil {
			t.Fatalf("%s as %s: %v", ToText(e), s, err)
		}
		if was, is := ToText(e), ToText(again); was != is {
			t.Errorf("%s became %s", was, is)
		}
		if is, err := Store(again, func(i int) int { return i + 7 }); err != nil || is != s {
			t.Errorf("%s became %s, %v", s, is, err)
		}
		if len(types) > 0 || Volatile(e) || slow(e) {
			continue
		}
		env := storedEnv()
		a, errA := EvalConst(env, e)
		b, errB := EvalConst(env, again)
		if (errA == nil) != (errB == nil) || errA != nil && errA.Error() != errB.Error() {
			t.Errorf("%s: %v, stored %v", ToText(e), errA, errB)
		} else if errA == nil && !a.Null && printed(e, a) != printed(again, b) {
			t.Errorf("%s: %s, stored %s", ToText(e), printed(e, a), printed(again, b))
		}
	}
	t.Logf("%d expressions", len(corpus))
}

func printed(e Expr, d types.Datum) string { return types.Format(e.Type(), d, nil) }

// slow says that e may take memory or time without bound, as pg_sleep does.
func slow(e Expr) bool {
	found := false
	Walk(e, func(x Expr) bool {
		c, ok := x.(*Call)
		found = found || ok && (c.Fn.Name == "pg_sleep" || c.Fn.Name == "repeat" || strings.Contains(c.Fn.Name, "pad") || c.Fn.Name == "clock_timestamp")
		return !found
	})
	return found
}

// FuzzStored gives Bind anything: it answers or refuses, and what it answers can be
// stored, printed and compiled.
func FuzzStored(f *testing.F) {
	for _, s := range []string{
		`{"node":"call","fn":"operator <>(text,text)","type":"bool","args":[{"node":"call","fn":"lower(text)","type":"text","args":[{"node":"col","col":2,"type":"text"}]},{"node":"const","type":"text","value":"x"}]}`,
		`{"node":"case","type":"int4","args":[{"node":"const","type":"bool"},{"node":"const","type":"int4","value":"1"}]}`,
		`{"node":"row","op":"<","fns":["operator <(int4,int4)","operator =(int4,int4)"],"args":[{"node":"const","type":"int4"},{"node":"const","type":"int4"}]}`,
		`{"node":"nullif","fn":"operator =(text,text)","type":"text","args":[{"node":"const","type":"text","raw":"/w=="},{"node":"const","type":"text"}]}`,
		`{"node":"cast","type":"numeric","mod":131078,"args":[{"node":"const","type":"float8","value":"NaN"}]}`,
		`{"node":"greatest","type":"_int4","args":[{"node":"const","type":"_int4","value":"{1,NULL}"}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cols := func(id int) (*Col, bool) { return &Col{Index: id, Name: "c"}, id > 0 }
		e, err := Stored(s).Bind(cols)
		if err != nil {
			return
		}
		again, err := Store(e, func(i int) int { return i })
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		f, err := again.Bind(cols)
		if err != nil || ToText(f) != ToText(e) {
			t.Fatalf("%s became %s: %v", s, again, err)
		}
		if _, err := Compile(e); err != nil {
			t.Skip(err)
		}
		if !slow(e) && len(Cols(e)) == 0 {
			_, _ = EvalConst(storedEnv(), e)
		}
	})
}
