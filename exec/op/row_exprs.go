package op

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/vec"
)

// RowExprs are expressions that are computed together for the rows of a batch, of as
// many at a time as their values may be held for.
type RowExprs struct {
	Progs []*eval.Prog
	Vals  []*vec.Vec // of the rows they were computed for last
	parts Parts
}

func NewRowExprs(es []expr.Expr) (*RowExprs, error) {
	progs, err := CompileAll(es)
	return &RowExprs{Progs: progs, Vals: make([]*vec.Vec, len(progs))}, err
}

// Clone gives a copy for another goroutine.
func (x *RowExprs) Clone() *RowExprs {
	return &RowExprs{Progs: CloneAll(x.Progs), Vals: make([]*vec.Vec, len(x.Progs))}
}

// Eval computes the expressions: expr.ErrWide where their values are too large.
func (x *RowExprs) Eval(env *expr.Env, b *vec.Batch) error {
	for i, p := range x.Progs {
		v, err := p.EvalNarrow(env, b)
		if err != nil {
			return err
		}
		x.Vals[i] = v
	}
	return nil
}

// Each computes them for all of b and calls use for each part.
func (x *RowExprs) Each(env *expr.Env, b *vec.Batch, use func(part *vec.Batch) error) error {
	if !AnyGrows(x.Progs) {
		if err := x.Eval(env, b); err != nil {
			return err
		}
		return use(b)
	}
	return x.parts.Each(b, func(part *vec.Batch) error { return x.Eval(env, part) }, use)
}

// Reset forgets the rows that nextPart has not given.
func (x *RowExprs) Reset() { x.parts = Parts{sel: x.parts.sel} }

// NextPart gives rows of next for which they are computed.
func (x *RowExprs) NextPart(env *expr.Env, next func() (*vec.Batch, error)) (*vec.Batch, error) {
	part := x.parts.Next()
	if part == nil {
		b, err := next()
		if err != nil {
			return nil, err
		}
		x.parts.Set(b)
		part = x.parts.Next()
	}
	for {
		err := x.Eval(env, part)
		if err != expr.ErrWide {
			return part, err
		}
		part = x.parts.Fewer()
	}
}
