package write

import (
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// deleteOp removes the rows of its input. Where the statement's condition and
// RETURNING depend on nothing but the key, it is enough that the row is there;
// else the row must be as it was read, or is looked at again.
type deleteOp struct {
	dml
	n       *plan.Delete
	again   again
	byKey   bool
	reader  rowReader
	conds   []storage.CondMutation
	matched []bool
	slots   []uint16 // of conds
	sel     []uint16
}

// NewDelete makes the operator of a Delete.
func NewDelete(n *plan.Delete, in op.Operator) (op.Operator, error) {
	d := &deleteOp{n: n, byKey: len(n.Returning) == 0}
	if err := d.init(n, n.Table, in, n.Returning); err != nil {
		return nil, err
	}
	ofKey := func(c int) bool { return c >= len(n.Table.Columns) || n.Table.Columns[c].KeyPos >= 0 }
	if n.Cond != nil {
		for _, c := range expr.Cols(n.Cond) {
			d.byKey = d.byKey && ofKey(c)
		}
		d.byKey = d.byKey && !expr.Volatile(n.Cond)
	}
	d.byKey = d.byKey && d.w.indexes == nil
	if n.Again != nil {
		for _, c := range n.Again.Columns {
			d.byKey = d.byKey && ofKey(c)
		}
	}
	d.batch = d.delete
	if err := d.reader.init(n.Table, &d.w); err != nil {
		return nil, err
	}
	return d, d.again.init(&d.dml, &d.reader, n.Cond, n.Again)
}

func (d *deleteOp) delete(b *vec.Batch) error {
	b, err := d.once(b, d.n.Again)
	if err != nil {
		return err
	}
	missed, err := d.remove(b)
	switch {
	case err != nil:
		return err
	case !d.byKey:
		return d.again.try(b, missed, d.remove)
	case len(missed) > 0 && d.n.Again != nil && d.n.Again.Merge:
		return txn.ErrSerialization // gone: the source's row may be one that is not matched
	}
	return nil
}

var deleteRow = []storage.Mutation{{Op: storage.DeleteRow}}

func (d *deleteOp) remove(b *vec.Batch) (missed [][]byte, err error) {
	n := len(d.table.Columns)
	keys, versions := b.Cols[n].Bytes, b.Cols[n+1].Ints
	d.conds, d.slots = d.conds[:0], d.slots[:0]
	for j := range b.Rows() {
		slot := b.Row(j)
		c := storage.CondMutation{Key: keys[slot], Cond: d.w.present(), Then: deleteRow}
		if !d.byKey {
			c.Cond = d.w.unchanged(versions[slot])
		}
		d.conds, d.slots = append(d.conds, c), append(d.slots, uint16(slot))
	}
	d.matched = boolsOf(d.matched, len(d.conds))
	err = d.w.write(d.conds, d.matched, b, nil, d.slots)
	sel := d.sel[:0]
	for j := range d.conds {
		slot := b.Row(j)
		if d.matched[j] {
			sel = append(sel, uint16(slot))
		} else if err == nil {
			missed = append(missed, append([]byte(nil), keys[slot]...))
		}
	}
	d.sel = sel
	if err != nil {
		d.written += int64(len(sel))
		return nil, err
	}
	if err := d.w.indexes.change(b, nil, sel); err != nil {
		return nil, err
	}
	if len(sel) > 0 {
		err = d.wrote(&vec.Batch{Cols: b.Cols, N: b.N, Sel: sel})
	}
	return missed, err
}
