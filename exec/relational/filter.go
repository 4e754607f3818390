package relational

import (
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// filter narrows each batch's selection to the rows for which its condition is
// true.
type filter struct {
	in   op.Operator
	cond *eval.Prog
	cx   *op.Context
	sel  []uint16
}

// NewFilter makes the operator of a Filter.
func NewFilter(n *plan.Filter, in op.Operator) (op.Operator, error) {
	cond, err := eval.Compile(n.Cond)
	if err != nil {
		return nil, err
	}
	return &filter{in: in, cond: cond}, nil
}

func (f *filter) Open(cx *op.Context) error {
	f.cx = cx
	return f.in.Open(cx)
}

func (f *filter) Next() (*vec.Batch, error) {
	for {
		b, err := f.in.Next()
		if err != nil {
			return nil, err
		}
		if f.sel, err = f.cond.Filter(f.cx.Env, b, f.sel); err != nil {
			f.cx.FindFailed(b, func(one *vec.Batch) error { _, err := f.cond.Filter(f.cx.Env, one, nil); return err })
			return nil, err
		}
		if len(f.sel) > 0 {
			b.Sel = f.sel
			return b, nil
		}
		if err := f.cx.Canceled(); err != nil {
			return nil, err
		}
	}
}

func (f *filter) Close() error { return f.in.Close() }
