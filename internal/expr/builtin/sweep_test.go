package builtin

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/expr/exprtest"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// TestSweep calls every overload with every combination of extremes, NULL
// included: none may panic, fail with an internal error or take long.
func TestSweep(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	env := &expr.Env{Ctx: ctx, User: "u", Database: "d", Now: time.Unix(1e9, 0)}
	n := 0
	for _, f := range expr.Overloads() {
		n += sweep(t, env, f.Name, f)
	}
	t.Logf("%d calls", n)
}

func sweep(t *testing.T, env *expr.Env, name string, f *expr.Func) int {
	choices := make([][]expr.Expr, len(f.ArgTypes))
	for i, a := range f.ArgTypes {
		for _, k := range exprtest.ConcreteKinds(a) {
			choices[i] = append(choices[i], exprtest.ValuesOf(t, k)...)
		}
	}
	idx := make([]int, len(choices))
	calls := 0
	for calls < 4000 {
		args := make([]expr.Expr, len(choices))
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

func one(t *testing.T, env *expr.Env, name string, f *expr.Func, args []expr.Expr) {
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s%v with %s: panic %v", name, f.ArgTypes, list(args), r)
		}
	}()
	e, err := expr.Apply(f, args, 0)
	if err != nil {
		return
	}
	start := time.Now()
	d, err := eval.EvalConst(env, e)
	if took := time.Since(start); took > 5*time.Minute { // that it ends at all: a machine may stall
		t.Errorf("%s with %s took %v", name, list(args), took)
	}
	if err == nil && !d.Null {
		types.Format(e.Type(), d, nil)
	}
	if err != nil && sqlerr.CodeOf(err) == sqlerr.InternalError && !errors.Is(err, context.Canceled) {
		t.Errorf("%s with %s: %v", name, list(args), err)
	}
	_ = expr.ToText(e)
}

func list(args []expr.Expr) string {
	s := ""
	for _, a := range args {
		s += fmt.Sprintf(" %.60s", expr.ToText(a))
	}
	return s
}

// TestSweepCasts converts the extremes of every type to every other.
func TestSweepCasts(t *testing.T) {
	env := &expr.Env{}
	for from := range exprtest.Extremes {
		for _, v := range exprtest.ValuesOf(t, types.Of(from)) {
			for _, to := range types.Kinds() {
				for _, ty := range []types.T{types.Of(to), types.Of(to).WithLength(3), types.ArrayOf(types.Of(to))} {
					if to == types.Numeric && ty.Typmod() >= 0 {
						ty = ty.WithPrecision(3, 1)
					}
					func() {
						defer func() {
							if r := recover(); r != nil {
								t.Fatalf("%s to %s: %v", expr.ToText(v), ty, r)
							}
						}()
						e, err := expr.ResolveCast(v, ty, expr.Explicit, 0)
						if err != nil {
							return
						}
						if d, err := eval.EvalConst(env, e); err == nil && !d.Null {
							types.Format(ty, d, nil)
						}
					}()
				}
			}
		}
	}
}
