package relational

import (
	"io"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// tableFunc gives the rows of a set-returning function.
type tableFunc struct {
	n    *plan.TableFunc
	cx   *op.Context
	rows series
	out  *vec.Batch
	row  int64
}

// series makes rows, one after another.
type series interface {
	// next puts a row into slot i of the first columns; false at the end.
	next(cols []*vec.Vec, i int) (bool, error)
}

// NewTableFunc makes the operator of a TableFunc.
func NewTableFunc(n *plan.TableFunc) (op.Operator, error) {
	if n.Set == nil && n.Name != "generate_series" && n.Name != "unnest" {
		return nil, sqlerr.Internal(nil, "no set-returning function %q", n.Name)
	}
	return &tableFunc{n: n, out: vec.NewBatch(op.TypesOf(n))}, nil
}

func (t *tableFunc) Open(cx *op.Context) error {
	t.cx, t.rows, t.row = cx, nil, 0
	if t.n.Set != nil {
		rows, err := eval.SetRows(cx.Env, t.n.Set, t.n.Args)
		t.rows = &listed{rows: rows}
		return err
	}
	args := make([]types.Datum, len(t.n.Args))
	for i, a := range t.n.Args {
		d, err := eval.EvalConst(cx.Env, a)
		if err != nil {
			return err
		}
		args[i] = d
	}
	var err error
	if t.n.Cells != nil && !args[0].Null {
		r := rowcodec.NewFamilyReader(&t.n.Cells.Store, t.n.Cells.Family, t.n.Cells.Phoenix)
		r.Reset(args[0].Bytes)
		t.rows = &cells{r}
		return nil
	}
	t.rows, err = callSeries(cx.Env, t.n.Name, t.n.Cols[0].Type, args)
	return err
}

// callSeries calls a set-returning function that makes its rows one by one; nil of no rows.
func callSeries(env *expr.Env, name string, t types.T, args []types.Datum) (series, error) {
	for _, d := range args {
		if d.Null {
			return nil, nil
		}
	}
	if name == "unnest" {
		return &unnest{elems: args[0].Array.Elems}, nil
	}
	return newSeries(env, t, args)
}

func (t *tableFunc) Next() (*vec.Batch, error) {
	if t.rows == nil {
		return nil, io.EOF
	}
	if err := t.cx.Canceled(); err != nil {
		return nil, err
	}
	for _, c := range t.out.Cols {
		c.Resize(vec.MaxRows)
	}
	n := 0
	for n < vec.MaxRows {
		ok, err := t.rows.next(t.out.Cols, n)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if t.n.Ordinality {
			t.row++
			t.out.Cols[len(t.out.Cols)-1].Ints[n] = t.row
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

func (u *unnest) next(cols []*vec.Vec, i int) (bool, error) {
	if len(u.elems) == 0 {
		return false, nil
	}
	cols[0].Set(i, u.elems[0])
	u.elems = u.elems[1:]
	return true, nil
}

// cells are those of a map.
type cells struct {
	r *rowcodec.FamilyReader
}

func (c *cells) next(cols []*vec.Vec, i int) (bool, error) {
	if i == 0 {
		c.r.EndBatch()
	}
	return c.r.Next(cols[0], cols[1], i)
}

// listed are rows that are there already.
type listed struct {
	rows [][]types.Datum
}

func (l *listed) next(cols []*vec.Vec, i int) (bool, error) {
	if len(l.rows) == 0 {
		return false, nil
	}
	for k, d := range l.rows[0] {
		cols[k].Set(i, d)
	}
	l.rows = l.rows[1:]
	return true, nil
}
