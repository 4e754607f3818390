package exec

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// project computes expressions. The selection of the input stays.
type project struct {
	in    Operator
	progs []*expr.Prog
	cx    *Context
	out   vec.Batch
}

func newProject(n *plan.Project) (Operator, error) {
	in, err := Build(n.Input)
	if err != nil {
		return nil, err
	}
	progs, err := compileAll(n.Exprs)
	if err != nil {
		return nil, err
	}
	return &project{in: in, progs: progs, out: vec.Batch{Cols: make([]*vec.Vec, len(progs))}}, nil
}

func compileAll(exprs []expr.Expr) ([]*expr.Prog, error) {
	progs := make([]*expr.Prog, len(exprs))
	for i, e := range exprs {
		p, err := expr.Compile(e)
		if err != nil {
			return nil, err
		}
		progs[i] = p
	}
	return progs, nil
}

func (p *project) Open(cx *Context) error {
	p.cx = cx
	return p.in.Open(cx)
}

func (p *project) Next() (*vec.Batch, error) {
	b, err := p.in.Next()
	if err != nil {
		return nil, err
	}
	for i, prog := range p.progs {
		if p.out.Cols[i], err = prog.Eval(p.cx.Env, b); err != nil {
			p.cx.findFailed(b, func(one *vec.Batch) error { _, err := prog.Eval(p.cx.Env, one); return err })
			return nil, err
		}
	}
	p.out.N, p.out.Sel = b.N, b.Sel
	return &p.out, nil
}

func (p *project) Close() error { return p.in.Close() }
