package write

import (
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// load puts the entries of new rows into the loads of their indexes. The rows are in a load
// themselves. nil is a writer without indexes.
//
// A storage call for each index and batch; of a UNIQUE one also a look whether the entries
// are there. Two rows of the load that claim one entry may be told by the commit only.
func (w *indexWriter) load(loads []*txn.Load, b *vec.Batch, slots []uint16) error {
	if w == nil || len(slots) == 0 {
		return nil
	}
	for n, x := range w.list {
		if err := w.entries(x, b, &w.new, slots); err != nil {
			return err
		}
		if err := w.loadEntries(n, loads[n], slots, x.Index.Unique); err != nil {
			return err
		}
		w.keys = w.keys[:0]
		x.Reset()
	}
	return nil
}

// loadEntries loads the entries of index n made of the rows at slots. look says that they are claims of
// rows which others may have.
func (w *indexWriter) loadEntries(n int, load *txn.Load, slots []uint16, look bool) error {
	w.rows, w.slots = w.rows[:0], w.slots[:0]
	now := w.clock.Now()
	for _, slot := range slots {
		e := &w.new[slot]
		if e.Key == nil {
			continue
		}
		stampRow(e.Muts, w.clock.From(e.Key, now))
		w.rows = append(w.rows, storage.RowMutation{Key: e.Key, Mutations: e.Muts})
		w.slots = append(w.slots, int(slot))
	}
	if len(w.rows) == 0 {
		return nil
	}
	w.work.StorageCalls++
	if !look {
		err := load.Append(w.cx.Ctx, w.rows)
		heatOfRows(&w.heat[n], w.rows, err)
		return err
	}
	exists, err := load.Insert(w.cx.Ctx, w.rows, 0)
	if err == nil && exists >= 0 {
		w.cx.FailAt(w.slots[exists])
		err = indexViolation(w.list[n], w.slots[exists], w.cx.Env, true)
	}
	heatOfRows(&w.heat[n], w.rows, err)
	return err
}
