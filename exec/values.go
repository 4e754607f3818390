package exec

import (
	"io"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// values gives literal rows, each expression evaluated once.
type values struct {
	n   *plan.Values
	cx  *Context
	out *vec.Batch
	at  int
}

func newValues(n *plan.Values) (Operator, error) {
	return &values{n: n, out: vec.NewBatch(typesOf(n))}, nil
}

func (v *values) Open(cx *Context) error {
	v.cx, v.at = cx, 0
	return nil
}

func (v *values) Next() (*vec.Batch, error) {
	n := min(len(v.n.Rows)-v.at, vec.MaxRows)
	if n == 0 {
		return nil, io.EOF
	}
	for _, c := range v.out.Cols {
		c.Resize(n)
	}
	for i := range n {
		for j, e := range v.n.Rows[v.at+i] {
			d, err := expr.EvalConst(v.cx.Env, e)
			if err != nil {
				return nil, err
			}
			v.out.Cols[j].Set(i, d)
		}
	}
	v.at += n
	v.out.N, v.out.Sel = n, nil
	return v.out, nil
}

func (v *values) Close() error { return nil }

// oneRow gives one row without columns.
type oneRow struct {
	out  vec.Batch
	done bool
}

func newOneRow() Operator { return &oneRow{} }

func (o *oneRow) Open(*Context) error {
	o.done = false
	return nil
}

func (o *oneRow) Next() (*vec.Batch, error) {
	if o.done {
		return nil, io.EOF
	}
	o.done = true
	o.out.N, o.out.Sel = 1, nil
	return &o.out, nil
}

func (o *oneRow) Close() error { return nil }

// external hands on the rows of the Context's Source.
type external struct {
	n  *plan.External
	cx *Context
}

func newExternal(n *plan.External) Operator { return &external{n: n} }

func (e *external) Open(cx *Context) error {
	e.cx = cx
	return nil
}

func (e *external) Next() (*vec.Batch, error) {
	if e.cx.Source == nil {
		return nil, io.EOF
	}
	return e.cx.Source.Next()
}

func (e *external) Close() error { return nil }

// setDatums puts one row of datums into slot of cols.
func setDatums(cols []*vec.Vec, slot int, row []types.Datum) {
	for i, d := range row {
		cols[i].Set(slot, d)
	}
}
