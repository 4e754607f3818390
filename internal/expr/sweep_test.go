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
