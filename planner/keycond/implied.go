package keycond

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
)

// Implied says that rows for which all of conds are true satisfy all of preds, the
// predicate of a partial index. It finds what is written alike, parts of an OR, NOT NULL of
// what a strict condition compares, and ranges within ranges of literals:
//
//	x = 5, x IN (5, 6), x > 7    imply    x IS NOT NULL, x > 4, x >= 5
//	b = true, b <> false         imply    b, and the other way around
//
// It may miss an implication, and never finds one that is none.
func Implied(preds, conds []expr.Expr) bool {
	if len(preds) == 0 {
		return true
	}
	folded := make([]expr.Expr, len(conds))
	for i, c := range conds {
		folded[i] = eval.Fold(nil, c) // of joins they are as written
	}
	for _, p := range preds {
		found := false
		for _, c := range folded {
			found = found || implies(c, p)
		}
		if !found {
			return false
		}
	}
	return true
}

// implies says that p is true where c is.
func implies(c, p expr.Expr) bool {
	if expr.Equal(asCondition(c), asCondition(p)) {
		return !expr.Volatile(c)
	}
	switch c := c.(type) {
	case *expr.Or:
		for _, a := range c.Args {
			if !implies(a, p) {
				return false
			}
		}
		return true
	case *expr.And:
		for _, a := range c.Args {
			if implies(a, p) {
				return true
			}
		}
		return false
	case *expr.InList:
		if e, ok := p.(*expr.Not); !ok || !isNullTest(e.X) {
			for _, v := range c.List {
				if !implies(&expr.Call{Fn: c.Eq, Args: []expr.Expr{c.X, v}, T: types.Of(types.Bool)}, p) {
					return false
				}
			}
			return true
		}
	}
	switch p := p.(type) {
	case *expr.And:
		for _, a := range p.Args {
			if !implies(c, a) {
				return false
			}
		}
		return true
	case *expr.Or:
		for _, a := range p.Args {
			if implies(c, a) {
				return true
			}
		}
		return false
	case *expr.Not:
		if null, ok := p.X.(*expr.IsNull); ok {
			return rejectsNull(c, null.X)
		}
	case *expr.InList:
		for _, v := range p.List {
			if implies(c, &expr.Call{Fn: p.Eq, Args: []expr.Expr{p.X, v}, T: types.Of(types.Bool)}) {
				return true
			}
		}
		return false
	case *expr.Call:
		return rangeWithin(c, p)
	}
	return false
}

// asCondition gives a comparison of a boolean with a literal as that boolean or its NOT.
func asCondition(e expr.Expr) expr.Expr {
	op, x, v, ok := literalCompare(e)
	if !ok || v.T.Kind != types.Bool || op != "=" && op != "<>" {
		return e
	}
	if v.Value.Bool == (op == "=") {
		return x
	}
	return &expr.Not{X: x}
}

func isNullTest(e expr.Expr) bool {
	_, ok := e.(*expr.IsNull)
	return ok
}

// rejectsNull says that c is not true where x is NULL.
func rejectsNull(c, x expr.Expr) bool {
	switch c := c.(type) {
	case *expr.Call:
		if c.Fn.Strict {
			for _, a := range c.Args {
				if isOrRejects(a, x) {
					return true
				}
			}
		}
	case *expr.InList:
		return isOrRejects(c.X, x)
	case *expr.AnyAll:
		return !c.All && isOrRejects(c.X, x)
	case *expr.Not:
		if null, ok := c.X.(*expr.IsNull); ok {
			return expr.Equal(null.X, x)
		}
		return isOrRejects(c.X, x)
	case *expr.Col:
		return expr.Equal(c, x)
	}
	return false
}

// isOrRejects says that e is NULL where x is.
func isOrRejects(e, x expr.Expr) bool {
	if expr.Equal(e, x) {
		return true
	}
	switch e := e.(type) {
	case *expr.Cast:
		return isOrRejects(e.X, x)
	case *expr.Call:
		if e.Fn.Strict {
			for _, a := range e.Args {
				if isOrRejects(a, x) {
					return true
				}
			}
		}
	}
	return false
}

// rangeWithin says that what a comparison c with a literal lets through, p lets through.
func rangeWithin(c, p expr.Expr) bool {
	cop, cx, cv, ok := literalCompare(c)
	if !ok {
		return false
	}
	pop, px, pv, ok := literalCompare(p)
	if !ok || !expr.Equal(cx, px) || !comparable(cv.T, pv.T) {
		return false
	}
	d := types.Compare(cv.T, cv.Value, pv.Value) // c's bound against p's
	switch pop {
	case "=":
		return cop == "=" && d == 0
	case "<>":
		return cop == "=" && d != 0 || cop == "<>" && d == 0 || cop == "<" && d <= 0 || cop == "<=" && d < 0 || cop == ">" && d >= 0 || cop == ">=" && d > 0
	case "<":
		return cop == "<" && d <= 0 || (cop == "<=" || cop == "=") && d < 0
	case "<=":
		return (cop == "<" || cop == "<=" || cop == "=") && d <= 0
	case ">":
		return cop == ">" && d >= 0 || (cop == ">=" || cop == "=") && d > 0
	case ">=":
		return (cop == ">" || cop == ">=" || cop == "=") && d >= 0
	}
	return false
}

// literalCompare takes a comparison with a literal that is not NULL apart, the literal
// to the right.
func literalCompare(e expr.Expr) (op string, x expr.Expr, v *expr.Const, ok bool) {
	call, isCall := e.(*expr.Call)
	if !isCall || len(call.Args) != 2 {
		return "", nil, nil, false
	}
	if _, ok := CompareOps[call.Fn.Name]; !ok {
		return "", nil, nil, false
	}
	op, x = call.Fn.Name, call.Args[0]
	v, ok = call.Args[1].(*expr.Const)
	if !ok {
		if v, ok = x.(*expr.Const); !ok {
			return "", nil, nil, false
		}
		op, x = Mirrored[op], call.Args[1]
	}
	return op, x, v, !v.Value.Null && comparable(call.Args[0].Type(), call.Args[1].Type())
}

// comparable says that values of two types compare as those of either do: they are of one
// type, or both integers.
func comparable(a, b types.T) bool {
	integer := func(t types.T) bool { return t.Kind == types.Int2 || t.Kind == types.Int4 || t.Kind == types.Int8 }
	return a.Base() == b.Base() || integer(a) && integer(b)
}
