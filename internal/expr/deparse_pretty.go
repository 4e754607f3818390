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
		return simple(Children(e)[0], parent)
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
