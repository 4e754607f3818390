package exec

import (
	"io"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// tableFunc gives the rows of a set-returning function.
type tableFunc struct {
	n    *plan.TableFunc
	cx   *Context
	rows series
	out  *vec.Batch
	row  int64
}

// series makes the values of one column, one after another.
type series interface {
	// next puts a value into slot i; false at the end.
	next(v *vec.Vec, i int) (bool, error)
}

func newTableFunc(n *plan.TableFunc) (Operator, error) {
	if n.Name != "generate_series" && n.Name != "unnest" {
		return nil, sqlerr.Internal(nil, "no set-returning function %q", n.Name)
	}
	return &tableFunc{n: n, out: vec.NewBatch(typesOf(n))}, nil
}

func (t *tableFunc) Open(cx *Context) error {
	t.cx, t.rows, t.row = cx, nil, 0
	args := make([]types.Datum, len(t.n.Args))
	for i, a := range t.n.Args {
		d, err := expr.EvalConst(cx.Env, a)
		if err != nil {
			return err
		}
		if d.Null { // no rows
			return nil
		}
		args[i] = d
	}
	var err error
	if t.n.Name == "unnest" {
		t.rows = &unnest{elems: args[0].Array.Elems}
		return nil
	}
	t.rows, err = newSeries(cx.Env, t.n.Cols[0].Type, args)
	return err
}

func (t *tableFunc) Next() (*vec.Batch, error) {
	if t.rows == nil {
		return nil, io.EOF
	}
	if err := t.cx.canceled(); err != nil {
		return nil, err
	}
	for _, c := range t.out.Cols {
		c.Resize(vec.MaxRows)
	}
	n := 0
	for n < vec.MaxRows {
		ok, err := t.rows.next(t.out.Cols[0], n)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if t.n.Ordinality {
			t.row++
			t.out.Cols[1].Ints[n] = t.row
		}
		n++
	}
	if n == 0 {
		t.rows = nil
		return nil, io.EOF
	}
	t.out.N, t.out.Sel = n, nil
	return t.out, nil
}

func (t *tableFunc) Close() error { return nil }

type unnest struct {
	elems []types.Datum
}

func (u *unnest) next(v *vec.Vec, i int) (bool, error) {
	if len(u.elems) == 0 {
		return false, nil
	}
	v.Set(i, u.elems[0])
	u.elems = u.elems[1:]
	return true, nil
}
