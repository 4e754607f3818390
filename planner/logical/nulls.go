package logical

import "github.com/saltsql/saltsql/internal/expr"

// NullRejected are columns of which each, where it is NULL, makes a condition false or
// unknown.
//
//	a = b AND c > 1     a, b, c
//	a = 1 OR a = b      a
//	a IS NOT NULL       a
//	coalesce(a, b) = 1  none
func NullRejected(cond expr.Expr) ColSet {
	if cond == nil {
		return ColSet{}
	}
	return notTrue(cond)
}

// notTrue are the columns whose NULL makes e false or NULL.
func notTrue(e expr.Expr) ColSet {
	switch e := e.(type) {
	case *expr.And:
		var s ColSet
		for _, a := range e.Args {
			s.AddAll(notTrue(a))
		}
		return s
	case *expr.Or:
		return inAll(e.Args, notTrue)
	case *expr.Not:
		return notFalse(e.X)
	case *expr.Call:
		// IS TRUE is no strict function, but is not true of NULL.
		if e.Fn.Name == "IS TRUE" && len(e.Args) == 1 {
			return notTrue(e.Args[0])
		}
	}
	return NullFrom(e)
}

// notFalse are the columns whose NULL makes e true or NULL.
func notFalse(e expr.Expr) ColSet {
	switch e := e.(type) {
	case *expr.And:
		return inAll(e.Args, notFalse)
	case *expr.Or:
		var s ColSet
		for _, a := range e.Args {
			s.AddAll(notFalse(a))
		}
		return s
	case *expr.Not:
		return notTrue(e.X)
	case *expr.IsNull:
		return NullFrom(e.X)
	}
	return NullFrom(e)
}

// NullFrom gives the columns whose NULL makes e NULL.
func NullFrom(e expr.Expr) ColSet {
	switch e := e.(type) {
	case *expr.Col:
		return SetOf(e.Index)
	case *expr.Call:
		if !e.Fn.Strict {
			return ColSet{}
		}
		var s ColSet
		for _, a := range e.Args {
			s.AddAll(NullFrom(a))
		}
		return s
	case *expr.Cast:
		return NullFrom(e.X)
	case *expr.Not:
		return NullFrom(e.X)
	case *expr.And:
		return inAll(e.Args, NullFrom)
	case *expr.Or:
		return inAll(e.Args, NullFrom)
	case *expr.InList:
		return NullFrom(e.X)
	case *expr.Subscript:
		return NullFrom(e.X).Union(NullFrom(e.I))
	}
	return ColSet{}
}

// inAll gives what is in the sets of all.
func inAll(list []expr.Expr, of func(expr.Expr) ColSet) ColSet {
	s := of(list[0])
	for _, e := range list[1:] {
		s = s.Intersect(of(e))
	}
	return s
}

// NeverNull says that e has a value in every row in which the columns notNull have one.
func NeverNull(e expr.Expr, notNull ColSet) bool {
	switch e := e.(type) {
	case *expr.Col:
		return notNull.Has(e.Index)
	case *expr.Const:
		return !e.Value.Null
	case *expr.IsNull, *expr.IsDistinct:
		return true
	case *expr.Coalesce:
		for _, a := range e.Args {
			if NeverNull(a, notNull) {
				return true
			}
		}
	case *expr.Not:
		return NeverNull(e.X, notNull)
	case *expr.And:
		return allNeverNull(e.Args, notNull)
	case *expr.Or:
		return allNeverNull(e.Args, notNull)
	case *expr.Call:
		if _, _, _, eq := Equality(e); eq {
			return allNeverNull(e.Args, notNull)
		}
	}
	return false
}

func allNeverNull(list []expr.Expr, notNull ColSet) bool {
	for _, e := range list {
		if !NeverNull(e, notNull) {
			return false
		}
	}
	return true
}
