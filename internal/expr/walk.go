package expr

import (
	"slices"

	"github.com/saltsql/saltsql/internal/types"
)

// children lists the expressions right below e.
func children(e Expr) []Expr {
	switch e := e.(type) {
	case *Call:
		return e.Args
	case *Cast:
		return []Expr{e.X}
	case *And:
		return e.Args
	case *Or:
		return e.Args
	case *Not:
		return []Expr{e.X}
	case *IsNull:
		return []Expr{e.X}
	case *IsDistinct:
		return []Expr{e.X, e.Y}
	case *Case:
		var out []Expr
		for _, w := range e.Whens {
			out = append(out, w.Cond, w.Then)
		}
		if e.Else != nil {
			out = append(out, e.Else)
		}
		return out
	case *Coalesce:
		return e.Args
	case *InList:
		return append([]Expr{e.X}, e.List...)
	case *AnyAll:
		return []Expr{e.X, e.Array}
	case *RowCmp:
		return append(slices.Clone(e.L), e.R...)
	case *MakeArray:
		return e.Elems
	case *Subscript:
		return []Expr{e.X, e.I}
	}
	return nil
}

// withChildren makes a copy of e over other children, as children lists them.
func withChildren(e Expr, c []Expr) Expr {
	switch e := e.(type) {
	case *Call:
		n := *e
		n.Args = c
		return &n
	case *Cast:
		n := *e
		n.X = c[0]
		return &n
	case *And:
		return &And{Args: c, At: e.At}
	case *Or:
		return &Or{Args: c, At: e.At}
	case *Not:
		return &Not{X: c[0], At: e.At}
	case *IsNull:
		return &IsNull{X: c[0], At: e.At}
	case *IsDistinct:
		return &IsDistinct{X: c[0], Y: c[1], Eq: e.Eq, At: e.At}
	case *Case:
		n := &Case{T: e.T, At: e.At}
		for i := range e.Whens {
			n.Whens = append(n.Whens, When{Cond: c[2*i], Then: c[2*i+1]})
		}
		if e.Else != nil {
			n.Else = c[len(c)-1]
		}
		return n
	case *Coalesce:
		return &Coalesce{Args: c, T: e.T, At: e.At}
	case *InList:
		return &InList{X: c[0], List: c[1:], Eq: e.Eq, At: e.At}
	case *AnyAll:
		n := *e
		n.X, n.Array = c[0], c[1]
		return &n
	case *RowCmp:
		n := *e
		n.L, n.R = c[:len(e.L):len(e.L)], c[len(e.L):]
		return &n
	case *MakeArray:
		return &MakeArray{Elems: c, T: e.T, At: e.At}
	case *Subscript:
		n := *e
		n.X, n.I = c[0], c[1]
		return &n
	}
	return e
}

// Walk calls fn for e and, where fn returns true, for the expressions in it,
// parents first. A node of a type that is not this package's is a leaf.
func Walk(e Expr, fn func(Expr) bool) {
	if !fn(e) {
		return
	}
	switch e := e.(type) {
	case *Cast:
		Walk(e.X, fn)
	case *Not:
		Walk(e.X, fn)
	case *IsNull:
		Walk(e.X, fn)
	case *IsDistinct:
		Walk(e.X, fn)
		Walk(e.Y, fn)
	case *InList:
		Walk(e.X, fn)
		walkAll(e.List, fn)
	case *AnyAll:
		Walk(e.X, fn)
		Walk(e.Array, fn)
	case *RowCmp:
		walkAll(e.L, fn)
		walkAll(e.R, fn)
	case *Subscript:
		Walk(e.X, fn)
		Walk(e.I, fn)
	default:
		walkAll(children(e), fn)
	}
}

func walkAll(list []Expr, fn func(Expr) bool) {
	for _, e := range list {
		Walk(e, fn)
	}
}

// Rewrite replaces every node, children first, with what fn makes of it. Nodes
// that do not change are shared with e.
func Rewrite(e Expr, fn func(Expr) (Expr, error)) (Expr, error) {
	old := children(e)
	var changed []Expr
	for i, c := range old {
		n, err := Rewrite(c, fn)
		if err != nil {
			return nil, err
		}
		if n != c && changed == nil {
			changed = slices.Clone(old)
		}
		if changed != nil {
			changed[i] = n
		}
	}
	if changed != nil {
		e = withChildren(e, changed)
	}
	return fn(e)
}

// anyNodeOf says whether ok holds for e or an expression in it.
func anyNodeOf(e Expr, ok func(Expr) bool) bool {
	found := false
	Walk(e, func(x Expr) bool {
		found = found || ok(x)
		return !found
	})
	return found
}

func isVolatile(x Expr) bool {
	c, ok := x.(*Call)
	return ok && c.Fn.Volatile
}

// IsConst says that e has no Col and nothing volatile: it has one value per
// execution. Parameters and now() are constant in this sense. A node that is
// not this package's (an aggregate, a subquery) is not.
func IsConst(e Expr) bool {
	return !anyNodeOf(e, func(x Expr) bool {
		if _, ok := x.(*Col); ok {
			return true
		}
		return isVolatile(x) || foreign(x)
	})
}

func foreign(x Expr) bool {
	switch x.(type) {
	case *Col, *Const, *Param, *Call, *Cast, *And, *Or, *Not, *IsNull, *IsDistinct, *Case, *Coalesce, *InList,
		*AnyAll, *RowCmp, *MakeArray, *Subscript:
		return false
	}
	return true
}

// HasParam says that e depends on a parameter.
func HasParam(e Expr) bool {
	return anyNodeOf(e, func(x Expr) bool { _, ok := x.(*Param); return ok })
}

// Volatile says that e must be evaluated per row (random(), nextval()).
func Volatile(e Expr) bool { return anyNodeOf(e, isVolatile) }

// Stable says that e, apart from its parameters and columns, depends on the
// session or the time, so that it must not be folded at planning.
func Stable(e Expr) bool {
	return anyNodeOf(e, func(x Expr) bool {
		switch x := x.(type) {
		case *Call:
			return x.Fn.Stable
		case *Cast:
			c, ok := findCast(x.X.Type(), x.To, Explicit)
			return ok && c.stable
		}
		return false
	})
}

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
			small = env.folding()
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

// Cols lists the columns e reads, ascending, each once.
func Cols(e Expr) []int {
	var out []int
	Walk(e, func(x Expr) bool {
		if c, ok := x.(*Col); ok {
			out = append(out, c.Index)
		}
		return true
	})
	slices.Sort(out)
	return slices.Compact(out)
}
