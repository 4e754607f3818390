package relational

import (
	"io"
	"sync/atomic"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// filter narrows each batch's selection to the rows for which its condition is
// true.
type filter struct {
	n    *plan.Filter
	in   op.Operator
	cond *eval.Prog
	once []*expr.Param // that are conditions, the same for all rows
	none bool          // one is not true: the input is not run, and so does not fail
	cx   *op.Context
	sel  []uint16
}

// NewFilter makes the operator of a Filter.
func NewFilter(n *plan.Filter, in op.Operator) (op.Operator, error) {
	cond, err := eval.Compile(n.Cond)
	if err != nil {
		return nil, err
	}
	f := &filter{n: n, in: in, cond: cond}
	all := []expr.Expr{n.Cond}
	if and, ok := n.Cond.(*expr.And); ok {
		all = and.Args
	}
	for _, c := range all {
		if p, ok := c.(*expr.Param); ok {
			f.once = append(f.once, p)
		}
	}
	return f, nil
}

func (f *filter) Open(cx *op.Context) error {
	f.cx, f.none = cx, false
	for _, p := range f.once {
		d, err := eval.EvalConst(cx.Env, p)
		if err != nil {
			return err
		}
		if f.none = d.Null || !d.Bool; f.none {
			return nil
		}
	}
	return f.in.Open(cx)
}

func (f *filter) Next() (*vec.Batch, error) {
	if f.none {
		return nil, io.EOF
	}
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

// Feed filters on the goroutines of the input.
func (f *filter) Feed(newSink func() (op.Sink, error)) error {
	newSink, done := f.cx.Fed(f.n, newSink)
	defer done()
	if f.none || f.cx.Source != nil || expr.Volatile(f.n.Cond) {
		return op.FeedFrom(f.Next, newSink)
	}
	var first atomic.Bool
	return op.Feed(f.in, func() (op.Sink, error) {
		to, err := newSink()
		s := &filterSink{cx: f.cx, cond: f.cond, to: to}
		if first.Swap(true) {
			s.cond = f.cond.Clone()
		}
		return s, err
	})
}

// filterSink filters what one goroutine gives.
type filterSink struct {
	cx   *op.Context
	cond *eval.Prog
	sel  []uint16
	to   op.Sink
}

func (s *filterSink) Add(b *vec.Batch) error {
	var err error
	if s.sel, err = s.cond.Filter(s.cx.Env, b, s.sel); err != nil {
		return err
	}
	if len(s.sel) == 0 {
		return s.cx.Canceled()
	}
	b.Sel = s.sel
	return s.to.Add(b)
}

func (f *filter) Close() error { return f.in.Close() }
