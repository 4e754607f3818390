package eval

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/types"
)

// Fold replaces what is immutable and constant with its value. An expression
// whose evaluation fails or takes more than foldBytes is left as it is: it fails when it
// is run, if it is.
func Fold(env *expr.Env, e expr.Expr) expr.Expr {
	var small *expr.Env
	out, _ := expr.Rewrite(e, func(x expr.Expr) (expr.Expr, error) {
		switch x.(type) {
		case *expr.Const, *expr.Col, *expr.Param:
			return x, nil
		case *expr.And, *expr.Or:
			return foldLogic(x), nil
		}
		for _, c := range expr.Children(x) {
			if _, ok := c.(*expr.Const); !ok {
				return foldCase(x), nil
			}
		}
		if expr.IsForeign(x) || expr.CallsVolatile(x) || stableHere(x) {
			return x, nil
		}
		if small == nil {
			small = folding(env)
		}
		d, err := EvalConst(small, x)
		if err != nil {
			return x, nil
		}
		return &expr.Const{Value: d.Clone(x.Type()), T: x.Type(), At: x.Pos()}, nil
	})
	return out
}

// stableHere says that x itself, not what is below it, depends on the session.
func stableHere(x expr.Expr) bool {
	switch x := x.(type) {
	case *expr.Call:
		return x.Stable()
	case *expr.Cast:
		c, ok := expr.FindCast(x.X.Type(), x.To, expr.Explicit)
		return !ok || c.Stable
	case *expr.CoerceToDomain: // its constraints may change
		return true
	}
	return false
}

// foldLogic drops arguments of AND and OR that decide nothing, and the rest
// where one decides.
func foldLogic(x expr.Expr) expr.Expr {
	args, decisive := []expr.Expr(nil), false
	if a, ok := x.(*expr.And); ok {
		args = a.Args
	} else {
		args, decisive = x.(*expr.Or).Args, true
	}
	var rest []expr.Expr
	for _, a := range args {
		c, ok := a.(*expr.Const)
		switch {
		case !ok || c.Value.Null:
			rest = append(rest, a)
		case c.Value.Bool == decisive:
			return a
		}
	}
	switch {
	case len(rest) == 0:
		return &expr.Const{Value: types.NewBool(!decisive), T: tBool, At: x.Pos()}
	case len(rest) == 1:
		return rest[0]
	case len(rest) == len(args):
		return x
	}
	return expr.WithChildren(x, rest)
}

// foldCase drops arms of a CASE whose condition is known.
func foldCase(x expr.Expr) expr.Expr {
	c, ok := x.(*expr.Case)
	if !ok {
		return x
	}
	n := &expr.Case{Operand: c.Operand, T: c.T, Else: c.Else, At: c.At}
	for _, w := range c.Whens {
		k, ok := w.Cond.(*expr.Const)
		if !ok {
			n.Whens = append(n.Whens, w)
			continue
		}
		if !k.Value.Null && k.Value.Bool {
			n.Else = w.Then
			break
		}
	}
	if len(n.Whens) == 0 {
		if n.Else == nil {
			return &expr.Const{Value: types.NullDatum, T: c.T, At: c.At}
		}
		return n.Else
	}
	if len(n.Whens) == len(c.Whens) {
		return x
	}
	return n
}

// foldBytes is what values computed while planning may take.
const foldBytes = 1 << 20

// folding gives env with foldBytes of memory.
func folding(env *expr.Env) *expr.Env {
	small := *emptyEnv
	if env != nil {
		small = *env
	}
	small.Mem = new(memory.Account)
	small.Mem.Open(nil, foldBytes, 0)
	return &small
}
