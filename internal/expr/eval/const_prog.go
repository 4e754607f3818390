package eval

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// ConstProg is an expression without columns that is evaluated once per run or per
// row: a literal of VALUES, the argument of a key condition. What is compiled is kept
// from run to run.
type ConstProg struct {
	e expr.Expr
	p *Prog
}

// ConstProgs makes a ConstProg of each of es.
func ConstProgs(es []expr.Expr) []ConstProg {
	cs := make([]ConstProg, len(es))
	for i, e := range es {
		cs[i].e = e
	}
	return cs
}

// Eval gives the value, whose bytes are valid until the next Eval.
func (c *ConstProg) Eval(env *expr.Env) (types.Datum, error) {
	switch c.e.(type) {
	case *expr.Const, *expr.Param:
		return EvalConst(env, c.e)
	}
	if c.p == nil {
		var err error
		if c.p, err = Compile(c.e); err != nil {
			return types.NullDatum, err
		}
	}
	v, err := c.p.Eval(env, oneRow)
	if err != nil {
		return types.NullDatum, err
	}
	return v.Datum(0), nil
}
