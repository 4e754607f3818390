package relational

import (
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// projectSet gives each row of its input as often as the longest of its sets has rows,
// and their values beside it, NULL where a set has ended.
type projectSet struct {
	n     *plan.ProjectSet
	in    op.Operator
	calls []setCall
	cx    *op.Context
	hold  memory.Share // of the sets of the present row

	b     *vec.Batch // of the input; nil: ask for the next
	row   int        // of b
	begun bool       // the present row's sets are made
	out   *vec.Batch
}

type setCall struct {
	call *plan.SetCall
	args []*eval.Prog
	ts   []types.T
	vals []types.Datum
	rows series // of the present row; nil at its end
}

func NewProjectSet(n *plan.ProjectSet, in op.Operator) (op.Operator, error) {
	p := &projectSet{n: n, in: in, out: vec.NewBatch(op.TypesOf(n)), calls: make([]setCall, len(n.Sets))}
	for i := range n.Sets {
		c := &p.calls[i]
		c.call = &n.Sets[i]
		var err error
		if c.args, err = op.CompileAll(c.call.Args); err != nil {
			return nil, err
		}
		for _, a := range c.call.Args {
			c.ts = append(c.ts, a.Type())
		}
		c.vals = make([]types.Datum, len(c.args))
	}
	return p, nil
}

func (p *projectSet) Open(cx *op.Context) error {
	p.cx, p.b, p.begun, p.hold = cx, nil, false, memory.Of(cx.Memory, false)
	return p.in.Open(cx)
}

func (p *projectSet) Next() (*vec.Batch, error) {
	for _, v := range p.out.Cols {
		v.Resize(vec.MaxRows)
		v.EmptyBuf()
	}
	n, size := 0, 0
	for n < vec.MaxRows && size < storage.MaxBatchBytes {
		if p.b == nil {
			if n > 0 {
				break // the rows given share the memory of the input's batch
			}
			b, err := p.in.Next()
			if err != nil {
				return nil, err
			}
			p.b, p.row = b, 0
		}
		if !p.begun {
			if err := p.begin(); err != nil {
				return nil, err
			}
		}
		more, err := p.put(n)
		if err != nil {
			return nil, err
		}
		if more {
			for _, v := range p.out.Cols {
				if v.Type.Phys() == types.PhysBytes && !v.Nulls.Get(n) {
					size += len(v.Bytes[n])
				}
			}
			n++
			continue
		}
		p.begun = false
		if p.row++; p.row == p.b.Rows() {
			p.b = nil
			if err := p.cx.Canceled(); err != nil {
				return nil, err
			}
		}
	}
	p.out.N, p.out.Sel = n, nil
	if n == 0 {
		return nil, io.EOF
	}
	return p.out, nil
}

// begin makes the sets of the present row.
func (p *projectSet) begin() error {
	p.hold.Release() // the rows before were given
	p.begun = true
	one := vec.Batch{Cols: p.b.Cols, N: p.b.N, Sel: []uint16{uint16(p.b.Row(p.row))}}
	for i := range p.calls {
		c := &p.calls[i]
		for j, a := range c.args {
			v, err := a.Eval(p.cx.Env, &one)
			if err != nil {
				return err
			}
			c.vals[j] = v.Datum(int(one.Sel[0])).Clone(c.ts[j])
		}
		if c.call.Set == nil {
			var err error
			if c.rows, err = callSeries(p.cx.Env, c.call.Name, p.typeOf(i), c.vals); err != nil {
				return err
			}
			continue
		}
		rows, size, err := eval.SetRowsOf(p.cx.Env, c.call.Set, c.ts, c.vals)
		if err != nil {
			return err
		}
		// The function has booked them until the statement ends; they are the row's.
		if err := p.cx.Env.Mem.Need(-size); err != nil {
			return err
		}
		if err := p.hold.MustTo(p.hold.Bytes() + size); err != nil {
			return err
		}
		c.rows = &listed{rows: rows}
	}
	return nil
}

func (p *projectSet) typeOf(call int) types.T {
	return p.out.Cols[len(p.out.Cols)-len(p.calls)+call].Type
}

// put makes slot n the next row of the present row's sets; false if all have ended.
func (p *projectSet) put(n int) (bool, error) {
	more := false
	sets := p.out.Cols[len(p.out.Cols)-len(p.calls):]
	for i := range p.calls {
		c := &p.calls[i]
		if c.rows != nil {
			ok, err := c.rows.next(sets[i:i+1], n)
			if err != nil {
				return false, err
			}
			if ok {
				more = true
				continue
			}
			c.rows = nil
		}
		sets[i].Nulls.Set(n)
	}
	if !more {
		for _, v := range sets {
			v.Nulls.Clear(n)
		}
		return false, nil
	}
	slot := p.b.Row(p.row)
	for i, v := range p.out.Cols[:len(p.out.Cols)-len(p.calls)] {
		v.Set(n, p.b.Cols[i].Datum(slot))
	}
	return true, nil
}

func (p *projectSet) Close() error {
	p.hold.Release()
	p.b = nil
	for i := range p.calls {
		p.calls[i].rows = nil
	}
	return p.in.Close()
}
