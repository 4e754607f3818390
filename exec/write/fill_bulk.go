package write

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/exec/entry"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/scan"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// Bulk fills an index that nobody reads from a snapshot of its table, by a load, with no
// locks of rows:
//
//	Begin    no write is under way: the index is emptied, watched, and the snapshot taken
//	Fill     the entries of the snapshot's rows  ->  the load
//	Commit   the load is in the index, over what others have written meanwhile
//	Mend     the entries that they wrote or deleted, which the watch knows: each is made what
//	         its row says now, under the row's lock
//
// Where others write more than the watch can hold, the index has to be filled by pieces. What
// dies on the way leaves entries that are wrong: the next attempt empties the index.
//
// Writes look at the entries of a UNIQUE index. Until Commit they see those of rows written
// since Begin alone, so that two rows may come to one entry, as where an index is filled by
// pieces. From Commit to the last Mend nobody writes (see Held), nor has an open transaction
// claimed an entry: each that the watch knows is one of the row that the index led to before
// the load, and of the row that it leads to after it; of both is 23505.
type Bulk struct {
	f      *Filler
	t      *txn.Txn
	load   *txn.Load
	watch  *txn.Watch
	snap   storage.Snapshot
	keys   [][]byte          // of entries to be mended
	before map[string][]byte // of a UNIQUE index: the keys of rows that entries led to
}

const (
	// maxHeldMends is how many entries are mended while nobody writes.
	maxHeldMends = 20_000
	// heldMends is how many at once: each may be of two rows.
	heldMends = vec.MaxRows / 2
	// heldPatience is how long a row's lock is waited for then. An open transaction may have
	// it that has not written the row yet, and it, or its COMMIT, waits for the end of this.
	heldPatience = 300 * time.Millisecond
)

// Bulk is for filling the whole index; nil where it, or the store, is not for that.
func (f *Filler) Bulk(ctx context.Context) (*Bulk, error) {
	x := f.w.indexes.list[0]
	if f.mender != nil || !f.txns.Raw().Caps().Snapshots {
		return nil, nil
	}
	t, err := f.txns.Begin(ctx, txn.Options{})
	if err != nil {
		return nil, err
	}
	b := &Bulk{f: f, t: t}
	if b.load, err = t.Load(ctx, x.Index.Physical, x.Index.Unique); err != nil || b.load == nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Held implements jobs.Bulk.
func (b *Bulk) Held() bool { return b.maker().Index.Unique }

// maker makes the entries of the index.
func (b *Bulk) maker() *entry.Maker { return b.f.w.indexes.list[0] }

// Begin takes the snapshot. Nobody may write the table until it returns.
func (b *Bulk) Begin(ctx context.Context) (err error) {
	index := b.maker().Index.Physical
	if b.watch != nil {
		b.watch.End()
	}
	b.watch = b.f.txns.Watch(index)
	if b.Held() && b.t.Disputed(index) {
		return versions.ErrBusy // by a load perhaps, which the watch would not see
	}
	if err := b.Undo(ctx); err != nil {
		return err
	}
	b.snap, err = b.f.txns.Raw().Snapshot(ctx)
	return err
}

// Undo removes what is in the index: of an attempt before, and of writes whose rows a
// snapshot will show.
func (b *Bulk) Undo(ctx context.Context) error {
	index, any := b.maker().Index.Physical, false
	req := &storage.ScanRequest{Spans: []storage.Span{{}}, Limit: 1, KeysOnly: true}
	err := storage.EachBatch(ctx, b.f.txns.Raw().Table(index), req, func(rb *storage.RowBatch) error {
		any = any || rb.Len() > 0
		return nil
	})
	if err != nil || !any {
		return err
	}
	return b.f.txns.Raw().Admin().Truncate(ctx, index)
}

// Fill loads the entries of the snapshot's rows of a span. progress is told of rows done
// since it was called last, and ends the work by an error. Several spans may be filled at
// once.
func (b *Bulk) Fill(ctx context.Context, span storage.Span, progress func(rows int) error) error {
	env := *b.f.env
	f, err := NewFiller(b.f.txns, &env, b.f.w.t, b.f.w.indexes.list[0].Index)
	if err != nil {
		return err
	}
	w := f.w.indexes
	w.cx, w.clock, w.work = &op.Context{Ctx: ctx, Txns: f.txns, Env: &env}, f.txns.Clock(), new(plan.Actual)
	var m scan.RowMaker
	if err := m.Init(readFor(f.w.t, w.list[0]), f.w.t.Codec()); err != nil {
		return err
	}
	req := m.Request()
	req.Spans, req.MinTS, req.Snapshot = []storage.Span{span}, f.w.t.OldestVisible(w.clock.Now()), b.snap
	var slots []uint16
	return storage.EachBatch(ctx, f.txns.Raw().Table(f.w.t.Physical), &req, func(rb *storage.RowBatch) error {
		n := rb.Len()
		rows, err := m.Decode(rb, nil, scan.ExactKey)
		if err == nil && rows != nil {
			slots = slots[:0]
			for i := range rows.Rows() {
				slots = append(slots, uint16(rows.Row(i)))
			}
			err = b.add(w, rows, slots)
		}
		if err != nil {
			return err
		}
		return progress(n)
	})
}

// add loads the entries of rows.
func (b *Bulk) add(w *indexWriter, rows *vec.Batch, slots []uint16) error {
	x := w.list[0]
	if err := w.entries(x, rows, &w.new, slots); err != nil {
		return err
	}
	if err := w.loadEntries(0, b.load, slots, false); err != nil {
		return b.duplicate(err)
	}
	w.keys = w.keys[:0]
	x.Reset()
	return nil
}

// duplicate says of two rows of the snapshot with one entry that the index cannot be.
func (b *Bulk) duplicate(err error) error {
	var dup *storage.DuplicateRowError
	if errors.As(err, &dup) {
		return duplicateEntry(b.maker(), dup.Key, b.f.env, false)
	}
	return err
}

// readFor is the scan of what entries are made of.
func readFor(t *catalog.Table, x *entry.Maker) *plan.Scan {
	s := &plan.Scan{Source: plan.Source{Table: t}}
	for i := range t.Columns {
		s.Cols = append(s.Cols, i)
		if !x.Reads(i) {
			s.Unread = append(s.Unread, i)
		}
	}
	return s
}

// Prepare does what Commit can do before.
func (b *Bulk) Prepare(ctx context.Context) error { return b.duplicate(b.load.Prepare(ctx)) }

// Commit puts the entries into the index. The table must still be what its rows were read by.
// ok is false where others have written more than the watch knows, or than may be mended
// while nobody writes: then nothing is done.
func (b *Bulk) Commit(ctx context.Context) (ok bool, err error) {
	if b.watch.Over() {
		return false, nil
	}
	if b.Held() {
		if ok, err := b.hold(ctx); !ok {
			return false, err
		}
	}
	if err := b.t.Commit(ctx, storage.WriteOptions{}); err != nil {
		return false, b.duplicate(err)
	}
	if b.Held() {
		return true, nil
	}
	if b.keys, ok = b.watch.End(); !ok {
		return false, versions.ErrMoved // just now: what is in the index cannot be mended
	}
	return true, nil
}

// hold notes where the entries lead that others have written. Nobody writes.
func (b *Bulk) hold(ctx context.Context) (ok bool, err error) {
	if b.t.Disputed(b.maker().Index.Physical) {
		return false, versions.ErrBusy
	}
	if b.keys, ok = b.watch.End(); !ok || len(b.keys) > maxHeldMends {
		return false, nil
	}
	b.before = map[string][]byte{}
	for part := range slices.Chunk(b.keys, heldMends) {
		if err := b.leads(ctx, part, func(e, row []byte) { b.before[string(e)] = row }); err != nil {
			return false, err
		}
	}
	return true, nil
}

// leads shows the keys of the rows that entries lead to. The keys of entries are in order.
func (b *Bulk) leads(ctx context.Context, entries [][]byte, show func(e, row []byte)) error {
	var found storage.RowBatch
	if _, err := b.f.txns.Raw().Table(b.maker().Index.Physical).MultiGet(ctx, entries, nil, &found); err != nil {
		return err
	}
	for i := range found.Len() {
		row, err := b.maker().RowKey(&found, i)
		if err != nil {
			return err
		}
		show(bytes.Clone(found.Key(i)), row)
	}
	return nil
}

// Mend makes right some of the entries that were written while the index was filled; more
// says that there are others. It may wait for locks of rows.
func (b *Bulk) Mend(ctx context.Context) (more bool, err error) {
	size, rowsOf := fillRows, b.rowsOfKeys
	if b.Held() {
		size, rowsOf, b.f.patience = heldMends, b.rowsOfClaims, heldPatience
	}
	part := b.keys[:min(len(b.keys), size)]
	if len(part) > 0 {
		rows, err := rowsOf(ctx, part)
		if err == nil {
			err = b.f.transact(ctx, func(cx *op.Context) error { return b.mend(cx, part, rows) })
		}
		if b.Held() && errors.Is(err, txn.ErrLockTimeout) {
			// Who has the lock may be waiting for the hold's end.
			return false, versions.ErrMoved
		}
		if err != nil {
			return false, err
		}
	}
	b.keys = b.keys[len(part):]
	return len(b.keys) > 0, nil
}

// rowsOfKeys gives the keys of the rows that are in the keys of entries.
func (b *Bulk) rowsOfKeys(_ context.Context, entries [][]byte) (keys [][]byte, err error) {
	ix := b.maker().Index
	vals := make([]types.Datum, len(ix.RowKey))
	for _, e := range entries {
		parts, err := ix.Codec().Key.DecodeKey(e)
		if err != nil {
			return nil, err
		}
		for i, from := range ix.RowKey {
			vals[i] = parts[from.Key]
		}
		key, err := b.f.w.t.Codec().Key.AppendKey(nil, vals)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// rowsOfClaims gives the keys of the rows that entries led to before the load and after it.
func (b *Bulk) rowsOfClaims(ctx context.Context, entries [][]byte) (keys [][]byte, err error) {
	for _, e := range entries {
		if row, ok := b.before[string(e)]; ok {
			keys = append(keys, row)
		}
	}
	err = b.leads(ctx, entries, func(_, row []byte) { keys = append(keys, row) })
	return keys, err
}

// mend makes entries what the rows of keys, which are all that may have them, say now.
func (b *Bulk) mend(cx *op.Context, entries, keys [][]byte) error {
	f, w := b.f, b.f.w.indexes
	x, table := w.list[0], w.tables[0]
	if err := f.lock(keys); err != nil {
		return err
	}
	rows, err := f.reader.read(keys)
	if err != nil {
		return err
	}
	now := map[string][]storage.Mutation{}
	if rows != nil {
		var sel []uint16
		for i := range rows.Rows() {
			sel = append(sel, uint16(rows.Row(i)))
		}
		w.keys = w.keys[:0]
		x.Reset()
		if err := w.entries(x, rows, &w.new, sel); err != nil {
			return err
		}
		for _, slot := range sel {
			e := &w.new[slot]
			if e.Key == nil {
				continue
			}
			if _, has := now[string(e.Key)]; has {
				return indexViolation(x, int(slot), cx.Env, false)
			}
			now[string(e.Key)] = e.Muts
		}
	}
	w.rows = w.rows[:0]
	for _, key := range entries {
		muts, ok := now[string(key)]
		if !ok {
			muts = deleteRow
		} else {
			stampRow(muts, w.clock.Next(key, 0))
		}
		w.rows = append(w.rows, storage.RowMutation{Key: bytes.Clone(key), Mutations: muts})
	}
	return table.Mutate(cx.Ctx, w.rows, cx.WriteOptions())
}

// Close ends what has begun. It is idempotent.
func (b *Bulk) Close() {
	if b.snap != nil {
		_ = b.snap.Close() // one that cannot be closed keeps old data, nothing else
		b.snap = nil
	}
	if b.watch != nil {
		b.watch.End()
	}
	b.t.Rollback()
}
