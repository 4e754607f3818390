package relational

import (
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// values gives literal rows, each expression evaluated once.
type values struct {
	n    *plan.Values
	rows [][]eval.ConstProg
	cx   *op.Context
	out  *vec.Batch
	at   int
}

// NewValues makes the operator of Values.
func NewValues(n *plan.Values) (op.Operator, error) {
	v := &values{n: n, out: vec.NewBatch(op.TypesOf(n))}
	for _, r := range n.Rows {
		v.rows = append(v.rows, eval.ConstProgs(r))
	}
	return v, nil
}

func (v *values) Open(cx *op.Context) error {
	v.cx, v.at = cx, 0
	return nil
}

func (v *values) Next() (*vec.Batch, error) {
	n := min(len(v.rows)-v.at, vec.MaxRows)
	if v.n.OneByOne {
		n = min(n, 1)
	}
	if n == 0 {
		return nil, io.EOF
	}
	for _, c := range v.out.Cols {
		c.Resize(n)
	}
	for i := range n {
		row := v.rows[v.at+i]
		for j := range row {
			d, err := row[j].Eval(v.cx.Env)
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

// NewOneRow makes the operator of a OneRow.
func NewOneRow() op.Operator { return &oneRow{} }

func (o *oneRow) Open(*op.Context) error {
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
	cx *op.Context
}

// NewExternal makes the operator of an External.
func NewExternal(n *plan.External) op.Operator { return &external{n: n} }

func (e *external) Open(cx *op.Context) error {
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
