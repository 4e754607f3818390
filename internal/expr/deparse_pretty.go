package expr

import (
	"strings"

	"github.com/saltsql/saltsql/internal/types"
)

// The pretty form leaves out the parentheses that precedence makes needless, by the rules
// of PostgreSQL's ruleutils: a node that is not simple below its parent keeps them.

// exprKind is what the rules tell nodes apart by.
type exprKind uint8

const (
	kindAtom exprKind = iota // names, literals, calls: what has parentheses of its own, or needs none
	kindOp
	kindTest // IS NULL, IS TRUE, IS DISTINCT FROM
	kindBool
	kindCast
	kindOther // = ANY
)

func kindOf(e Expr) exprKind {
	switch e := e.(type) {
	case *Call:
		switch {
		case strings.HasPrefix(e.Fn.Name, "IS "):
			return kindTest
		case e.Fn.operator:
			return kindOp
		}
	case *IsNull, *IsDistinct:
		return kindTest
	case *Not:
		switch e.X.(type) {
		case *IsNull:
			return kindTest
		case *InList:
			return kindOther
		}
		return kindBool
	case *And, *Or:
		return kindBool
	case *Cast:
		if e.X.Type().Kind != types.Unknown {
			return kindCast
		}
	case *CoerceToDomain:
		if e.Explicit {
			return kindCast
		}
		return kindOf(e.X)
	case *InList, *AnyAll:
		return kindOther
	}
	return kindAtom
}

// simple says that e needs no parentheses below parent.
func simple(e, parent Expr) bool {
	if parent == nil {
		return true
	}
	above := kindOf(parent)
	switch kindOf(e) {
	case kindAtom:
		return true
	case kindCast:
		if c, ok := e.(*Cast); ok && calls(c.X.Type(), c.To) {
			return true
		}
		return simple(Children(e)[0], e)
	case kindOp:
		if above == kindOp {
			return simpleOp(e.(*Call), parent.(*Call))
		}
		return above == kindAtom || above == kindBool
	case kindTest:
		return above == kindAtom || above == kindBool
	case kindBool:
		if above != kindBool {
			return above == kindAtom
		}
		_, or := e.(*Or)
		_, not := parent.(*Not)
		_, orAbove := parent.(*Or)
		return !not && (!or || orAbove)
	}
	return above == kindAtom // kindOther
}

// calls says that PostgreSQL has a function for a cast, which is simple as all calls are: for
// the pair of types, or for the length.
func calls(from, to types.T) bool {
	if to.Kind == types.Array {
		return false
	}
	c, ok := FindCast(from, to, Explicit)
	return to.Typmod() >= 0 || ok && c.Via == ViaKernel
}

// twice says that a cast is two in PostgreSQL, of which neither is simple below the other: to
// the type without a function, and to its length.
func twice(from, to types.T) bool {
	return to.Kind != types.Array && to.Typmod() >= 0 && from.Base() != to.Base() && !calls(from, to.Base())
}

// looseCast says that a cast stands in parentheses below its parent.
func (d *deparser) looseCast(e *Cast) bool {
	at := len(d.within) - 1
	if at == 0 || kindOf(e) != kindCast || simple(e, d.within[at-1]) {
		return false
	}
	switch kindOf(d.within[at-1]) {
	case kindAtom, kindCast: // what is in a list, and what sees to it itself
		return false
	}
	return true
}

// hiddenCasts takes off what an assignment to a column of type to makes again, and says how many
// parentheses the pretty form has in its place.
func hiddenCasts(e Expr, to types.T) (_ Expr, parens int) {
	x := e
	switch c := e.(type) {
	case *Cast:
		if !c.Explicit {
			x = c.X
		}
	case *CoerceToDomain:
		if !c.Explicit {
			x = c.X
		}
	}
	long := to.Typmod() >= 0 && e.Type().Typmod() != to.Typmod()
	switch {
	case x == e && !long, simple(x, &Cast{X: x}):
		return x, 0
	case x != e && long && to.Domain() == nil && twice(x.Type(), to):
		return x, 2
	}
	return x, 1
}

// simpleOp knows the precedence of the four arithmetic operators and %.
func simpleOp(e, parent *Call) bool {
	level := func(c *Call) int {
		switch {
		case len(c.Args) != 2:
			return 0
		case c.Fn.Name == "+" || c.Fn.Name == "-":
			return 1
		case c.Fn.Name == "*" || c.Fn.Name == "/" || c.Fn.Name == "%":
			return 2
		}
		return 0
	}
	is, above := level(e), level(parent)
	switch {
	case is == 0 || above == 0 || is < above:
		return false
	case is > above:
		return true
	}
	return parent.Args[0] == Expr(e)
}
