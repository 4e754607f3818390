package relational

import (
	"slices"
	"sync/atomic"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// project computes expressions. The selection of the input stays, but for rows that are
// too large to be given all at once.
type project struct {
	n     *plan.Project
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
	return newProject(n, in, progs), nil
}

func newProject(n *plan.Project, in op.Operator, progs []*eval.Prog) *project {
	return &project{n: n, in: in, progs: progs, grows: op.AnyGrows(progs), out: vec.Batch{Cols: make([]*vec.Vec, len(progs))}}
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

// Feed computes on the goroutines of the input.
func (p *project) Feed(newSink func() (op.Sink, error)) error {
	newSink, done := p.cx.Fed(p.n, newSink)
	defer done()
	if p.cx.Source != nil || slices.ContainsFunc(p.n.Exprs, expr.Volatile) {
		return op.FeedFrom(p.Next, newSink)
	}
	var first atomic.Bool
	return op.Feed(p.in, func() (op.Sink, error) {
		to, err := newSink()
		s := &projectSink{p, to}
		if first.Swap(true) {
			s.p = newProject(p.n, nil, op.CloneAll(p.progs))
			s.p.cx = p.cx
		}
		return s, err
	})
}

// projectSink computes for what one goroutine gives.
type projectSink struct {
	p  *project
	to op.Sink
}

func (s *projectSink) Add(b *vec.Batch) error {
	p := s.p
	if !p.grows {
		out, err := p.eval(b)
		if err != nil {
			return err
		}
		return s.to.Add(out)
	}
	p.parts.Set(b)
	for part := p.parts.Next(); part != nil; part = p.parts.Next() {
		out, err := p.narrow(part)
		if err == nil {
			err = s.to.Add(out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *project) Close() error { return p.in.Close() }
