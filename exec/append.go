package exec

import (
	"errors"
	"io"

	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// appendOp gives the rows of its parts, opening each when its turn comes.
type appendOp struct {
	parts []Operator
	cx    *Context
	at    int
	open  bool
}

func newAppend(n *plan.Append) (Operator, error) {
	a := &appendOp{}
	for _, p := range n.Parts {
		op, err := Build(p)
		if err != nil {
			return nil, err
		}
		a.parts = append(a.parts, op)
	}
	return a, nil
}

func (a *appendOp) Open(cx *Context) error {
	a.cx, a.at, a.open = cx, 0, false
	return nil
}

func (a *appendOp) Next() (*vec.Batch, error) {
	for a.at < len(a.parts) {
		p := a.parts[a.at]
		if !a.open {
			a.open = true
			if err := p.Open(a.cx); err != nil {
				return nil, err
			}
		}
		b, err := p.Next()
		if err != io.EOF {
			return b, err
		}
		if err := p.Close(); err != nil {
			return nil, err
		}
		a.at, a.open = a.at+1, false
	}
	return nil, io.EOF
}

func (a *appendOp) Close() error {
	var errs []error
	for _, p := range a.parts {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}
