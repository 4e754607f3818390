package exec

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// constExpr is an expression without columns that is evaluated once per run or
// per row: a literal of VALUES, the argument of a key condition. What is
// compiled is kept from run to run.
type constExpr struct {
	e expr.Expr
	p *expr.Prog
}

func constExprs(es []expr.Expr) []constExpr {
	cs := make([]constExpr, len(es))
	for i, e := range es {
		cs[i].e = e
	}
	return cs
}

// eval gives the value, whose bytes are valid until the next eval.
func (c *constExpr) eval(env *expr.Env) (types.Datum, error) {
	switch c.e.(type) {
	case *expr.Const, *expr.Param:
		return expr.EvalConst(env, c.e)
	}
	if c.p == nil {
		var err error
		if c.p, err = expr.Compile(c.e); err != nil {
			return types.NullDatum, err
		}
	}
	v, err := c.p.Eval(env, noColumns)
	if err != nil {
		return types.NullDatum, err
	}
	return v.Datum(0), nil
}

var noColumns = &vec.Batch{N: 1}
