package expr

import (
	"slices"
)

// Children lists the expressions right below e.
func Children(e Expr) []Expr {
	switch e := e.(type) {
	case *Call:
		return e.Args
	case *Cast:
		return []Expr{e.X}
	case *CoerceToDomain:
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
		if e.Operand != nil {
			out = append(out, e.Operand)
		}
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
	case *Subscripts:
		out := []Expr{e.X}
		for _, r := range e.Ranges {
			for _, bound := range []Expr{r.Low, r.High} {
				if bound != nil {
					out = append(out, bound)
				}
			}
		}
		return out
	}
	return nil
}

// WithChildren makes a copy of e over other children, as children lists them.
func WithChildren(e Expr, c []Expr) Expr {
	switch e := e.(type) {
	case *Call:
		n := *e
		n.Args = c
		return &n
	case *Cast:
		n := *e
		n.X = c[0]
		return &n
	case *CoerceToDomain:
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
		n := &Case{T: e.T, Simple: e.Simple, At: e.At}
		if e.Operand != nil {
			n.Operand, c = c[0], c[1:]
		}
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
	case *Subscripts:
		n := *e
		n.X, c = c[0], c[1:]
		n.Ranges = make([]Range, len(e.Ranges))
		for i, r := range e.Ranges {
			if r.Low != nil {
				n.Ranges[i].Low, c = c[0], c[1:]
			}
			if r.High != nil {
				n.Ranges[i].High, c = c[0], c[1:]
			}
		}
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
		walkAll(Children(e), fn)
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
	old := Children(e)
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
		e = WithChildren(e, changed)
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

// CallsVolatile says that x itself is a call that is evaluated per row, or stands for one.
func CallsVolatile(x Expr) bool {
	if _, ok := x.(*CaseOperand); ok {
		return true
	}
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
		return CallsVolatile(x) || IsForeign(x)
	})
}

// IsForeign says that x is a node of another package.
func IsForeign(x Expr) bool {
	switch x.(type) {
	case *Col, *Const, *Param, *Call, *Cast, *CoerceToDomain, *And, *Or, *Not, *IsNull, *IsDistinct, *Case, *CaseOperand, *Coalesce, *InList,
		*AnyAll, *RowCmp, *MakeArray, *Subscript, *Subscripts:
		return false
	}
	return true
}

// Volatile says that e must be evaluated per row (random(), nextval()).
func Volatile(e Expr) bool { return anyNodeOf(e, CallsVolatile) }

// Stable says that e, apart from its parameters and columns, depends on the
// session or the time, so that it must not be folded at planning.
func Stable(e Expr) bool {
	return anyNodeOf(e, func(x Expr) bool {
		switch x := x.(type) {
		case *Call:
			return x.Stable()
		case *Cast:
			c, ok := FindCast(x.X.Type(), x.To, Explicit)
			return ok && c.Stable
		}
		return false
	})
}

// Stable says that the call itself, not what is below it, depends on the session or the time.
func (c *Call) Stable() bool {
	if !c.Fn.TextOnly {
		return c.Fn.Stable
	}
	return slices.ContainsFunc(c.Args, func(a Expr) bool {
		by, ok := FindCast(a.Type(), tText, Explicit)
		return !ok || by.Stable
	})
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
