package write

import (
	"context"
	"errors"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// tableWriter turns rows of a table's columns into keys and mutations, and
// sends them.
type tableWriter struct {
	t      *catalog.Table
	tables []*catalog.Table // t
	schema *rowcodec.Schema
	enc    *rowcodec.RowEncoder
	cellOf []int // index of Table.Columns -> of Schema.Cells, -1 for key columns
	packed bool
	// packedCells are the cells of a packed row.
	packedCells []storage.Col
	marker      storage.Col

	cx    *op.Context
	table storage.Table
	own   *txn.Table     // table, in a transaction
	log   *txn.Announcer // outside of one, where there is a change log
	clock *txn.Clock
	minTS int64
	work  plan.Actual
	heat  op.HeatOf

	indexes *indexWriter // nil: none

	wait time.Duration // before the rows at hand are written: see Clock.Wait

	keyVals  []types.Datum
	cellVals []types.Datum
	keys     []byte // of the rows of a batch
	muts     []storage.Mutation
}

func (w *tableWriter) init(t *catalog.Table) error {
	w.t, w.tables, w.schema = t, []*catalog.Table{t}, t.Codec()
	if w.schema == nil {
		return sqlerr.Internal(nil, "table %q has no codec", t.Name)
	}
	w.enc = rowcodec.NewRowEncoder(w.schema)
	w.packed = w.schema.Layout == rowcodec.SingleCellArrayWithOffsets
	w.marker, _ = w.schema.Marker()
	cells := 0
	for i := range t.Columns {
		at := -1
		if t.Columns[i].KeyPos < 0 {
			at = cells
			cells++
		}
		w.cellOf = append(w.cellOf, at)
	}
	if w.packed {
		w.packedCells = w.enc.PackedCells(allInts(cells))
	}
	w.keyVals = make([]types.Datum, len(t.PrimaryKey))
	w.cellVals = make([]types.Datum, cells)
	var err error
	w.indexes, err = newIndexWriter(t)
	return err
}

func (w *tableWriter) open(cx *op.Context) error {
	w.work, w.wait = plan.Actual{}, 0
	w.look(cx)
	w.clock = cx.Txns.Clock()
	w.minTS = w.t.OldestVisible(w.clock.Now())
	w.enc.Latest = true
	if cx.Txn != nil && cx.Wrote != nil {
		cx.Wrote(w.t)
	}
	if w.indexes != nil {
		return w.indexes.open(cx, &w.work)
	}
	return nil
}

// look has the writer read and write the table as an execution sees it.
func (w *tableWriter) look(cx *op.Context) {
	w.cx, w.own, w.log = cx, cx.TxnTable(w.t.Physical), nil
	w.heat.Open(cx, w.t.ID, &w.schema.Key)
	if w.own != nil {
		w.table = w.own
		w.own.SetVersion(w.marker)
		return
	}
	w.table, w.log = cx.Table(w.t.Physical), cx.Txns.Announcer(w.t.Physical)
}

// lapsed words the error of a write that ended with this server's lease and not
// with its statement: nothing the user did.
func (w *tableWriter) lapsed(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || w.cx.Ctx.Err() != nil {
		return err
	}
	lost := func(e *storage.Error) *storage.Error {
		if e.Code != storage.CodeCanceled {
			return e
		}
		return storage.Errorf(storage.CodeUnavailable, e.Op, e.Table, "this server has lost touch with the catalog")
	}
	var pe *storage.PartialError
	var se *storage.Error
	switch {
	case errors.As(err, &pe):
		for i := range pe.Rows {
			pe.Rows[i].Err = lost(pe.Rows[i].Err)
		}
	case errors.As(err, &se):
		return lost(se)
	}
	return err
}

// enter begins one write, or several that go out together: see Context.Enter.
func (w *tableWriter) enter() (ctx context.Context, leave func(), err error) {
	if w.cx.Enter == nil || w.cx.InTxn() {
		return w.cx.Ctx, func() {}, nil
	}
	return w.cx.Enter(w.cx.Ctx, w.tables...)
}

// begin forgets the rows of the batch before.
func (w *tableWriter) begin() {
	w.keys, w.muts = w.keys[:0], w.muts[:0]
}

// stamp gives the timestamp of a row's next version, above seen, one read in the row.
func (w *tableWriter) stamp(key []byte, seen int64) int64 {
	ts := w.clock.Next(key, max(seen, 0))
	w.wait = max(w.wait, w.clock.Wait(key, ts))
	return ts
}

// stampAt is stamp for one of many rows, of which nothing was read, with one look at the clock.
func (w *tableWriter) stampAt(key []byte, now int64) int64 {
	ts := w.clock.From(key, now)
	if ts-now > w.clock.MaxAhead.Microseconds() {
		w.wait = max(w.wait, w.clock.Wait(key, ts))
	}
	return ts
}

// pace waits until the rows at hand may be written.
func (w *tableWriter) pace() error {
	d := w.wait
	if w.wait = 0; d == 0 {
		return nil
	}
	defer txn.Waiting(w.cx.Ctx, txn.ForTimestamp)()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-w.cx.Ctx.Done():
		return storage.CtxError(storage.OpMutate, w.t.Physical, w.cx.Ctx.Err())
	}
}

// key gives the row key of slot; cols are the table's columns. It is valid until
// begin.
func (w *tableWriter) key(cols []*vec.Vec, slot int) ([]byte, error) {
	for pos, col := range w.t.PrimaryKey {
		w.keyVals[pos] = cols[col].Datum(slot)
	}
	key, err := w.encodeKey()
	if err != nil {
		w.cx.FailAt(slot)
	}
	return key, err
}

func (w *tableWriter) encodeKey() ([]byte, error) {
	if cap(w.keys)-len(w.keys) < 256 {
		w.keys = make([]byte, 0, max(4<<10, min(2*cap(w.keys), 1<<20)))
	}
	at := len(w.keys)
	keys, err := w.schema.Key.AppendKey(w.keys, w.keyVals)
	if err != nil {
		return nil, inTable(err, w.t)
	}
	w.keys = keys
	return keys[at:len(keys):len(keys)], nil
}

// inTable adds the table's name to an error that lacks it.
func inTable(err error, t *catalog.Table) error {
	if e := sqlerr.As(err); e != nil && e.Table == "" {
		e.Schema, e.Table = t.Schema, t.Name
	}
	return err
}

// row appends the mutations of a whole new row; cols begin with the table's columns,
// nil where a column has no value.
func (w *tableWriter) row(cols []*vec.Vec, slot int, ts int64, replace bool) ([]storage.Mutation, error) {
	for i, at := range w.cellOf {
		if at >= 0 {
			w.cellVals[at] = types.NullDatum
			if c := cols[i]; c != nil {
				w.cellVals[at] = c.Datum(slot)
			}
		}
	}
	muts, err := w.keep(func(dst []storage.Mutation) ([]storage.Mutation, error) {
		return w.enc.AppendRow(dst, w.cellVals, ts, replace)
	})
	if err != nil {
		w.cx.FailAt(slot)
	}
	return muts, err
}

// newRow is row for one that is written where none is. It replaces what may
// still be there and is hidden by TTL; and a store that keeps a row in one
// piece need not look for an old one.
func (w *tableWriter) newRow(cols []*vec.Vec, slot int, ts int64) ([]storage.Mutation, error) {
	return w.row(cols, slot, ts, true)
}

// update appends the mutations that set cells (indexes into Schema.Cells) to the
// values of cols at slot. old is the row's present state, for packed rows.
func (w *tableWriter) update(cells []int, cols []*vec.Vec, slot int, ts int64, old *rowReader, oldRow int) ([]storage.Mutation, error) {
	vals := w.cellVals[:len(cells)]
	for i := range cells {
		vals[i] = cols[i].Datum(slot)
	}
	return w.keep(func(dst []storage.Mutation) ([]storage.Mutation, error) {
		if !w.packed {
			return w.enc.AppendUpdate(dst, cells, vals, ts)
		}
		return w.enc.AppendPackedUpdate(dst, func(family string) []byte { return old.packedCell(oldRow, family) }, cells, vals, ts)
	})
}

func (w *tableWriter) keep(add func([]storage.Mutation) ([]storage.Mutation, error)) ([]storage.Mutation, error) {
	if cap(w.muts)-len(w.muts) < len(w.cellVals)+8 {
		w.muts = make([]storage.Mutation, 0, max(256, min(2*cap(w.muts), 1<<15), len(w.cellVals)+8))
	}
	at := len(w.muts)
	muts, err := add(w.muts)
	if err != nil {
		return nil, inTable(err, w.t)
	}
	w.muts = muts
	return muts[at:len(muts):len(muts)], nil
}

// absent is the condition that a row does not exist.
func (w *tableWriter) absent() storage.Cond {
	return storage.Cond{Op: storage.RowAbsent, MinTS: w.minTS}
}

func (w *tableWriter) present() storage.Cond {
	return storage.Cond{Op: storage.RowPresent, MinTS: w.minTS}
}

// unchanged is the condition that a row read with version is as it was.
func (w *tableWriter) unchanged(version int64) storage.Cond {
	c := storage.Cond{Op: storage.CellTSEquals, Family: w.marker.Family, Qualifier: w.marker.Qualifier, Timestamp: version, MinTS: w.minTS}
	if version < 0 {
		c.Op, c.Timestamp = storage.CellAbsent, 0
	}
	return c
}

// mutate writes rows without a condition.
func (w *tableWriter) mutate(rows []storage.RowMutation) error {
	if len(rows) == 0 {
		return nil
	}
	if err := w.pace(); err != nil {
		return err
	}
	ctx, leave, err := w.enter()
	if err != nil {
		return err
	}
	defer leave()
	w.work.StorageCalls++
	err = w.table.Mutate(ctx, rows, w.cx.WriteOptions())
	heatOfRows(&w.heat, rows, err)
	return w.lapsed(ctx, err)
}

// apply makes conditional writes, in order for rows of one key. matched says which
// conditions held; done counts the calls that came back, for part failures.
func (w *tableWriter) apply(ms []storage.CondMutation, matched []bool) error {
	if len(ms) == 0 {
		return nil
	}
	if err := w.pace(); err != nil {
		return err
	}
	if w.own != nil {
		w.work.StorageCalls++
		err := w.own.CheckAndMutateRows(w.cx.Ctx, ms, matched)
		heatOfConds(&w.heat, ms, matched, err)
		return err
	}
	ctx, leave, err := w.enter()
	if err != nil {
		return err
	}
	defer leave()
	return w.lapsed(ctx, w.applyIn(ctx, ms, matched))
}

// applyIn is apply outside of transactions, in a write that was entered.
func (w *tableWriter) applyIn(ctx context.Context, ms []storage.CondMutation, matched []bool) (err error) {
	w.work.StorageCalls += int64(len(ms))
	defer func() { heatOfConds(&w.heat, ms, matched, err) }()
	defer op.Recover(&err)
	for i := range ms {
		ms[i].WriteOptions = w.cx.WriteOptions()
	}
	if len(ms) == 1 {
		matched[0], err = storage.CheckAndMutateAgain(ctx, w.table, &ms[0])
		return err
	}
	table, ended, parallel := w.table, func(error) {}, 1
	if !w.cx.Caps().AtomicBatch {
		parallel = storage.CondParallel
		if w.log != nil { // once for all of them
			w.work.StorageCalls += 2
			if table, ended, err = w.log.Announce(ctx, ms); err != nil {
				return err
			}
		}
	}
	err = storage.CheckAndMutateRows(ctx, table, ms, parallel, func(i int, ok bool, err error) error {
		matched[i] = ok
		return err
	})
	ended(err)
	return err
}

// uniqueViolation is 23505 for the row at slot.
func (w *tableWriter) uniqueViolation(cols []*vec.Vec, slot int, env *expr.Env) error {
	w.cx.FailAt(slot)
	vals := make([]types.Datum, len(w.t.PrimaryKey))
	for i, col := range w.t.PrimaryKey {
		vals[i] = cols[col].Datum(slot)
	}
	return w.keyExists(vals, env)
}

// duplicate is 23505 for two rows, or entries, of a load that have one key.
func (w *tableWriter) duplicate(dup *storage.DuplicateRowError, env *expr.Env) error {
	if w.indexes != nil {
		for _, x := range w.indexes.list {
			if x.Index.Physical == dup.Table {
				return duplicateEntry(x, dup.Key, env, true)
			}
		}
	}
	vals, err := w.schema.Key.DecodeKey(dup.Key)
	if err != nil {
		return err
	}
	return w.keyExists(vals, env)
}

func (w *tableWriter) keyExists(key []types.Datum, env *expr.Env) error {
	var names, vals []byte
	for i, col := range w.t.PrimaryKey {
		if i > 0 {
			names, vals = append(names, ", "...), append(vals, ", "...)
		}
		names = append(names, w.t.Columns[col].Name...)
		vals = appendShown(vals, w.t.Columns[col].Type, key[i], env)
	}
	e := sqlerr.New(sqlerr.UniqueViolation, "duplicate key value violates unique constraint %q", w.t.PrimaryKeyName).
		WithDetail("Key (%s)=(%s) already exists.", names, vals).WithConstraint(w.t.Name, w.t.PrimaryKeyName)
	e.Schema = w.t.Schema
	return e
}
