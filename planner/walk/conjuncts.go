package walk

import "github.com/saltsql/saltsql/internal/expr"

// Conjuncts lists what a condition joins by AND.
func Conjuncts(e expr.Expr) []expr.Expr {
	and, ok := e.(*expr.And)
	if !ok {
		return []expr.Expr{e}
	}
	var list []expr.Expr
	for _, a := range and.Args {
		list = append(list, Conjuncts(a)...)
	}
	return list
}

// AndAll joins conditions by AND; nil for none.
func AndAll(list []expr.Expr) expr.Expr {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return &expr.And{Args: list}
}
