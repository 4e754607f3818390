package write

import (
	"bytes"
	"errors"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// lockedTable locks the rows of one table that a Lock's rows are made of.
type lockedTable struct {
	n      *plan.LockTable
	w      tableWriter
	reader rowReader
	wait   txn.Wait
	locker *txn.Table // nil where the store has none
	keys   [][]byte
	taken  []bool
}

func newLockedTable(n *plan.LockTable) (*lockedTable, error) {
	t := &lockedTable{n: n}
	switch {
	case n.NoWait:
		t.wait = txn.NoWait
	case n.SkipLocked:
		t.wait = txn.SkipLocked
	}
	if err := t.w.init(n.Table); err != nil {
		return nil, err
	}
	return t, t.reader.init(n.Table, &t.w)
}

func (t *lockedTable) open(cx *op.Context) error {
	t.locker = nil
	t.w.open(cx)
	if cx.InTxn() && cx.Caps().AtomicBatch {
		t.locker = t.w.own
	}
	if cx.InTxn() && t.locker == nil && (t.w.packed || t.n.Table.Options.TTL > 0) {
		return sqlerr.Unsupported("locking rows of a table with a TTL, or of packed rows, is not supported on this store",
			"UPDATE … RETURNING reads and changes a row in one atomic step.")
	}
	return nil
}

// key and version are where the columns of those names stand in a Lock's rows.
func (t *lockedTable) key() int     { return t.n.At + len(t.n.Table.Columns) }
func (t *lockedTable) version() int { return t.key() + 1 }

// lock locks the table's part of rows of b. It gives the rows that it has; those that have
// changed since they were read are as they are now, and noted in changed.
func (t *lockedTable) lock(b *vec.Batch, rows []uint16, changed []bool) ([]uint16, error) {
	if len(rows) == 0 {
		return rows, nil
	}
	have := rows[:0]
	if t.locker == nil {
		for _, i := range rows {
			ok, err := t.renew(b, int(i), changed)
			if err != nil {
				return nil, err
			}
			if ok {
				have = append(have, i)
			}
		}
		return have, nil
	}
	t.keys = t.keys[:0]
	for _, i := range rows {
		t.keys = append(t.keys, b.Cols[t.key()].Bytes[i])
	}
	t.taken = boolsOf(t.taken, len(rows))
	if err := t.locker.LockRows(t.w.cx.Ctx, t.keys, t.wait, t.taken); err != nil {
		if t.wait == txn.NoWait && errors.Is(err, txn.ErrLockTimeout) {
			return nil, sqlerr.New(sqlerr.LockNotAvailable, `could not obtain lock on row in relation "%s"`, t.n.Table.Name)
		}
		return nil, err
	}
	now, err := t.reader.read(t.keys)
	if err != nil || now == nil {
		return have, err // all are gone
	}
	for j, i := range rows {
		at := t.reader.find(t.keys[j])
		if !t.taken[j] || at < 0 {
			continue // it is another's, or gone
		}
		if now.Cols[t.version()-t.n.At].Ints[at] != b.Cols[t.version()].Ints[i] {
			if err := t.replace(b, int(i), now, at); err != nil {
				return nil, err
			}
			changed[i] = true
		}
		have = append(have, i)
	}
	return have, nil
}

// renew has a row tested and its marker renewed at COMMIT. It says false of one that is gone.
func (t *lockedTable) renew(b *vec.Batch, i int, changed []bool) (bool, error) {
	key := bytes.Clone(b.Cols[t.key()].Bytes[i])
	matched := make([]bool, 1)
	for {
		t.w.begin()
		version := b.Cols[t.version()].Ints[i]
		muts, err := t.w.update(nil, nil, i, t.w.stamp(key, version), nil, 0)
		if err != nil {
			return false, err
		}
		matched[0] = false
		if err := t.w.apply([]storage.CondMutation{{Key: key, Cond: t.w.unchanged(version), Then: muts}}, matched); err != nil {
			return false, err
		}
		if matched[0] {
			return true, nil
		}
		now, err := t.reader.read([][]byte{key})
		if err != nil || now == nil {
			return false, err
		}
		if err := t.replace(b, i, now, 0); err != nil {
			return false, err
		}
		changed[i] = true
	}
}

// replace puts a row as it is now, at a slot of now, in the place of the part of row i of b.
// 40001 if what the row's other parts were computed of is not as it was.
func (t *lockedTable) replace(b *vec.Batch, i int, now *vec.Batch, at int) error {
	image := func(cols []*vec.Vec, slot int) []byte {
		fixed := make([]*vec.Vec, len(t.n.Fixed))
		for j, c := range t.n.Fixed {
			fixed[j] = cols[c]
		}
		return spill.AppendRow(nil, fixed, slot)
	}
	part := b.Cols[t.n.At : t.version()+1]
	if !bytes.Equal(image(part, i), image(now.Cols, at)) {
		return txn.ErrSerialization
	}
	for c, v := range part {
		vec.CopySlot(v, i, now.Cols[c], at)
	}
	return nil
}
