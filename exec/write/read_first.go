package write

import (
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// mustStage says that the statement could read what it writes itself: it reads its own
// table without a snapshot, and not only the rows it changes, before it changes them.
func (d *dml) mustStage() bool {
	if d.cx.Caps().Snapshots {
		return false
	}
	reads := reads{table: d.table.ID}
	reads.look(d.n)
	switch n := d.n.(type) {
	case *plan.Update:
		return n.MovesKey || reads.entries || n.Again != nil && reads.n > 1
	case *plan.Delete:
		return n.Again != nil && reads.n > 1
	}
	return reads.n > 0
}

// reads counts where in a plan a table may be read.
type reads struct {
	table   uint32
	n       int
	entries bool // of an index, where a row that has changed may come again
}

func (r *reads) look(n plan.Node) {
	switch n := n.(type) {
	case *plan.Scan:
		if n.Table.ID == r.table {
			r.n++
		}
		if n.Of != nil && n.Of.ID == r.table {
			r.n, r.entries = r.n+1, true
		}
	case *plan.LookupJoin:
		if n.Right.Table.ID == r.table {
			r.n++
		}
	case *plan.WithScan:
		r.n++ // what it reads stands elsewhere
	}
	for _, in := range n.Inputs() {
		r.look(in)
	}
}

func (d *dml) runStaged() error {
	var all spill.Spool
	all.Open(d.cx)
	defer all.Close()
	for {
		b, err := d.in.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = all.Add(b)
		}
		if err != nil {
			return err
		}
	}
	if err := d.in.Close(); err != nil {
		return err
	}
	if err := all.Rewind(); err != nil {
		return err
	}
	b := vec.NewBatch(op.TypesOf(d.n.Inputs()[0]))
	for {
		err := all.Fill(b)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = d.writeStaged(b)
		}
		if err != nil {
			return err
		}
	}
}

// writeStaged writes rows that were read before, one by one where the plan gives them so.
func (d *dml) writeStaged(b *vec.Batch) error {
	if _, ok := d.n.Inputs()[0].(*plan.RowByRow); !ok {
		return d.write(b)
	}
	for i := range b.Rows() {
		if err := d.write(&vec.Batch{Cols: b.Cols, N: b.N, Sel: []uint16{uint16(b.Row(i))}}); err != nil {
			return err
		}
	}
	return nil
}
