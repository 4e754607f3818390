package write

import (
	"errors"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// update assigns to each row of its input, by compare-and-set. A row that
// changed since it was read is read again, and updated if the statement's condition
// still holds.
type update struct {
	dml
	n     *plan.Update
	up    *updater
	again again
	stray strayCells
}

// NewUpdate makes the operator of an Update.
func NewUpdate(n *plan.Update, in op.Operator) (op.Operator, error) {
	u := &update{n: n}
	if err := u.init(n, n.Table, in, n.Returning); err != nil {
		return nil, err
	}
	var err error
	if u.up, err = newUpdater(&u.dml, n.Set, n.RowRules); err != nil {
		return nil, err
	}
	u.batch = u.update
	return u, u.again.init(&u.dml, &u.up.reader, n.Cond, n.Again)
}

func (u *update) update(b *vec.Batch) error {
	b, err := u.once(b, u.n.Again)
	if err != nil {
		return err
	}
	if u.n.MovesKey {
		return u.move(b)
	}
	var missed [][]byte
	if u.w.packed {
		// A packed row is patched: its cells are needed as they are stored.
		missed = keysOf(b, len(u.table.Columns))
	} else {
		if missed, err = u.up.update(b, b, nil); err != nil {
			return err
		}
	}
	return u.again.try(b, missed, func(b *vec.Batch) ([][]byte, error) { return u.up.update(b, b, nil) })
}

func keysOf(b *vec.Batch, col int) [][]byte {
	keys := make([][]byte, 0, b.Rows())
	for i := range b.Rows() {
		keys = append(keys, append([]byte(nil), b.Cols[col].Bytes[b.Row(i)]...))
	}
	return keys
}

// move writes rows under new keys, one by one: first the new row, which must not
// exist, then the old one goes. On a store that is not atomic over rows others may
// see both, and who fails in between leaves a row too many, never one too few.
func (u *update) move(b *vec.Batch) error {
	missed, err := u.moveRows(b)
	if err != nil {
		return err
	}
	return u.again.try(b, missed, u.moveRows)
}

func (u *update) moveRows(b *vec.Batch) (missed [][]byte, err error) {
	if err := u.up.assign(b); err != nil {
		return nil, err
	}
	row := u.up.row
	n := len(u.table.Columns)
	all := b.Cols[n : n+2]
	if err := u.stray.read(&u.w, keysOf(b, n)); err != nil {
		return nil, err
	}
	for j := range b.Rows() {
		slot := b.Row(j)
		ok, err := u.moveRow(b, &row, all[0].Bytes[slot], all[1].Ints[slot], slot)
		if err != nil {
			return nil, err
		}
		if !ok {
			missed = append(missed, append([]byte(nil), all[0].Bytes[slot]...))
			continue
		}
		one := []uint16{uint16(slot)}
		if err := u.w.indexes.change(b, &row, one); err != nil {
			return nil, err
		}
		if err := u.wrote(&vec.Batch{Cols: row.Cols, N: row.N, Sel: one}); err != nil {
			return nil, err
		}
	}
	return missed, nil
}

// moveRow moves one row; false if it changed since it was read.
func (u *update) moveRow(old, row *vec.Batch, oldKey []byte, version int64, slot int) (bool, error) {
	w := &u.w
	w.begin()
	key, err := w.key(row.Cols, slot)
	if err != nil {
		return false, err
	}
	matched := make([]bool, 1)
	one := []uint16{uint16(slot)}
	do := func(c storage.CondMutation, old, row *vec.Batch) (bool, error) {
		matched[0] = false
		err := w.write([]storage.CondMutation{c}, matched, old, row, one)
		return matched[0], err
	}
	ts := w.stamp(key, version)
	muts, err := w.row(row.Cols, slot, ts, true)
	if err != nil {
		return false, err
	}
	if string(key) == string(oldKey) {
		return do(storage.CondMutation{Key: oldKey, Cond: w.unchanged(version), Then: muts}, old, row)
	}
	if err := w.keepsClaim(old, row, one); err != nil {
		return false, err
	}
	muts = u.stray.add(muts, oldKey, ts)
	ok, err := do(storage.CondMutation{Key: key, Cond: w.absent(), Then: muts}, nil, row)
	var there *txn.ExistsError
	if err != nil && !errors.As(err, &there) {
		return false, err
	}
	if !ok {
		return false, w.uniqueViolation(row.Cols, slot, u.cx.Env)
	}
	gone := []storage.Mutation{{Op: storage.DeleteRow}}
	ok, err = do(storage.CondMutation{Key: oldKey, Cond: w.unchanged(version), Then: gone}, old, nil)
	if err != nil || ok {
		return ok, err
	}
	// Somebody changed the old row: take the new one back, if it is still ours, and
	// look again. In a transaction it is: the row is locked.
	ours := w.unchanged(ts)
	if u.cx.Caps().AtomicBatch {
		ours = w.present()
	}
	_, err = do(storage.CondMutation{Key: key, Cond: ours, Then: gone}, row, nil)
	return false, err
}
