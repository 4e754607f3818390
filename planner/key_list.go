package planner

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

func (r *keyReader) readIn(e *expr.InList) keyDNF {
	col, ok := r.keyColumn(e.X)
	if !ok {
		return r.readInInts(e)
	}
	var args []expr.Expr
	for _, a := range e.List {
		if !value(col, a) {
			return noKeyCond
		}
		if c, ok := a.(*expr.Const); ok && c.Value.Null {
			continue
		}
		args = append(args, a)
	}
	return r.listTerm(col, distinctArgs(args))
}

func (r *keyReader) listTerm(col *catalog.Column, args []expr.Expr) keyDNF {
	switch len(args) {
	case 0:
		return neverTrue
	case 1:
		return r.term(plan.KeyEq, col, args[0])
	}
	return r.term(plan.KeyIn, col, args...)
}

// readInInts reads a list of wider numbers against a column of whole ones.
func (r *keyReader) readInInts(e *expr.InList) keyDNF {
	cast, ok := e.X.(*expr.Cast)
	if !ok {
		return noKeyCond
	}
	col, ok := r.keyColumn(cast.X)
	if !ok || !isInt(col.Type.Kind) {
		return noKeyCond
	}
	arms := make([]keyDNF, len(e.List))
	for i, a := range e.List {
		arms[i] = r.intCompare(col, "=", a)
	}
	return anyOf(arms)
}

func (r *keyReader) readAny(e *expr.AnyAll) keyDNF {
	col, ok := r.keyColumn(e.X)
	if !ok || e.All || e.Op.Name != "=" || !expr.IsConst(e.Array) || !sameFamily(col.Type, e.Array.Type().ElemType()) {
		return noKeyCond
	}
	if m, ok := e.Array.(*expr.MakeArray); ok {
		return r.listTerm(col, m.Elems)
	}
	if c, ok := e.Array.(*expr.Const); ok {
		return r.arrayTerm(col, c)
	}
	return r.term(plan.KeyInArray, col, e.Array)
}

// arrayTerm reads a literal array as a list.
func (r *keyReader) arrayTerm(col *catalog.Column, c *expr.Const) keyDNF {
	if c.Value.Null || c.Value.Array == nil {
		return neverTrue
	}
	var args []expr.Expr
	for _, d := range c.Value.Array.Elems {
		if !d.Null {
			args = append(args, &expr.Const{Value: d, T: c.T.ElemType(), At: c.At})
		}
	}
	return r.listTerm(col, args)
}
