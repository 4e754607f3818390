package relational

import (
	"errors"
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/vec"
)

// appendOp gives the rows of its parts, opening each when its turn comes.
type appendOp struct {
	parts []op.Operator
	cx    *op.Context
	at    int
	open  bool
}

// NewAppend makes the operator of an Append of parts.
func NewAppend(parts []op.Operator) op.Operator { return &appendOp{parts: parts} }

func (a *appendOp) Open(cx *op.Context) error {
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
