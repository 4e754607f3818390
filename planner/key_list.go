package planner

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

func (r *keyReader) readIn(e *expr.InList) keyDNF {
	col, ok := r.keyColumn(e.X)
	if !ok {
		return r.readInEach(e)
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

// readInEach reads a list as an OR of comparisons: of wider numbers with a column of whole
// ones, of days with a timestamp.
func (r *keyReader) readInEach(e *expr.InList) keyDNF {
	arms := make([]keyDNF, len(e.List))
	for i, a := range e.List {
		if arms[i] = r.readCompare("=", e.X, a); !arms[i].bound {
			return noKeyCond
		}
	}
	return anyOf(arms)
}

func (r *keyReader) readAny(e *expr.AnyAll) keyDNF {
	col, ok := r.keyColumn(e.X)
	all := e.All && e.Op.Name == "<>"
	if !ok || !all && (e.All || e.Op.Name != "=") || !expr.IsConst(e.Array) || !sameFamily(col.Type, e.Array.Type().ElemType()) {
		return noKeyCond
	}
	if m, ok := e.Array.(*expr.MakeArray); ok {
		if all {
			return r.term(plan.KeyNotIn, col, m.Elems...)
		}
		return r.listTerm(col, m.Elems)
	}
	c, isConst := e.Array.(*expr.Const)
	switch {
	case isConst && c.Value.Null:
		return neverTrue
	case all:
		return r.term(plan.KeyNotInArray, col, e.Array)
	case isConst:
		return r.arrayTerm(col, c)
	}
	return r.term(plan.KeyInArray, col, e.Array)
}

// readNotIn reads NOT IN, which a NULL in the list makes never true.
func (r *keyReader) readNotIn(e *expr.InList) keyDNF {
	col, ok := r.keyColumn(e.X)
	if !ok {
		return noKeyCond
	}
	for _, a := range e.List {
		if !value(col, a) {
			return noKeyCond
		}
		if isNullConst(a) {
			return neverTrue
		}
	}
	return r.term(plan.KeyNotIn, col, e.List...)
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
