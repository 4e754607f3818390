package relational

import (
	"bytes"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// distinctOn passes the first row of each run of rows with equal keys.
type distinctOn struct {
	in        op.Operator
	keys      *spill.Keys
	cx        *op.Context
	last, key []byte
	started   bool
	sel       []uint16
}

// NewDistinctOn makes the operator of a DistinctOn.
func NewDistinctOn(n *plan.DistinctOn, in op.Operator) (op.Operator, error) {
	keys, err := spill.NewGroupKeys(n.Exprs)
	if err != nil {
		return nil, err
	}
	return &distinctOn{in: in, keys: keys}, nil
}

func (d *distinctOn) Open(cx *op.Context) error {
	d.cx, d.started = cx, false
	return d.in.Open(cx)
}

func (d *distinctOn) Next() (*vec.Batch, error) {
	for {
		b, err := d.in.Next()
		if err != nil {
			return nil, err
		}
		if err := d.keys.EvalAll(d.cx.Env, b); err != nil {
			return nil, err
		}
		sel := d.sel[:0]
		for i := range b.Rows() {
			slot := b.Row(i)
			d.key = d.keys.Append(d.key[:0], slot)
			if d.started && bytes.Equal(d.key, d.last) {
				continue
			}
			d.started = true
			d.key, d.last = d.last, d.key
			sel = append(sel, uint16(slot))
		}
		d.sel = sel
		if len(sel) > 0 {
			b.Sel = sel
			return b, nil
		}
	}
}

func (d *distinctOn) Close() error { return d.in.Close() }
