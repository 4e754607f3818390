package write

import (
	"context"
	"io"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// together runs a statement of which several nodes write, or which reads after it has
// written: all of it, then commits where the statement commits by itself, and then gives
// the rows.
type together struct {
	in     op.Operator
	tables []*catalog.Table // written
	cx     *op.Context
	spool  spill.Spool
	out    *vec.Batch
	done   bool
}

// NewTogether makes the operator above the root of a plan.
func NewTogether(root plan.Node, in op.Operator) op.Operator {
	t := &together{in: in, out: vec.NewBatch(op.TypesOf(root))}
	t.written(root)
	return t
}

func (t *together) written(n plan.Node) {
	if table := plan.WrittenTable(n); table != nil && !slices.Contains(t.tables, table) {
		t.tables = append(t.tables, table)
	}
	for _, in := range n.Inputs() {
		t.written(in)
	}
}

func (t *together) Open(cx *op.Context) error {
	t.cx, t.done = cx, false
	t.spool.Open(cx)
	return t.in.Open(cx)
}

func (t *together) Next() (*vec.Batch, error) {
	if !t.done {
		if err := t.run(); err != nil {
			return nil, err
		}
		t.done = true
	}
	if err := t.spool.Fill(t.out); err != nil {
		return nil, err
	}
	return t.out, nil
}

func (t *together) run() error {
	for {
		b, err := t.in.Next()
		if err == io.EOF {
			break
		}
		if err == nil && len(t.out.Cols) > 0 {
			err = t.spool.Add(b)
		}
		if err == nil {
			err = t.cx.Canceled()
		}
		if err != nil {
			return err
		}
	}
	if err := commit(t.cx, t.tables); err != nil {
		return err
	}
	t.cx.Finish()
	return t.spool.Rewind()
}

// commit ends the implicit transaction, if there is one, in one write. Such transactions
// are of a store that one process has to itself, or of several rows whose conditions are
// tested with the write: nothing but the statement ends it.
func commit(cx *op.Context, tables []*catalog.Table) error {
	if cx.ImplicitTxn() == nil {
		return nil
	}
	ctx, leave, err := enter(cx, tables)
	if err != nil {
		return err
	}
	defer leave()
	return cx.Commit(ctx)
}

// enter begins a write of the implicit transaction: see Context.Enter.
func enter(cx *op.Context, tables []*catalog.Table) (ctx context.Context, leave func(), err error) {
	if cx.Enter == nil {
		return cx.Ctx, func() {}, nil
	}
	return cx.Enter(versions.Committing(cx.Ctx), tables...)
}

func (t *together) Close() error {
	t.spool.Close()
	return t.in.Close()
}
