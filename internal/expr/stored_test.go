package expr_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/expr/exprtest"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
)

// storedEnv is far from the defaults, which Store must not depend on.
func storedEnv() *expr.Env {
	return &expr.Env{Ctx: context.Background(), User: "u", Database: "d", Now: time.Unix(1e9, 0), StmtTime: time.Unix(1e9, 0),
		TimeZone: time.FixedZone("X", 5*3600+1800), IO: types.IOEnv{FewFloatDigits: true, ExtraFloatDigits: -5, ByteaEscape: true}}
}

// storedCorpus makes expressions: every function, operator and cast over values of
// the types it takes, and every other node over some of these.
func storedCorpus(t *testing.T, r *rand.Rand) []expr.Expr {
	var out []expr.Expr
	for _, f := range expr.Overloads() {
		for range 3 {
			args := make([]expr.Expr, len(f.ArgTypes))
			for i, a := range f.ArgTypes {
				kinds := exprtest.ConcreteKinds(a)
				vals := exprtest.ValuesOf(t, kinds[r.IntN(len(kinds))])
				args[i] = vals[r.IntN(len(vals))]
				if r.IntN(3) == 0 {
					args[i] = &expr.Col{Index: r.IntN(9), T: args[i].Type(), Name: "c"}
				}
			}
			if e, err := expr.Apply(f, args, 0); err == nil {
				out = append(out, e)
			}
		}
	}
	for from := range exprtest.Extremes {
		for _, v := range exprtest.ValuesOf(t, types.Of(from)) {
			out = append(out, v)
			for _, to := range types.Kinds() {
				for _, ty := range []types.T{types.Of(to), types.Of(to).WithLength(3), types.ArrayOf(types.Of(to))} {
					if ty.Kind == types.Array && ty.ArrayOID() == 0 {
						continue
					}
					for _, ctx := range []expr.CastContext{expr.Assignment, expr.Explicit} {
						if e, err := expr.ResolveCast(v, ty, ctx, 0); err == nil {
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
func storedNodes(x, y expr.Expr) []expr.Expr {
	var out []expr.Expr
	add := func(e expr.Expr, err error) {
		if err == nil {
			out = append(out, e)
		}
	}
	null, _ := expr.MakeIsNull(x, 0)
	other, err := expr.MakeIsNull(y, 0)
	if err != nil || null == nil {
		return nil
	}
	add(null, nil)
	add(expr.MakeAnd([]expr.Expr{null, other}, 0))
	add(expr.MakeOr([]expr.Expr{null, other, null}, 0))
	add(expr.MakeNot(other, 0))
	add(expr.MakeIsDistinct(x, y, 0))
	add(expr.MakeIsTest(null, "unknown", true, 0))
	add(expr.MakeIsTest(null, "true", false, 0))
	add(expr.MakeCase(nil, []expr.When{{null, x}, {other, y}}, nil, 0))
	add(expr.MakeCase(nil, []expr.When{{null, x}}, y, 0))
	add(expr.MakeCoalesce([]expr.Expr{x, y}, 0))
	add(expr.MakeNullIf(x, y, 0))
	add(expr.MakeGreatest([]expr.Expr{x, y}, true, 0))
	add(expr.MakeGreatest([]expr.Expr{x, y}, false, 0))
	add(expr.MakeIn(x, []expr.Expr{y, x}, true, 0))
	add(expr.MakeRowCmp("<=", []expr.Expr{x, y}, []expr.Expr{x, y}, 0))
	arr, err := expr.MakeArrayExpr([]expr.Expr{x, x}, 0)
	add(arr, err)
	if err == nil {
		add(expr.MakeAnyAll("=", x, arr, false, 0))
		add(expr.MakeAnyAll("<", x, arr, true, 0))
		add(expr.MakeArrayExpr([]expr.Expr{arr, arr}, 0))
		one := &expr.Const{Value: types.NewInt(1), T: tInt4}
		index, from := expr.SubscriptRange{Range: expr.Range{High: one}}, expr.SubscriptRange{Range: expr.Range{Low: one}, Slice: true}
		add(expr.MakeSubscript(arr, []expr.SubscriptRange{index}, 0))
		add(expr.MakeSubscript(arr, []expr.SubscriptRange{index, index}, 0))
		add(expr.MakeSubscript(arr, []expr.SubscriptRange{index, from, {Slice: true}}, 0))
	}
	return out
}

// TestStoredRoundTrip stores and binds again: the same text comes out, the same
// form, and the same value.
func TestStoredRoundTrip(t *testing.T) {
	seed := seeds.First(t)
	r := rand.New(rand.NewPCG(seed, 1))
	corpus := storedCorpus(t, r)
	for _, e := range corpus {
		s, err := expr.Store(e, func(i int) int { return i + 7 })
		if err != nil {
			t.Fatalf("%s: %v", expr.ToText(e), err)
		}
		types := map[int]*expr.Col{}
		expr.Walk(e, func(x expr.Expr) bool {
			if c, ok := x.(*expr.Col); ok {
				types[c.Index] = c
			}
			return true
		})
		again, err := s.Bind(&exprtest.Users, func(id int) (*expr.Col, bool) {
			c, ok := types[id-7]
			if ok {
				return &expr.Col{Index: c.Index, Name: c.Name}, true
			}
			return nil, false
		})
		if err != nil {
			t.Fatalf("%s as %s: %v", expr.ToText(e), s, err)
		}
		if was, is := expr.ToText(e), expr.ToText(again); was != is {
			t.Errorf("%s became %s", was, is)
		}
		if is, err := expr.Store(again, func(i int) int { return i + 7 }); err != nil || is != s {
			t.Errorf("%s became %s, %v", s, is, err)
		}
		if len(types) > 0 || expr.Volatile(e) || slow(e) {
			continue
		}
		env := storedEnv()
		a, errA := eval.EvalConst(env, e)
		b, errB := eval.EvalConst(env, again)
		if (errA == nil) != (errB == nil) || errA != nil && errA.Error() != errB.Error() {
			t.Errorf("%s: %v, stored %v", expr.ToText(e), errA, errB)
		} else if errA == nil && !a.Null && printed(e, a) != printed(again, b) {
			t.Errorf("%s: %s, stored %s", expr.ToText(e), printed(e, a), printed(again, b))
		}
	}
	t.Logf("%d expressions", len(corpus))
}

func printed(e expr.Expr, d types.Datum) string { return types.Format(e.Type(), d, nil) }

// slow says that e may take memory or time without bound, as pg_sleep does.
func slow(e expr.Expr) bool {
	found := false
	expr.Walk(e, func(x expr.Expr) bool {
		c, ok := x.(*expr.Call)
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
		cols := func(id int) (*expr.Col, bool) { return &expr.Col{Index: id, Name: "c"}, id > 0 }
		e, err := expr.Stored(s).Bind(&exprtest.Users, cols)
		if err != nil {
			return
		}
		again, err := expr.Store(e, func(i int) int { return i })
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		f, err := again.Bind(&exprtest.Users, cols)
		if err != nil || expr.ToText(f) != expr.ToText(e) {
			t.Fatalf("%s became %s: %v", s, again, err)
		}
		if _, err := eval.Compile(e); err != nil {
			t.Skip(err)
		}
		if !slow(e) && len(expr.Cols(e)) == 0 {
			_, _ = eval.EvalConst(storedEnv(), e)
		}
	})
}
