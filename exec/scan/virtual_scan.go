package scan

import (
	"cmp"
	"io"
	"iter"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/expr/regex"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// virtualScan computes the rows of a virtual relation, as many at a time as a batch
// holds. RowsRead counts those that were computed.
type virtualScan struct {
	n      *plan.VirtualScan
	equal  []eval.ConstProg
	filter *eval.Prog
	cx     *op.Context
	out    *vec.Batch
	sel    []uint16
	next   func() ([]types.Datum, bool)
	stop   func()
	err    error // that the rows ended with
	held   memory.Share
	work   plan.Actual
}

func NewVirtual(n *plan.VirtualScan) (op.Operator, error) {
	v := &virtualScan{n: n, out: vec.NewBatch(op.TypesOf(n))}
	values := make([]expr.Expr, len(n.Equal))
	for i, e := range n.Equal {
		values[i] = e.Value
	}
	v.equal = eval.ConstProgs(values)
	if n.Filter != nil {
		var err error
		if v.filter, err = eval.Compile(n.Filter); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (v *virtualScan) Open(cx *op.Context) error {
	v.cx, v.err, v.work = cx, nil, plan.Actual{}
	v.held = memory.Of(cx.Memory, false)
	if cx.World == nil {
		return sqlerr.Internal(nil, "nothing to compute %s from", v.n.Relation.Name)
	}
	equal := make(map[int]types.Datum, len(v.equal))
	for i := range v.equal {
		d, err := v.equal[i].Eval(cx.Env)
		if err != nil {
			return err
		}
		col := v.n.Equal[i].Column
		if v.n.Equal[i].Regex && !d.Null {
			text, exact := regex.Prefix(string(d.Bytes), 0)
			if !exact {
				continue
			}
			d = types.NewText(text)
		}
		if before, ok := equal[col]; d.Null || ok && !types.Equal(v.n.Relation.Columns[col].Type, before, d) {
			return nil // no row satisfies it
		}
		equal[col] = d.Clone(v.n.Relation.Columns[col].Type)
	}
	v.next, v.stop = iter.Pull(func(yield func([]types.Datum) bool) {
		var ended error
		err := v.n.Relation.Rows(cx.World, equal, func(row []types.Datum) bool {
			v.work.RowsRead++
			if ended = cx.Canceled(); ended != nil {
				return false
			}
			return yield(row)
		})
		v.err = cmp.Or(ended, err)
	})
	return nil
}

func (v *virtualScan) Next() (*vec.Batch, error) {
	for v.next != nil {
		if err := v.fill(); err != nil {
			return nil, err
		}
		if v.out.N == 0 {
			break
		}
		v.out.Sel = nil
		if v.filter != nil {
			var err error
			if v.sel, err = v.filter.Filter(v.cx.Env, v.out, v.sel); err != nil {
				return nil, err
			}
			if len(v.sel) == 0 {
				continue
			}
			v.out.Sel = v.sel
		}
		return v.out, nil
	}
	return nil, io.EOF
}

// fill makes the next batch; it is empty at the end.
func (v *virtualScan) fill() error {
	for _, c := range v.out.Cols {
		c.Resize(vec.MaxRows)
	}
	v.out.N = 0
	var bytes int64
	for v.out.N < vec.MaxRows {
		row, ok := v.next()
		if !ok {
			break
		}
		for i, col := range v.n.Cols {
			v.out.Cols[i].Set(v.out.N, row[col])
			bytes += row[col].Behind()
		}
		v.out.N++
	}
	if err := v.held.MustTo(bytes); err != nil {
		return err
	}
	return v.err
}

func (v *virtualScan) Close() error {
	if v.stop != nil {
		v.stop()
		v.cx.AddWork(v.n, &v.work)
	}
	v.next, v.stop = nil, nil
	v.held.Release()
	return nil
}
