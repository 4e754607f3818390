package expr

import (
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/types"
)

// Fold replaces what is immutable and constant with its value. An expression
// whose evaluation fails or takes more than foldBytes is left as it is: it fails when it
// is run, if it is.
func Fold(env *Env, e Expr) Expr {
	var small *Env
	out, _ := Rewrite(e, func(x Expr) (Expr, error) {
		switch x.(type) {
		case *Const, *Col, *Param:
			return x, nil
		case *And, *Or:
			return foldLogic(x), nil
		}
		for _, c := range children(x) {
			if _, ok := c.(*Const); !ok {
				return foldCase(x), nil
			}
		}
		if foreign(x) || isVolatile(x) || stableHere(x) {
			return x, nil
		}
		if small == nil {
			small = folding(env)
		}
		d, err := EvalConst(small, x)
		if err != nil {
			return x, nil
		}
		return &Const{Value: d.Clone(x.Type()), T: x.Type(), At: x.Pos()}, nil
	})
	return out
}

// stableHere says that x itself, not what is below it, depends on the session.
func stableHere(x Expr) bool {
	switch x := x.(type) {
	case *Call:
		return x.Fn.Stable
	case *Cast:
		c, ok := findCast(x.X.Type(), x.To, Explicit)
		return !ok || c.stable
	}
	return false
}

// foldLogic drops arguments of AND and OR that decide nothing, and the rest
// where one decides.
func foldLogic(x Expr) Expr {
	args, decisive := []Expr(nil), false
	if a, ok := x.(*And); ok {
		args = a.Args
	} else {
		args, decisive = x.(*Or).Args, true
	}
	var rest []Expr
	for _, a := range args {
		c, ok := a.(*Const)
		switch {
		case !ok || c.Value.Null:
			rest = append(rest, a)
		case c.Value.Bool == decisive:
			return a
		}
	}
	switch {
	case len(rest) == 0:
		return &Const{Value: types.NewBool(!decisive), T: tBool, At: x.Pos()}
	case len(rest) == 1:
		return rest[0]
	case len(rest) == len(args):
		return x
	}
	return withChildren(x, rest)
}

// foldCase drops arms of a CASE whose condition is known.
func foldCase(x Expr) Expr {
	c, ok := x.(*Case)
	if !ok {
		return x
	}
	n := &Case{T: c.T, Else: c.Else, At: c.At}
	for _, w := range c.Whens {
		k, ok := w.Cond.(*Const)
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
			return &Const{Value: types.NullDatum, T: c.T, At: c.At}
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
func folding(env *Env) *Env {
	small := *emptyEnv
	if env != nil {
		small = *env
	}
	small.Mem = new(memory.Account)
	small.Mem.Open(nil, foldBytes, 0)
	return &small
}
