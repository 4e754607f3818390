package keycond

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

func (r *Reader) readIn(e *expr.InList) DNF {
	col, ok := r.Column(e.X)
	if !ok {
		return r.readInEach(e)
	}
	var args []expr.Expr
	for _, a := range e.List {
		if !value(col, a) {
			return Nothing
		}
		if c, ok := a.(*expr.Const); ok && c.Value.Null {
			continue
		}
		args = append(args, a)
	}
	return r.listTerm(col, distinctArgs(args))
}

func (r *Reader) listTerm(col *catalog.Column, args []expr.Expr) DNF {
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
func (r *Reader) readInEach(e *expr.InList) DNF {
	arms := make([]DNF, len(e.List))
	for i, a := range e.List {
		if arms[i] = r.readCompare("=", e.X, a); !arms[i].Bound {
			return Nothing
		}
	}
	return anyOf(arms)
}

func (r *Reader) readAny(e *expr.AnyAll) DNF {
	col, ok := r.Column(e.X)
	all := e.All && e.Op.Name == "<>"
	if !ok || !all && (e.All || e.Op.Name != "=") || !expr.IsConst(e.Array) || !sameFamily(col.Type, e.Array.Type().ElemType()) {
		return Nothing
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
func (r *Reader) readNotIn(e *expr.InList) DNF {
	col, ok := r.Column(e.X)
	if !ok {
		return Nothing
	}
	for _, a := range e.List {
		if !value(col, a) {
			return Nothing
		}
		if isNullConst(a) {
			return neverTrue
		}
	}
	return r.term(plan.KeyNotIn, col, e.List...)
}

// arrayTerm reads a literal array as a list.
func (r *Reader) arrayTerm(col *catalog.Column, c *expr.Const) DNF {
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
