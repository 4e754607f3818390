package relational

import (
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// project computes expressions. The selection of the input stays, but for rows that are
// too large to be given all at once.
type project struct {
	in    op.Operator
	progs []*eval.Prog
	grows bool // some may give expr.ErrWide
	cx    *op.Context
	parts op.Parts
	out   vec.Batch
}

// NewProject makes the operator of a Project.
func NewProject(n *plan.Project, in op.Operator) (op.Operator, error) {
	progs, err := op.CompileAll(n.Exprs)
	if err != nil {
		return nil, err
	}
	return &project{in: in, progs: progs, grows: op.AnyGrows(progs), out: vec.Batch{Cols: make([]*vec.Vec, len(progs))}}, nil
}

func (p *project) Open(cx *op.Context) error {
	p.cx = cx
	p.parts.Reset()
	return p.in.Open(cx)
}

func (p *project) Next() (*vec.Batch, error) {
	if p.grows {
		if part := p.parts.Next(); part != nil {
			return p.narrow(part)
		}
	}
	b, err := p.in.Next()
	if err != nil {
		return nil, err
	}
	if p.grows {
		p.parts.Set(b)
		return p.narrow(p.parts.Next())
	}
	return p.eval(b)
}

// narrow computes as many of a part's rows as may be held.
func (p *project) narrow(part *vec.Batch) (*vec.Batch, error) {
	for {
		out, err := p.eval(part)
		if err != expr.ErrWide {
			return out, err
		}
		part = p.parts.Fewer()
	}
}

func (p *project) eval(b *vec.Batch) (*vec.Batch, error) {
	for i, prog := range p.progs {
		var err error
		if p.out.Cols[i], err = prog.EvalNarrow(p.cx.Env, b); err != nil {
			if err != expr.ErrWide {
				p.cx.FindFailed(b, func(one *vec.Batch) error { _, err := prog.Eval(p.cx.Env, one); return err })
			}
			return nil, err
		}
	}
	p.out.N, p.out.Sel = b.N, b.Sel
	return &p.out, nil
}

func (p *project) Close() error { return p.in.Close() }
