package write

import (
	"bytes"
	"errors"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/entry"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// indexWriter keeps the indexes of a table up: for each row that a statement has written it
// is given the row before and the row after. Its writes are part of the transaction that the
// row's are, on a store that commits both or none, and come after them: so who writes a row
// has its lock, and the entries of a row are written by one at a time. On other stores the
// entries of a transaction are buffered with their rows, and a statement outside of one
// writes rows and entries together: see staged.go.
//
// A UNIQUE index's entry is a claim: it is written under the condition that nobody has it.
// The entries that a batch gives up go first, so that rows may exchange their values. While
// the index is made, a row that it does not know yet may have the same values as one that it
// knows: what is written of such a row leaves the other's entry alone (see foreign).
type indexWriter struct {
	t      *catalog.Table
	list   []*entry.Maker
	heat   []op.HeatOf // by index
	tables []*txn.Table

	cx    *op.Context
	clock *txn.Clock
	work  *plan.Actual

	keys     []byte
	old, new []entry.Entry // by slot
	rows     []storage.RowMutation
	claims   []storage.CondMutation
	slots    []int
	matched  []bool
	found    storage.RowBatch // entries, and their keys
	lookups  [][]byte

	shared *sharedIndexes // on a store that is not atomic over rows
}

// newIndexWriter gives the writer of the indexes that writes of t keep up; nil for none.
func newIndexWriter(t *catalog.Table) (*indexWriter, error) {
	w := &indexWriter{t: t}
	for i := range t.Indexes {
		if !t.Indexes[i].Kept() {
			continue
		}
		x, err := entry.NewMaker(t, &t.Indexes[i])
		if err != nil {
			return nil, err
		}
		w.list = append(w.list, x)
	}
	if len(w.list) == 0 {
		return nil, nil
	}
	w.heat = make([]op.HeatOf, len(w.list))
	return w, nil
}

func (w *indexWriter) open(cx *op.Context, work *plan.Actual) error {
	w.cx, w.clock, w.work = cx, cx.Txns.Clock(), work
	w.tables = w.tables[:0]
	w.shared = nil
	for n, x := range w.list {
		w.heat[n].Open(cx, x.Index.ID, &x.Index.Codec().Key)
	}
	if !cx.Txns.Atomic() {
		var err error
		w.shared, err = newSharedIndexes(w)
		return err
	}
	for _, x := range w.list {
		table := cx.TxnTable(x.Index.Physical)
		if table == nil {
			return storage.Unsupported(cx.Caps().Name, storage.OpMutate, "an index kept up outside of a transaction")
		}
		w.tables = append(w.tables, table)
	}
	return nil
}

var noEntry entry.Entry

// change keeps the indexes up for the selected rows of old, which became those of the same
// slots in new; one of the two may be nil. nil is a writer without indexes, and where rows
// and entries are written together it does nothing.
func (w *indexWriter) change(old, new *vec.Batch, sel []uint16) error {
	if w == nil || len(sel) == 0 || w.shared != nil && !w.cx.InTxn() {
		return nil
	}
	for n, x := range w.list {
		if err := w.entries(x, old, &w.old, sel); err != nil {
			return err
		}
		if err := w.entries(x, new, &w.new, sel); err != nil {
			return err
		}
		var err error
		if w.shared != nil {
			err = w.shared.buffer(n, x, old, new, sel)
		} else {
			err = w.apply(n, x, old, sel)
		}
		if err != nil {
			return err
		}
		w.keys = w.keys[:0]
		x.Reset()
	}
	return nil
}

// entries makes the entries of the selected rows of b, by slot.
func (w *indexWriter) entries(x *entry.Maker, b *vec.Batch, dst *[]entry.Entry, sel []uint16) error {
	if n := int(sel[len(sel)-1]) + 1; len(*dst) < n {
		*dst = append(*dst, make([]entry.Entry, n-len(*dst))...)
	}
	for _, slot := range sel {
		(*dst)[slot] = noEntry
	}
	if b == nil {
		return nil
	}
	has, err := x.Begin(w.cx.Env, &vec.Batch{Cols: b.Cols, N: b.N, Sel: sel})
	if err != nil {
		return err
	}
	now := w.clock.Now()
	for _, slot := range has {
		if cap(w.keys)-len(w.keys) < 256 {
			w.keys = make([]byte, 0, max(4<<10, min(2*cap(w.keys), 1<<20)))
		}
		var e entry.Entry
		if w.keys, e, err = x.Entry(w.keys, int(slot), now); err != nil {
			w.cx.FailAt(int(slot))
			return err
		}
		(*dst)[slot] = e
	}
	return nil
}

// apply writes what the entries of the selected rows have become. x has begun with the new
// rows, where there are any.
func (w *indexWriter) apply(n int, x *entry.Maker, before *vec.Batch, sel []uint16) error {
	if x.Index.Unique && x.Index.Build != nil {
		if err := w.foreign(n, x, before, sel); err != nil {
			return err
		}
	}
	w.rows, w.claims, w.slots = w.rows[:0], w.claims[:0], w.slots[:0]
	for _, slot := range sel {
		old, new := &w.old[slot], &w.new[slot]
		if old.Key != nil && string(old.Key) != string(new.Key) {
			w.rows = append(w.rows, storage.RowMutation{Key: old.Key, Mutations: deleteRow})
		}
	}
	for _, slot := range sel {
		old, new := &w.old[slot], &w.new[slot]
		same := string(old.Key) == string(new.Key)
		switch {
		case new.Key == nil || old.Equal(new):
		case new.Claim && !same:
			stampRow(new.Muts, w.clock.Next(new.Key, 0))
			w.claims = append(w.claims, storage.CondMutation{Key: new.Key, Cond: storage.Cond{Op: storage.RowAbsent}, Then: new.Muts})
			w.slots = append(w.slots, int(slot))
		default:
			stampRow(new.Muts, w.clock.Next(new.Key, 0))
			w.rows = append(w.rows, storage.RowMutation{Key: new.Key, Mutations: new.Muts})
		}
	}
	if len(w.rows) > 0 {
		w.work.StorageCalls++
		if err := w.tables[n].Mutate(w.cx.Ctx, w.rows, w.cx.WriteOptions()); err != nil {
			return err
		}
		heatOfRows(&w.heat[n], w.rows, nil)
	}
	if len(w.claims) == 0 {
		return nil
	}
	w.work.StorageCalls++
	w.matched = boolsOf(w.matched, len(w.claims))
	err := w.tables[n].CheckAndMutateRows(w.cx.Ctx, w.claims, w.matched)
	heatOfConds(&w.heat[n], w.claims, w.matched, err)
	var there *txn.ExistsError
	if err != nil && !errors.As(err, &there) {
		return err
	}
	for i, ok := range w.matched {
		if !ok {
			w.cx.FailAt(w.slots[i])
			return indexViolation(x, w.slots[i], w.cx.Env, true)
		}
	}
	return err
}

// foreign forgets those entries of before's rows that are claims of other rows: the index,
// which is being made, has not met these rows yet, and will find that it cannot be. The
// entries are locked first.
func (w *indexWriter) foreign(n int, x *entry.Maker, before *vec.Batch, sel []uint16) error {
	w.claims, w.lookups = w.claims[:0], w.lookups[:0]
	for _, slot := range sel {
		if e := &w.old[slot]; e.Key != nil && e.Claim {
			w.claims = append(w.claims, storage.CondMutation{Key: e.Key, Cond: storage.Cond{Op: storage.RowPresent}})
			w.lookups = append(w.lookups, e.Key)
		}
	}
	if len(w.claims) == 0 {
		return nil
	}
	w.work.StorageCalls += 2
	w.matched = boolsOf(w.matched, len(w.claims))
	if err := w.tables[n].CheckAndMutateRows(w.cx.Ctx, w.claims, w.matched); err != nil {
		return err
	}
	slices.SortFunc(w.lookups, bytes.Compare)
	w.lookups = slices.CompactFunc(w.lookups, bytes.Equal)
	w.found.Reset()
	if _, err := w.tables[n].MultiGet(w.cx.Ctx, w.lookups, nil, &w.found); err != nil {
		return err
	}
	for _, slot := range sel {
		e := &w.old[slot]
		if e.Key == nil || !e.Claim {
			continue
		}
		at := w.found.Find(e.Key)
		if at < 0 {
			continue
		}
		to, err := x.PrimaryKey(&w.found, at)
		if err != nil {
			return err
		}
		own := true
		for i, col := range w.t.PrimaryKey {
			own = own && types.Equal(w.t.Columns[col].Type, to[i], before.Cols[col].Datum(int(slot)))
		}
		if own {
			continue
		}
		if new := &w.new[slot]; string(new.Key) == string(e.Key) {
			*new = noEntry
		}
		*e = noEntry
	}
	return nil
}

func stampRow(muts []storage.Mutation, ts int64) {
	for i := range muts {
		if muts[i].Op == storage.SetCell {
			muts[i].Timestamp = ts
		}
	}
}
