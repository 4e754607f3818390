package relational

import (
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// rowByRow gives its input's rows one at a time.
type rowByRow struct {
	in   op.Operator
	rest *vec.Batch // the input's last
	at   int        // the row of rest to be given next
	sel  [1]uint16
	out  vec.Batch
}

// NewRowByRow makes the operator of a RowByRow.
func NewRowByRow(_ *plan.RowByRow, in op.Operator) (op.Operator, error) {
	return &rowByRow{in: in}, nil
}

func (r *rowByRow) Open(cx *op.Context) error {
	r.rest = nil
	return r.in.Open(cx)
}

func (r *rowByRow) Next() (*vec.Batch, error) {
	if r.rest == nil || r.at == r.rest.Rows() {
		b, err := r.in.Next()
		if err != nil {
			return nil, err
		}
		r.rest, r.at = b, 0
	}
	r.sel[0] = uint16(r.rest.Row(r.at))
	r.at++
	r.out.Cols, r.out.N, r.out.Sel = r.rest.Cols, r.rest.N, r.sel[:]
	return &r.out, nil
}

func (r *rowByRow) Close() error { return r.in.Close() }
