package exec

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// project computes expressions. The selection of the input stays, but for rows that are
// too large to be given all at once.
type project struct {
	in    Operator
	progs []*expr.Prog
	grows bool // some may give expr.ErrWide
	cx    *Context
	parts parts
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
	return &project{in: in, progs: progs, grows: anyGrows(progs), out: vec.Batch{Cols: make([]*vec.Vec, len(progs))}}, nil
}

func anyGrows(progs []*expr.Prog) bool {
	for _, p := range progs {
		if p.Grows() {
			return true
		}
	}
	return false
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
	p.cx, p.parts.rest, p.parts.n = cx, nil, 0
	return p.in.Open(cx)
}

func (p *project) Next() (*vec.Batch, error) {
	if p.grows {
		if part := p.parts.next(); part != nil {
			return p.narrow(part)
		}
	}
	b, err := p.in.Next()
	if err != nil {
		return nil, err
	}
	if p.grows {
		p.parts.set(b)
		return p.narrow(p.parts.next())
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
		part = p.parts.fewer()
	}
}

func (p *project) eval(b *vec.Batch) (*vec.Batch, error) {
	for i, prog := range p.progs {
		var err error
		if p.out.Cols[i], err = prog.EvalNarrow(p.cx.Env, b); err != nil {
			if err != expr.ErrWide {
				p.cx.findFailed(b, func(one *vec.Batch) error { _, err := prog.Eval(p.cx.Env, one); return err })
			}
			return nil, err
		}
	}
	p.out.N, p.out.Sel = b.N, b.Sel
	return &p.out, nil
}

func (p *project) Close() error { return p.in.Close() }
