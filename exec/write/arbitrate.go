package write

import (
	"errors"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/entry"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// maxLooks is how often a row is looked at anew, as somebody else was first.
const maxLooks = 6

// maxGone is how often a row may be in conflict with one that is deleted before it is updated.
const maxGone = 64

// arbitrate inserts rows where a conflict may be with a row of another key: row by row, as
// one may be in conflict with the one before. What it tests it locks, so that what is absent
// stays so.
func (i *insert) arbitrate(b *vec.Batch) error {
	if err := i.repeatedClaims(b); err != nil {
		return err
	}
	tries, gone, at := 0, 0, -1
	for j := 0; j < b.Rows(); j++ {
		if j != at {
			tries, gone, at = 0, 0, j
		}
		slot := b.Row(j)
		one := &vec.Batch{Cols: b.Cols, N: b.N, Sel: []uint16{uint16(slot)}}
		if err := i.build(one); err != nil {
			return err
		}
		key, err := i.conflict(one, slot)
		switch {
		case err != nil:
			return err
		case key != nil && i.n.OnConflict == plan.ConflictNothing:
			continue
		case key != nil:
			if _, twice := i.touched[string(key)]; twice {
				return secondTime()
			}
			if err := i.touch(key); err != nil {
				return err
			}
			there, err := i.updateHolder(b, key, slot)
			if err != nil {
				return err
			}
			if there {
				continue
			}
			// The row may be inserted now, or be in conflict with another one.
			if gone++; gone > maxGone {
				return i.w.uniqueViolation(b.Cols, slot, i.cx.Env)
			}
			if err := i.pause(gone); err != nil {
				return err
			}
			delete(i.touched, string(key))
			j--
			continue
		}
		var sel []uint16
		var there *txn.ExistsError
		err = i.apply(one, &sel)
		if i.w.indexes.shared != nil && len(sel) == 0 && tries < maxLooks && (err == nil || isUniqueViolation(err)) {
			tries++
			j-- // somebody else was first: look again
			continue
		}
		if err != nil && !errors.As(err, &there) {
			return err
		}
		if len(sel) == 0 {
			return i.w.uniqueViolation(b.Cols, slot, i.cx.Env)
		}
		if i.touched != nil {
			if err := i.touch(i.conds[0].Key); err != nil {
				return err
			}
		}
		if err := i.w.indexes.change(nil, one, sel); err != nil {
			return err
		}
		if err := i.wroteAt(one, sameSlot); err != nil {
			return err
		}
	}
	return nil
}

// updateHolder does what DO UPDATE says for the row of key, which the one at slot is in conflict
// with; false where it is not there any more.
func (i *insert) updateHolder(b *vec.Batch, key []byte, slot int) (there bool, err error) {
	keys, slotOf := [][]byte{key}, map[string]int{string(key): slot}
	for try := 0; ; try++ {
		if err := i.pause(try); err != nil {
			return false, err
		}
		gone, missed, err := i.updateOld(b, keys, slotOf)
		if err != nil || len(missed) == 0 {
			return len(gone) == 0, err
		}
	}
}

// conflict gives the key of a row that the one at slot, which build has made, is in conflict
// with; nil where there is none.
func (i *insert) conflict(one *vec.Batch, slot int) ([]byte, error) {
	held := make([]bool, 1)
	for _, ix := range i.n.Arbiters {
		if ix.Primary {
			key := slices.Clone(i.conds[0].Key)
			err := i.w.apply([]storage.CondMutation{{Key: key, Cond: i.w.absent()}}, held)
			if err != nil || !held[0] {
				return key, err
			}
			continue
		}
		key, err := i.w.indexes.holder(ix, one, slot)
		if key != nil || err != nil {
			return key, err
		}
	}
	return nil, nil
}

// repeatedClaims is repeated for the arbiters of DO UPDATE.
func (i *insert) repeatedClaims(b *vec.Batch) error {
	w := i.w.indexes
	if w.shared == nil || i.cx.InTxn() || b.Rows() < 2 || i.n.OnConflict != plan.ConflictUpdate {
		return nil
	}
	sel := make([]uint16, b.Rows())
	for j := range sel {
		sel[j] = uint16(b.Row(j))
	}
	for _, ix := range i.n.Arbiters {
		n := slices.IndexFunc(w.list, func(x *entry.Maker) bool { return x.Index.ID == ix.ID })
		if n < 0 {
			continue
		}
		w.keys = nil
		w.list[n].Reset()
		if err := w.entries(w.list[n], b, &w.new, sel); err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, slot := range sel {
			e := &w.new[slot]
			if e.Claim && seen[string(e.Key)] {
				return secondTime()
			}
			seen[string(e.Key)] = e.Claim
		}
	}
	return nil
}

func isUniqueViolation(err error) bool {
	e := sqlerr.As(err)
	return e != nil && e.Code == sqlerr.UniqueViolation
}

// holder locks the claim that the row at slot would make in a UNIQUE index, and gives the key
// of the row that has it; nil where none has.
func (w *indexWriter) holder(ix *catalog.Index, one *vec.Batch, slot int) ([]byte, error) {
	n := slices.IndexFunc(w.list, func(x *entry.Maker) bool { return x.Index.ID == ix.ID })
	if n < 0 {
		return nil, nil
	}
	x := w.list[n]
	w.keys = w.keys[:0]
	x.Reset()
	if err := w.entries(x, one, &w.new, []uint16{uint16(slot)}); err != nil {
		return nil, err
	}
	e := &w.new[slot]
	if e.Key == nil || !e.Claim {
		return nil, nil
	}
	if w.shared != nil {
		return w.shared.holder(n, e.Key)
	}
	table := w.tables[n]
	free := make([]bool, 1)
	err := table.CheckAndMutateRows(w.cx.Ctx, []storage.CondMutation{{Key: e.Key, Cond: storage.Cond{Op: storage.RowAbsent}}}, free)
	if err != nil || free[0] {
		return nil, err
	}
	vals, err := readEntry(w.cx, x, table, e.Key)
	if err != nil || vals == nil {
		return nil, err
	}
	return w.t.Codec().Key.AppendKey(nil, vals)
}
