package write

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/entry"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/scan"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// IndexReport is what CheckIndex has found.
type IndexReport struct {
	Rows, Entries int64
	Missing       int64  // rows that have no entry
	Wrong         int64  // entries that do not hold what their rows do
	Stale         int64  // entries of rows that are not there, or have another
	Repaired      int64  // of those
	Duplicates    int64  // rows of a UNIQUE index whose entry another row has; no repair mends them
	Duplicate     string // values of one of them
	Sample        string // of any fault
}

// Faults is how many entries are not as they should be.
func (r *IndexReport) Faults() int64 { return r.Missing + r.Wrong + r.Stale }

// duplicated counts a row whose entry another row has: which of the two is to stay only their
// owner knows.
func (r *IndexReport) duplicated(x *entry.Maker, key []byte, env *expr.Env) {
	if r.Duplicates++; r.Duplicate == "" {
		r.Duplicate = fmt.Sprintf("Entry %X is duplicated.", key)
		if e := sqlerr.As(duplicateEntry(x, key, env, false)); e != nil && e.Detail != "" {
			r.Duplicate = e.Detail
		}
	}
	r.Sample = cmp.Or(r.Sample, r.Duplicate)
}

// CheckIndex compares an index with its table, at one moment, both ways: each row with the
// entry that it should have, and each entry with the row that it leads to. With repair it
// then writes or removes the entries that are wrong, row by row under their locks, looking
// at each again, each time in a write of t that enter begins: 40001 where t has been altered.
//
// What it finds of a table whose storage was replaced meanwhile is nothing to go by: entries
// are of the new rows then.
func CheckIndex(ctx context.Context, txns *txn.Manager, env *expr.Env, t *catalog.Table, ix *catalog.Index, repair bool, enter Enter) (*IndexReport, error) {
	if !txns.Atomic() {
		return checkShared(ctx, txns, env, t, ix, repair, enter)
	}
	f, err := NewFiller(txns, env, t, ix)
	if err != nil {
		return nil, err
	}
	c := &indexCheck{Filler: f, ctx: ctx, enter: enter, unmade: map[string]bool{}}
	snap, err := txns.Auto().Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	err = c.check(snap)
	if e := snap.Close(); err == nil {
		err = e
	}
	if err == nil && repair {
		err = c.mend()
	}
	return &c.IndexReport, err
}

// Enter is that of op.Context.
type Enter = func(ctx context.Context, tables ...*catalog.Table) (_ context.Context, leave func(), err error)

// entered does work as one write of t.
func entered(ctx context.Context, enter Enter, t *catalog.Table, work func(context.Context) error) error {
	ctx, leave, err := enter(ctx, t)
	if err != nil {
		return err
	}
	defer leave()
	return work(ctx)
}

type indexCheck struct {
	*Filler
	IndexReport
	ctx   context.Context
	enter Enter

	rows    scan.RowMaker
	entry   []entry.Entry
	lacking [][]byte        // keys of rows whose entries are missing or wrong
	unmade  map[string]bool // entries of those, of a UNIQUE index
	stale   []staleEntry
}

type staleEntry struct {
	entry, row []byte // keys; row is nil where none can be made of it
}

func (c *indexCheck) check(snap storage.Snapshot) error {
	store, t := c.txns.Auto(), c.w.t
	if err := c.rows.Init(c.reader.scan(t), t.Codec()); err != nil {
		return err
	}
	x := c.w.indexes.list[0]
	c.w.indexes.cx = &op.Context{Ctx: c.ctx, Env: c.env}
	c.w.indexes.clock = c.txns.Clock()
	minTS := t.OldestVisible(c.txns.Clock().Now())
	table, index := store.Table(t.Physical), store.Table(x.Index.Physical)
	point := &storage.ScanRequest{Project: c.rows.Project, EveryRow: t.Codec().Unmarked, MinTS: minTS, Snapshot: snap}
	every := *point
	every.Spans = t.Codec().Key.TableSpans()
	err := storage.EachBatch(c.ctx, table, &every, func(b *storage.RowBatch) error {
		c.Rows += int64(b.Len())
		return c.rowsOf(x, b, index, table, point)
	})
	if err != nil {
		return err
	}
	return storage.EachBatch(c.ctx, index, &storage.ScanRequest{Spans: all, Snapshot: snap}, func(b *storage.RowBatch) error {
		c.Entries += int64(b.Len())
		return c.entriesOf(x, b, table, point)
	})
}

var all = []storage.Span{{}}

// expected makes the entries of the rows of b, by slot, and gives the rows.
func (c *indexCheck) expected(x *entry.Maker, b *storage.RowBatch) (*vec.Batch, error) {
	rows, err := c.rows.Decode(b, nil, scan.ExactKey)
	if err != nil {
		return nil, err
	}
	sel := make([]uint16, b.Len())
	for i := range sel {
		sel[i] = uint16(i)
	}
	c.w.indexes.keys = c.w.indexes.keys[:0]
	x.Reset()
	return rows, c.w.indexes.entries(x, rows, &c.entry, sel)
}

// rowsOf looks for the entries of a batch of the table's rows.
func (c *indexCheck) rowsOf(x *entry.Maker, b *storage.RowBatch, index, table storage.Table, point *storage.ScanRequest) error {
	rows, err := c.expected(x, b)
	if err != nil {
		return err
	}
	var keys [][]byte
	for i := range b.Len() {
		if c.entry[i].Key != nil {
			keys = append(keys, c.entry[i].Key)
		}
	}
	slices.SortFunc(keys, bytes.Compare)
	keys = slices.CompactFunc(keys, bytes.Equal)
	var found storage.RowBatch
	if len(keys) > 0 {
		if _, err := index.MultiGet(c.ctx, keys, &storage.ScanRequest{Snapshot: point.Snapshot}, &found); err != nil {
			return err
		}
	}
	lacks := func(row, key []byte) {
		if c.lacking = append(c.lacking, row); x.Index.Unique {
			c.unmade[string(key)] = true
		}
	}
	var held []heldEntry
	for i := range b.Len() {
		e := &c.entry[i]
		if e.Key == nil {
			continue
		}
		at := findKey(&found, e.Key)
		switch {
		case at >= 0 && e.IsRow(&found, at):
			continue
		case x.Index.Unique && c.unmade[string(e.Key)]:
			c.duplicated(x, e.Key, c.env)
			continue
		case at < 0:
			c.Missing++
			lacks(bytes.Clone(b.Key(i)), e.Key)
		default:
			h := heldEntry{key: bytes.Clone(e.Key), row: bytes.Clone(b.Key(i))}
			if h.holder, err = x.RowKey(&found, at); x.Index.Unique && err == nil && !bytes.Equal(h.holder, h.row) {
				held = append(held, h)
				continue
			}
			c.Wrong++
			lacks(h.row, e.Key)
		}
		c.note("missing or wrong", rows, i)
	}
	for _, h := range held {
		if c.unmade[string(h.key)] {
			c.duplicated(x, h.key, c.env)
			continue
		}
		found.Reset()
		if _, err := table.MultiGet(c.ctx, [][]byte{h.holder}, point, &found); err != nil {
			return err
		}
		if found.Len() > 0 {
			if _, err := c.expected(x, &found); err != nil {
				return err
			}
			if bytes.Equal(c.entry[0].Key, h.key) {
				c.duplicated(x, h.key, c.env)
				continue
			}
		}
		c.Wrong++
		lacks(h.row, h.key)
		c.Sample = cmp.Or(c.Sample, fmt.Sprintf("wrong: entry %X", h.key))
	}
	return nil
}

// heldEntry is the entry of a row that leads to another, its holder.
type heldEntry struct{ key, row, holder []byte }

// entriesOf looks at the rows that a batch of entries leads to.
func (c *indexCheck) entriesOf(x *entry.Maker, b *storage.RowBatch, table storage.Table, req *storage.ScanRequest) error {
	leads := make([][]byte, b.Len())
	var keys [][]byte
	for i := range b.Len() {
		vals, err := x.PrimaryKey(b, i)
		if err == nil {
			leads[i], err = x.Table.Codec().Key.AppendKey(nil, vals)
		}
		if err != nil {
			c.staleEntry(b.Key(i), nil)
			continue
		}
		keys = append(keys, leads[i])
	}
	slices.SortFunc(keys, bytes.Compare)
	keys = slices.CompactFunc(keys, bytes.Equal)
	var found storage.RowBatch
	if len(keys) == 0 {
		return nil
	}
	if _, err := table.MultiGet(c.ctx, keys, req, &found); err != nil {
		return err
	}
	if found.Len() > 0 {
		if _, err := c.expected(x, &found); err != nil {
			return err
		}
	}
	for i := range b.Len() {
		if leads[i] == nil {
			continue
		}
		if at := findKey(&found, leads[i]); at < 0 || !bytes.Equal(c.entry[at].Key, b.Key(i)) {
			c.staleEntry(b.Key(i), leads[i])
		}
	}
	return nil
}

func (c *indexCheck) staleEntry(key, row []byte) {
	c.Stale++
	c.stale = append(c.stale, staleEntry{bytes.Clone(key), row})
	if c.Sample == "" {
		c.Sample = fmt.Sprintf("stale: entry %X", key)
	}
}

func (c *indexCheck) note(what string, rows *vec.Batch, slot int) {
	if c.Sample == "" {
		_, row := appendRow(nil, nil, c.w.t, rows, slot, nil, c.env)
		c.Sample = what + ": row (" + string(row) + ")"
	}
}

func findKey(b *storage.RowBatch, key []byte) int {
	i, ok := slices.BinarySearchFunc(identityInts(b.Len()), key, func(i int, k []byte) int { return bytes.Compare(b.Key(i), k) })
	if !ok {
		return -1
	}
	return i
}

// mend removes what is stale, and writes what is missing.
func (c *indexCheck) mend() error {
	for part := range slices.Chunk(c.stale, fillRows) {
		for _, s := range part {
			err := entered(c.ctx, c.enter, c.w.t, func(ctx context.Context) error {
				return c.transact(ctx, func(cx *op.Context) error { return c.remove(cx, s) })
			})
			if err != nil {
				return err
			}
			c.Repaired++
		}
	}
	for part := range slices.Chunk(c.lacking, fillRows) {
		slices.SortFunc(part, bytes.Compare)
		err := entered(c.ctx, c.enter, c.w.t, func(ctx context.Context) error { return c.piece(ctx, part) })
		if err != nil {
			return err
		}
		c.Repaired += int64(len(part))
	}
	return nil
}

// remove deletes an entry unless its row, whose lock it takes, has it after all.
func (c *indexCheck) remove(cx *op.Context, s staleEntry) error {
	x := c.w.indexes.list[0]
	if s.row != nil {
		if err := c.w.apply([]storage.CondMutation{{Key: s.row, Cond: c.w.present()}}, make([]bool, 1)); err != nil {
			return err
		}
		rows, err := c.reader.read([][]byte{s.row})
		if err != nil {
			return err
		}
		if rows != nil {
			c.w.indexes.keys = c.w.indexes.keys[:0]
			x.Reset()
			if err := c.w.indexes.entries(x, rows, &c.entry, []uint16{0}); err != nil || bytes.Equal(c.entry[0].Key, s.entry) {
				return err
			}
		}
	}
	return c.w.indexes.tables[0].Mutate(cx.Ctx, []storage.RowMutation{{Key: s.entry, Mutations: deleteRow}}, cx.WriteOptions())
}

// CheckSalt counts the rows of a table, and those that stand under another salt than their
// keys have.
func CheckSalt(ctx context.Context, txns *txn.Manager, t *catalog.Table) (rows, wrong int64, err error) {
	key := &t.Codec().Key
	err = storage.EachBatch(ctx, txns.Auto().Table(t.Physical), &storage.ScanRequest{Spans: all, KeysOnly: true}, func(b *storage.RowBatch) error {
		for i := range b.Len() {
			vals, err := key.DecodeKey(b.Key(i))
			if err != nil {
				return err
			}
			bucket, err := key.BucketOfValues(vals)
			if err != nil {
				return err
			}
			rows++
			if bucket != key.KeyBucket(b.Key(i)) {
				wrong++
			}
		}
		return nil
	})
	return rows, wrong, err
}
