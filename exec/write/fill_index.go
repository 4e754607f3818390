package write

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// fillRows is how many rows are filled in at once: their locks keep others waiting.
const fillRows = 512

// fillTries is how often a piece that met another transaction's locks is tried.
const fillTries = 20

// FillIndex writes the entries of the rows that t has into one of its indexes, which the
// writes of others keep up meanwhile. It goes by pieces: the rows of each are locked, read
// as they are then, and their entries are written in one transaction, so that it neither
// misses a write nor undoes one. 23505 where rows of a UNIQUE index have the same parts.
func FillIndex(ctx context.Context, txns *txn.Manager, env *expr.Env, t *catalog.Table, ix *catalog.Index) error {
	f := &filler{txns: txns, env: env, ix: ix}
	if err := f.init(t, ix); err != nil {
		return err
	}
	marker, _ := t.Codec().Marker()
	req := &storage.ScanRequest{Spans: t.Codec().Key.TableSpans(), KeysOnly: true, BatchRows: fillRows, MinTS: t.OldestVisible(txns.Clock().Now())}
	if !t.Adopted {
		req.Project = []storage.Col{marker}
	}
	return f.scan(ctx, txns.Auto().Table(t.Physical), req)
}

type filler struct {
	txns   *txn.Manager
	env    *expr.Env
	ix     *catalog.Index
	w      tableWriter
	reader rowReader
}

func (f *filler) init(t *catalog.Table, ix *catalog.Index) error {
	if err := f.w.init(t); err != nil {
		return err
	}
	x, err := newTableIndex(t, ix)
	if err != nil {
		return err
	}
	f.w.indexes = &indexWriter{t: t, list: []*tableIndex{x}}
	return f.reader.init(t, &f.w)
}

// scan fills in the rows of a table, piece by piece. A scan that the store cuts is begun
// again behind the last piece.
func (f *filler) scan(ctx context.Context, table storage.Table, req *storage.ScanRequest) error {
	var b storage.RowBatch
	var keys [][]byte
	for try := 0; ; {
		sc, err := table.Scan(ctx, req)
		for err == nil {
			if err = sc.Next(&b); err != nil {
				break
			}
			keys = keys[:0]
			for i := range b.Len() {
				keys = append(keys, bytes.Clone(b.Key(i)))
			}
			if err := f.piece(ctx, keys); err != nil {
				_ = sc.Close()
				return err
			}
			try = 0
			next := *req
			next.Spans = []storage.Span{{Start: append(bytes.Clone(keys[len(keys)-1]), 0)}}
			req = &next
		}
		if sc != nil {
			_ = sc.Close()
		}
		if err == io.EOF {
			return nil
		}
		if try++; !storage.IsRetryable(err) || try > fillTries {
			return err
		}
		if err := pause(ctx, try, retryUnit); err != nil {
			return storage.CtxError(storage.OpScan, f.w.t.Physical, err)
		}
	}
}

// piece fills in the rows of keys.
func (f *filler) piece(ctx context.Context, keys [][]byte) error {
	return f.transact(ctx, func(cx *op.Context) error {
		locks := make([]storage.CondMutation, len(keys))
		for i, k := range keys {
			locks[i] = storage.CondMutation{Key: k, Cond: f.w.present()}
		}
		if err := f.w.apply(locks, make([]bool, len(keys))); err != nil {
			return err
		}
		rows, err := f.reader.read(keys)
		if err != nil || rows == nil {
			return err
		}
		return f.fill(rows)
	})
}

// transact does work in a transaction of its own, again where others got in its way.
func (f *filler) transact(ctx context.Context, work func(*op.Context) error) error {
	for try := 0; ; try++ {
		err := f.attempt(ctx, work)
		if !errors.Is(err, txn.ErrDeadlock) && !storage.IsRetryable(err) || try == fillTries {
			return err
		}
		if err := pause(ctx, try, retryUnit); err != nil {
			return storage.CtxError(storage.OpMutate, f.w.t.Physical, err)
		}
	}
}

func (f *filler) attempt(ctx context.Context, work func(*op.Context) error) error {
	t, err := f.txns.Begin(ctx, txn.Options{})
	if err != nil {
		return err
	}
	defer t.Rollback()
	cx := &op.Context{Ctx: ctx, Txns: f.txns, Txn: t, Env: f.env}
	if err := cx.Begin(op.Needs{Writes: true}); err != nil {
		return err
	}
	defer func() {
		cx.Finish()
		_ = cx.End()
	}()
	if err := f.w.open(cx); err != nil {
		return err
	}
	if err := work(cx); err != nil {
		return err
	}
	return t.Commit(ctx, storage.WriteOptions{NoSync: true})
}

// fill writes the entries of rows, whose locks are held.
func (f *filler) fill(rows *vec.Batch) error {
	w := f.w.indexes
	x, table := w.list[0], w.tables[0]
	sel := make([]uint16, rows.Rows())
	for i := range sel {
		sel[i] = uint16(rows.Row(i))
	}
	w.keys = w.keys[:0]
	x.enc.Reset()
	if err := w.entries(x, rows, &w.new, sel); err != nil {
		return err
	}
	w.rows = w.rows[:0]
	for _, slot := range sel {
		e := &w.new[slot]
		if e.key == nil {
			continue
		}
		stampRow(e.muts, w.clock.Next(e.key, 0))
		if !e.claim {
			w.rows = append(w.rows, storage.RowMutation{Key: e.key, Mutations: e.muts})
			continue
		}
		matched := make([]bool, 1)
		claim := []storage.CondMutation{{Key: e.key, Cond: storage.Cond{Op: storage.RowAbsent}, Then: e.muts}}
		if err := table.CheckAndMutateRows(w.cx.Ctx, claim, matched); err != nil {
			return err
		}
		if matched[0] {
			continue
		}
		own, err := f.owns(x, table, e.key, int(slot))
		if err != nil {
			return err
		}
		if !own {
			return x.violation(int(slot), w.cx.Env, false)
		}
	}
	if len(w.rows) == 0 {
		return nil
	}
	return table.Mutate(w.cx.Ctx, w.rows, w.cx.WriteOptions())
}

// owns says that the entry of a key is of the row at slot: a write since has made it.
func (f *filler) owns(x *tableIndex, table storage.Table, key []byte, slot int) (bool, error) {
	held, err := readEntry(f.w.cx, x, table, key)
	if err != nil || held == nil {
		return false, err
	}
	for i, col := range x.t.PrimaryKey {
		d := x.seen.Cols[col].Datum(slot)
		if !types.Equal(x.t.Columns[col].Type, held[i], d) {
			return false, nil
		}
	}
	return true, nil
}

// readEntry gives the primary key that an entry of a UNIQUE index leads to; nil where there
// is no entry.
func readEntry(cx *op.Context, x *tableIndex, table storage.Table, key []byte) ([]types.Datum, error) {
	var b storage.RowBatch
	if _, err := table.MultiGet(cx.Ctx, [][]byte{key}, nil, &b); err != nil || b.Len() == 0 {
		return nil, err
	}
	return x.rowOf(&b, 0)
}

// rowOf decodes the primary key that a row of the index's storage table leads to.
func (x *tableIndex) rowOf(b *storage.RowBatch, i int) ([]types.Datum, error) {
	var wantKey, wantCells []int
	for _, s := range x.ix.RowKey {
		if s.Key >= 0 {
			wantKey = append(wantKey, s.Key)
		} else {
			wantCells = append(wantCells, s.Cell)
		}
	}
	dec := rowcodec.NewRowDecoder(x.ix.Codec(), wantKey, wantCells)
	var out []*vec.Vec
	for _, t := range dec.Types() {
		v := vec.New(t)
		v.Resize(1)
		out = append(out, v)
	}
	if err := dec.DecodeRow(b, i, 0, out); err != nil {
		return nil, err
	}
	vals := make([]types.Datum, len(x.ix.RowKey))
	keys, cells := 0, len(wantKey)
	for p, s := range x.ix.RowKey {
		at := &keys
		if s.Key < 0 {
			at = &cells
		}
		vals[p] = out[*at].Datum(0).Clone(out[*at].Type)
		*at++
	}
	return vals, nil
}
