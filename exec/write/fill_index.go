package write

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

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

// Filler writes the entries of the rows that a table has into one of its indexes, which the
// writes of others keep up meanwhile. It goes by pieces: the rows of each are locked, read
// as they are then, and their entries are written in one transaction, so that it neither
// misses a write nor undoes one. It is for one goroutine.
type Filler struct {
	txns   *txn.Manager
	env    *expr.Env
	w      tableWriter
	reader rowReader
	mender *entry.Mender // on a store that is not atomic over rows
	req    storage.ScanRequest
	keys   [][]byte
	// patience is how long a lock is waited for; 0 has no limit.
	patience time.Duration
}

// NewFiller makes the Filler of an index of t's.
func NewFiller(txns *txn.Manager, env *expr.Env, t *catalog.Table, ix *catalog.Index) (*Filler, error) {
	f := &Filler{txns: txns, env: env}
	if err := f.w.init(t); err != nil {
		return nil, err
	}
	x, err := entry.NewMaker(t, ix)
	if err != nil {
		return nil, err
	}
	f.w.indexes = &indexWriter{t: t, list: []*entry.Maker{x}, heat: make([]op.HeatOf, 1)}
	if err := f.reader.init(t, &f.w); err != nil {
		return nil, err
	}
	if !txns.Atomic() {
		if f.mender, err = entry.NewMender(txns, env, t, ix); err != nil {
			return nil, err
		}
	}
	f.req = storage.ScanRequest{KeysOnly: true, BatchRows: fillRows, MinTS: t.OldestVisible(txns.Clock().Now())}
	if !t.Adopted {
		marker, _ := t.Codec().Marker()
		f.req.Project = []storage.Col{marker}
	}
	return f, nil
}

// Fill fills in the next rows of a span, limit at most, and gives their number and the last
// one's key. 23505 where rows of a UNIQUE index have the same parts.
func (f *Filler) Fill(ctx context.Context, span storage.Span, limit int) (n int, last []byte, err error) {
	if f.keys, err = f.scan(ctx, f.txns.Auto().Table(f.w.t.Physical), span, limit); err != nil || len(f.keys) == 0 {
		return 0, nil, err
	}
	for part := range slices.Chunk(f.keys, fillRows) {
		if err := f.piece(ctx, part); err != nil {
			return 0, nil, err
		}
	}
	return len(f.keys), f.keys[len(f.keys)-1], nil
}

// scan reads keys of rows.
func (f *Filler) scan(ctx context.Context, from storage.Table, span storage.Span, limit int) (keys [][]byte, err error) {
	f.req.Spans, f.req.Limit = []storage.Span{span}, int64(limit)
	err = storage.Tries{Most: fillTries, Unit: 2 * retryUnit}.Again(ctx, func() error {
		keys = f.keys[:0]
		return storage.EachBatch(ctx, from, &f.req, func(b *storage.RowBatch) error {
			for i := range b.Len() {
				keys = append(keys, bytes.Clone(b.Key(i)))
			}
			return nil
		})
	})
	return keys, err
}

// piece fills in the rows of keys.
func (f *Filler) piece(ctx context.Context, keys [][]byte) error {
	if f.mender != nil {
		return f.menderPiece(ctx, keys)
	}
	return f.transact(ctx, func(cx *op.Context) error {
		if err := f.lock(keys); err != nil {
			return err
		}
		rows, err := f.reader.read(keys)
		if err != nil || rows == nil {
			return err
		}
		return f.fill(rows)
	})
}

// lock locks rows, whether they are there or not, until the transaction ends.
func (f *Filler) lock(keys [][]byte) error {
	locks := make([]storage.CondMutation, len(keys))
	for i, k := range keys {
		locks[i] = storage.CondMutation{Key: k, Cond: f.w.present()}
	}
	return f.w.apply(locks, make([]bool, len(keys)))
}

// menderPiece is piece on a store that is not atomic over rows. An entry that a write is at
// work on is looked at again, until that write has ended or is past its time.
func (f *Filler) menderPiece(ctx context.Context, keys [][]byte) error {
	for try := 0; len(keys) > 0; try++ {
		if try > 0 {
			if err := storage.Pause(ctx, min(try, 8), 4*retryUnit); err != nil {
				return storage.CtxError(storage.OpMutate, f.w.t.Physical, err)
			}
		}
		var duplicate []byte
		var busy [][]byte
		err := f.again(ctx, 4*retryUnit, func() (err error) {
			duplicate, busy, err = f.mender.Fill(ctx, keys)
			return err
		})
		switch {
		case err != nil:
			return err
		case duplicate != nil:
			return f.duplicate(ctx, duplicate)
		}
		keys = busy
	}
	return nil
}

// duplicate is 23505 for the row of a key, which has an entry that another row has.
func (f *Filler) duplicate(ctx context.Context, key []byte) error {
	cx := &op.Context{Ctx: ctx, Txns: f.txns, Env: f.env}
	if err := cx.Begin(op.Needs{}); err != nil {
		return err
	}
	defer func() { _ = cx.End() }()
	f.w.look(cx)
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
func (f *Filler) transact(ctx context.Context, work func(*op.Context) error) error {
	return f.again(ctx, retryUnit, func() error {
		err := f.attempt(ctx, work)
		if errors.Is(err, txn.ErrDeadlock) || errors.Is(err, txn.ErrSerialization) && f.txns.Raw().Caps().Optimistic { // nothing is done
			return &storage.Error{Code: storage.CodeUnavailable, Op: storage.OpMutate, Table: f.w.t.Physical, Cause: err}
		}
		return err
	})
}

// again makes a call until it does not fail for now, or ctx ends.
func (f *Filler) again(ctx context.Context, unit time.Duration, call func() error) error {
	err := storage.Tries{Most: fillTries, Unit: unit}.Again(ctx, call)
	if storage.IsRetryable(err) && ctx.Err() != nil {
		return storage.CtxError(storage.OpMutate, f.w.t.Physical, ctx.Err())
	}
	return err
}

func (f *Filler) attempt(ctx context.Context, work func(*op.Context) error) error {
	t, err := f.txns.Begin(ctx, txn.Options{})
	if err != nil {
		return err
	}
	defer t.Rollback()
	if err := f.within(ctx, t, work); err != nil {
		return err
	}
	return t.Commit(ctx, storage.WriteOptions{NoSync: true})
}

// within does work in a transaction.
func (f *Filler) within(ctx context.Context, t *txn.Txn, work func(*op.Context) error) error {
	cx := &op.Context{Ctx: ctx, Txns: f.txns, Txn: t, Env: f.env, Settings: op.Settings{LockTimeout: f.patience}}
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
	return work(cx)
}

// fill writes the entries of rows, whose locks are held.
func (f *Filler) fill(rows *vec.Batch) error {
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
	w.rows, w.claims, w.slots = w.rows[:0], w.claims[:0], w.slots[:0]
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
		w.claims = append(w.claims, storage.CondMutation{Key: e.Key, Cond: storage.Cond{Op: storage.RowAbsent}, Then: e.Muts})
		w.slots = append(w.slots, int(slot))
	}
	if err := f.claim(x, table); err != nil {
		return err
	}
	if len(w.rows) == 0 {
		return nil
	}
	return table.Mutate(w.cx.Ctx, w.rows, w.cx.WriteOptions())
}

// claim writes the entries that no other row may have.
func (f *Filler) claim(x *entry.Maker, table *txn.Table) error {
	w := f.w.indexes
	if len(w.claims) == 0 {
		return nil
	}
	w.matched = boolsOf(w.matched, len(w.claims))
	if err := table.CheckAndMutateRows(w.cx.Ctx, w.claims, w.matched); err != nil {
		return err
	}
	for i, free := range w.matched {
		if free {
			continue
		}
		own, err := f.owns(x, table, w.claims[i].Key, w.slots[i])
		if err != nil {
			return err
		}
		if !own {
			return indexViolation(x, w.slots[i], w.cx.Env, false)
		}
	}
	return nil
}

// owns says that the entry of a key is of the row at slot: a write since has made it.
func (f *Filler) owns(x *entry.Maker, table storage.Table, key []byte, slot int) (bool, error) {
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
