package write

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/entry"
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
	if !txns.Atomic() {
		var err error
		if f.mender, err = entry.NewMender(txns, env, t, ix); err != nil {
			return err
		}
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
	mender *entry.Mender // on a store that is not atomic over rows
}

func (f *filler) init(t *catalog.Table, ix *catalog.Index) error {
	if err := f.w.init(t); err != nil {
		return err
	}
	x, err := entry.NewMaker(t, ix)
	if err != nil {
		return err
	}
	f.w.indexes = &indexWriter{t: t, list: []*entry.Maker{x}}
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
		if err := storage.Pause(ctx, try, retryUnit); err != nil {
			return storage.CtxError(storage.OpScan, f.w.t.Physical, err)
		}
	}
}

// piece fills in the rows of keys.
func (f *filler) piece(ctx context.Context, keys [][]byte) error {
	if f.mender != nil {
		return f.menderPiece(ctx, keys)
	}
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

// menderPiece is piece on a store that is not atomic over rows. An entry that a write is at
// work on is looked at again, until that write has ended or is past its time.
func (f *filler) menderPiece(ctx context.Context, keys [][]byte) error {
	for try := 0; len(keys) > 0; try++ {
		if try > 0 {
			if err := storage.Pause(ctx, min(try, 8), 4*retryUnit); err != nil {
				return storage.CtxError(storage.OpMutate, f.w.t.Physical, err)
			}
		}
		duplicate, busy, err := f.mender.Fill(ctx, keys)
		switch {
		case err != nil && (!storage.IsRetryable(err) || try > fillTries):
			return err
		case err != nil:
			continue
		case duplicate != nil:
			return f.duplicate(ctx, duplicate)
		}
		keys = busy
	}
	return nil
}

// duplicate is 23505 for the row of a key, which has an entry that another row has.
func (f *filler) duplicate(ctx context.Context, key []byte) error {
	cx := &op.Context{Ctx: ctx, Txns: f.txns, Env: f.env}
	if err := cx.Begin(op.Needs{}); err != nil {
		return err
	}
	defer func() { _ = cx.End() }()
	f.w.cx, f.w.table = cx, cx.Table(f.w.t.Physical)
	x := f.w.indexes.list[0]
	rows, err := f.reader.read([][]byte{key})
	if err != nil {
		return err
	}
	if rows != nil {
		if _, err := x.Begin(f.env, rows); err != nil {
			return err
		}
		return indexViolation(x, rows.Row(0), f.env, false)
	}
	return txn.ErrSerialization // it is gone
}

// transact does work in a transaction of its own, again where others got in its way.
func (f *filler) transact(ctx context.Context, work func(*op.Context) error) error {
	for try := 0; ; try++ {
		err := f.attempt(ctx, work)
		if !errors.Is(err, txn.ErrDeadlock) && !storage.IsRetryable(err) || try == fillTries {
			return err
		}
		if err := storage.Pause(ctx, try, retryUnit); err != nil {
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
	x.Reset()
	if err := w.entries(x, rows, &w.new, sel); err != nil {
		return err
	}
	w.rows = w.rows[:0]
	for _, slot := range sel {
		e := &w.new[slot]
		if e.Key == nil {
			continue
		}
		stampRow(e.Muts, w.clock.Next(e.Key, 0))
		if !e.Claim {
			w.rows = append(w.rows, storage.RowMutation{Key: e.Key, Mutations: e.Muts})
			continue
		}
		matched := make([]bool, 1)
		claim := []storage.CondMutation{{Key: e.Key, Cond: storage.Cond{Op: storage.RowAbsent}, Then: e.Muts}}
		if err := table.CheckAndMutateRows(w.cx.Ctx, claim, matched); err != nil {
			return err
		}
		if matched[0] {
			continue
		}
		own, err := f.owns(x, table, e.Key, int(slot))
		if err != nil {
			return err
		}
		if !own {
			return indexViolation(x, int(slot), w.cx.Env, false)
		}
	}
	if len(w.rows) == 0 {
		return nil
	}
	return table.Mutate(w.cx.Ctx, w.rows, w.cx.WriteOptions())
}

// owns says that the entry of a key is of the row at slot: a write since has made it.
func (f *filler) owns(x *entry.Maker, table storage.Table, key []byte, slot int) (bool, error) {
	held, err := readEntry(f.w.cx, x, table, key)
	if err != nil || held == nil {
		return false, err
	}
	for i, col := range x.Table.PrimaryKey {
		if !x.Holds(col, slot, held[i]) {
			return false, nil
		}
	}
	return true, nil
}

// readEntry gives the primary key that an entry of a UNIQUE index leads to; nil where there
// is no entry.
func readEntry(cx *op.Context, x *entry.Maker, table storage.Table, key []byte) ([]types.Datum, error) {
	var b storage.RowBatch
	if _, err := table.MultiGet(cx.Ctx, [][]byte{key}, nil, &b); err != nil || b.Len() == 0 {
		return nil, err
	}
	return x.PrimaryKey(&b, 0)
}
