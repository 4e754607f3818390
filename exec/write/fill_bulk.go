package write

import (
	"bytes"
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/exec/entry"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/scan"
	"github.com/saltsql/saltsql/internal/types"
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
// Not for UNIQUE indexes, whose entries writes look at before all is mended.
type Bulk struct {
	f     *Filler
	t     *txn.Txn
	load  *txn.Load
	watch *txn.Watch
	snap  storage.Snapshot
	keys  [][]byte // of entries to be mended
}

// Bulk is for filling the whole index; nil where it, or the store, is not for that.
func (f *Filler) Bulk(ctx context.Context) (*Bulk, error) {
	x := f.w.indexes.list[0]
	if f.mender != nil || x.Index.Unique || !f.txns.Raw().Caps().Snapshots {
		return nil, nil
	}
	t, err := f.txns.Begin(ctx, txn.Options{})
	if err != nil {
		return nil, err
	}
	b := &Bulk{f: f, t: t}
	if b.load, err = t.Load(ctx, x.Index.Physical, false); err != nil || b.load == nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Begin takes the snapshot. Nobody may write the table until it returns.
func (b *Bulk) Begin(ctx context.Context) (err error) {
	index := b.f.w.indexes.list[0].Index.Physical
	b.watch = b.f.txns.Watch(index)
	if err := b.empty(ctx, index); err != nil {
		return err
	}
	b.snap, err = b.f.txns.Raw().Snapshot(ctx)
	return err
}

// empty removes what is in the index: of an attempt before, and of writes whose rows the
// snapshot will show.
func (b *Bulk) empty(ctx context.Context, index string) error {
	any := false
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
	loads := []*txn.Load{b.load}
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
			err = w.load(loads, rows, slots)
		}
		if err != nil {
			return err
		}
		return progress(n)
	})
}

// readFor is the scan of what entries are made of.
func readFor(t *catalog.Table, x *entry.Maker) *plan.Scan {
	s := &plan.Scan{Table: t}
	for i := range t.Columns {
		s.Cols = append(s.Cols, i)
		if !x.Reads(i) {
			s.Unread = append(s.Unread, i)
		}
	}
	return s
}

// Prepare does what Commit can do before.
func (b *Bulk) Prepare(ctx context.Context) error { return b.load.Prepare(ctx) }

// Commit puts the entries into the index. The table must still be what its rows were read by.
// ok is false where others have written more than the watch knows: then nothing is done.
func (b *Bulk) Commit(ctx context.Context) (ok bool, err error) {
	if b.watch.Over() {
		return false, nil
	}
	if err := b.t.Commit(ctx, storage.WriteOptions{}); err != nil {
		return false, err
	}
	if b.keys, ok = b.watch.End(); !ok {
		return false, versions.ErrMoved // just now: what is in the index cannot be mended
	}
	return true, nil
}

// Mend makes right some of the entries that were written while the index was filled; more
// says that there are others. It may wait for locks of rows.
func (b *Bulk) Mend(ctx context.Context) (more bool, err error) {
	part := b.keys[:min(len(b.keys), fillRows)]
	if len(part) > 0 {
		if err := b.f.transact(ctx, func(cx *op.Context) error { return b.mend(cx, part) }); err != nil {
			return false, err
		}
	}
	b.keys = b.keys[len(part):]
	return len(b.keys) > 0, nil
}

func (b *Bulk) mend(cx *op.Context, entries [][]byte) error {
	f, w := b.f, b.f.w.indexes
	x, table := w.list[0], w.tables[0]
	var keys [][]byte
	vals := make([]types.Datum, len(x.Index.RowKey))
	for _, e := range entries {
		parts, err := x.Index.Codec().Key.DecodeKey(e)
		if err != nil {
			return err
		}
		for i, from := range x.Index.RowKey {
			vals[i] = parts[from.Key]
		}
		key, err := f.w.t.Codec().Key.AppendKey(nil, vals)
		if err != nil {
			return err
		}
		keys = append(keys, key)
	}
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
			if e := &w.new[slot]; e.Key != nil {
				now[string(e.Key)] = e.Muts
			}
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
