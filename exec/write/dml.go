package write

import (
	"errors"
	"io"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// dml is what Insert, Upsert, Update and Delete have in common: they write all
// rows of their input, commit where the statement commits by itself, and then
// give the rows of RETURNING.
//
// How one row is written without losing what others write:
//
//   - Each write of a row renews its marker cell, and the clock gives no two
//     writes of a row one timestamp (see txn.Clock). "The marker cell still
//     has timestamp T" therefore means "nothing of the row changed since".
//   - What depends on the old row is a compare-and-set on that timestamp. If
//     it fails, the row is read anew, the statement's condition and
//     assignments are evaluated on it, and it is tried again.
//   - In a table with a TTL what depends on the old row writes all of its cells, and
//     so does every other write: the row expires at one time (see catalog/live/ttl.go).
//   - On stores with atomic batches a statement of several rows is a transaction: the
//     same calls then lock rows and see the newest committed state, which is READ
//     COMMITTED.
type dml struct {
	n         plan.Node
	table     *catalog.Table
	in        op.Operator
	w         tableWriter
	returning []*eval.Prog
	batch     func(b *vec.Batch) error // writes the rows of a batch

	cx      *op.Context
	spool   spill.Spool
	out     *vec.Batch
	ret     vec.Batch
	later   []laterRow
	written int64
	flushed bool // a part was committed before the end
	done    bool
	load    *txn.Load   // once the statement is known to be a bulk load
	entries []*txn.Load // of the indexes, then
}

func (d *dml) init(n plan.Node, t *catalog.Table, in op.Operator, returning []expr.Expr) error {
	d.n, d.table, d.in = n, t, in
	var err error
	if err = d.w.init(t); err != nil {
		return err
	}
	if d.returning, err = op.CompileAll(returning); err != nil {
		return err
	}
	d.out = vec.NewBatch(op.TypesOf(n))
	d.ret.Cols = make([]*vec.Vec, len(returning))
	return nil
}

func (d *dml) Open(cx *op.Context) error {
	d.cx, d.written, d.flushed, d.done, d.load, d.entries = cx, 0, false, false, nil, nil
	d.spool.Open(cx)
	d.later = d.later[:0]
	if err := d.w.open(cx); err != nil {
		return err
	}
	return d.in.Open(cx)
}

// Next writes everything at its first call.
func (d *dml) Next() (*vec.Batch, error) {
	if !d.done {
		err := d.run()
		if err == nil {
			err = d.finish()
		}
		if err != nil {
			return nil, d.told(err)
		}
	}
	if err := d.spool.Fill(d.out); err != nil {
		return nil, err
	}
	return d.out, nil
}

func (d *dml) run() error {
	if d.mustStage() {
		return d.runStaged()
	}
	return d.pump()
}

// pump writes the rows its input gives.
func (d *dml) pump() error {
	for {
		b, err := d.in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := d.write(b); err != nil {
			return err
		}
	}
}

func (d *dml) write(b *vec.Batch) error {
	d.w.enc.Reset()
	d.w.minTS = d.table.OldestVisible(d.w.clock.Now())
	if err := d.batch(b); err != nil {
		return err
	}
	if err := d.inOrder(); err != nil {
		return err
	}
	if err := d.flush(); err != nil {
		return err
	}
	return d.cx.BookWrites()
}

const (
	bulkBatch = 512  // rows in one batch that make a statement a bulk load
	bulkRows  = 2048 // rows written by smaller ones
	bulkBytes = 8 << 20
)

// bulk gives the load that the rows of b belong to, where the statement writes
// many whole rows, commits by itself and the store takes loads; else nil. With unique no
// row replaces another, so that the entries of indexes are loaded too.
func (d *dml) bulk(b *vec.Batch, unique bool) (*txn.Load, error) {
	t := d.cx.ImplicitTxn()
	if d.w.indexes != nil && (!unique || d.w.indexes.shared != nil) {
		return nil, nil
	}
	if d.load != nil || t == nil || d.cx.Together() || b.Rows() < bulkBatch && d.written < bulkRows && t.Bytes() < bulkBytes {
		return d.load, nil
	}
	tables := []txn.LoadTable{{Name: d.table.Physical, Unique: unique}}
	if d.w.indexes != nil {
		for _, x := range d.w.indexes.list {
			tables = append(tables, txn.LoadTable{Name: x.Index.Physical, Unique: x.Index.Unique})
		}
	}
	loads, err := t.Loads(d.cx.Ctx, tables)
	if loads != nil {
		d.load, d.entries = loads[0], loads[1:]
	}
	return d.load, err
}

// flush commits a part of a load that is too large to be one transaction.
func (d *dml) flush() error {
	t := d.cx.ImplicitTxn()
	if t == nil || !d.cx.Settings.Chunked || d.cx.Together() || !d.cx.ChunkFull(t) {
		return nil
	}
	ctx, leave, err := enter(d.cx, d.w.tables)
	if err != nil {
		return err
	}
	defer leave()
	if err := t.Flush(ctx, d.cx.WriteOptions()); err != nil {
		return err
	}
	if !d.flushed {
		d.flushed = true
		d.cx.SendNotice(sqlerr.Notice(sqlerr.Warning, "the rows are committed in parts: they are more than a transaction may hold").
			WithHint("Rows committed before an error stay. Raise saltsql.max_transaction_size to load all rows or none."))
	}
	return nil
}

// finish commits and turns to RETURNING's rows.
func (d *dml) finish() error {
	if !d.cx.Together() {
		if err := commit(d.cx, d.w.tables); err != nil {
			var dup *storage.DuplicateRowError
			if errors.As(err, &dup) {
				return d.w.duplicate(dup, d.cx.Env)
			}
			return err
		}
		d.w.work.StorageCalls += d.cx.CommitCalls()
		d.cx.Finish()
	}
	d.done = true
	d.w.work.RowsWritten = d.written
	d.cx.AddWork(d.n, &d.w.work)
	d.w.work = plan.Actual{}
	return d.spool.Rewind()
}

// once leaves out of b the rows that another node of the statement has changed: a statement
// changes a row once, as in PostgreSQL. For MERGE a second time is an error.
func (d *dml) once(b *vec.Batch, how *plan.Again) (*vec.Batch, error) {
	if !d.cx.Together() {
		return b, nil
	}
	keys, sel := b.Cols[len(d.table.Columns)].Bytes, make([]uint16, 0, b.Rows())
	for j := range b.Rows() {
		slot := b.Row(j)
		was, err := d.cx.Changes(d, d.table.Physical, keys[slot])
		switch {
		case err != nil:
			return nil, err
		case was != nil && how != nil && how.Merge:
			return nil, sqlerr.New(sqlerr.CardinalityViolation, "MERGE command cannot affect row a second time").
				WithHint("Ensure that not more than one source row matches any one target row.")
		case was == nil || was == d:
			sel = append(sel, uint16(slot))
		}
	}
	return &vec.Batch{Cols: b.Cols, N: b.N, Sel: sel}, nil
}

// told says in err's DETAIL how much was written, where that stays.
func (d *dml) told(err error) error {
	alone := !d.cx.InTxn()
	written := d.written
	var pe *storage.PartialError
	if alone && errors.As(err, &pe) {
		written += int64(pe.Written)
	}
	if written == 0 || !alone && !d.flushed {
		return err
	}
	e := op.SQLError(d.cx.Ctx, err, []*catalog.Table{d.table})
	if d.flushed {
		c := *e
		return (&c).WithDetail("%s", op.JoinText(e.Detail, "Rows committed in earlier parts stay written."))
	}
	return op.PartlyWritten(e, written)
}

// wrote counts rows written and keeps what RETURNING gives of them. row has the
// table's columns first.
func (d *dml) wrote(row *vec.Batch) error {
	d.written += int64(row.Rows())
	if len(d.returning) == 0 {
		return nil
	}
	if err := d.result(row); err != nil {
		return err
	}
	return d.spool.Add(&d.ret)
}

func (d *dml) result(row *vec.Batch) error {
	for i, p := range d.returning {
		v, err := p.Eval(d.cx.Env, row)
		if err != nil {
			return err
		}
		d.ret.Cols[i] = v
	}
	d.ret.N, d.ret.Sel = row.N, row.Sel
	return nil
}

// laterRow is a row of RETURNING that waits for those before it.
type laterRow struct {
	at  int // the slot of the input row
	row []byte
}

// wroteAt is wrote for rows that are not written in the order of the input: at
// gives the input's slot for a slot of row. inOrder puts them out.
func (d *dml) wroteAt(row *vec.Batch, at func(slot int) int) error {
	d.written += int64(row.Rows())
	if len(d.returning) == 0 {
		return nil
	}
	if err := d.result(row); err != nil {
		return err
	}
	for i := range row.Rows() {
		slot := row.Row(i)
		d.later = append(d.later, laterRow{at(slot), spill.AppendRow(nil, d.ret.Cols, slot)})
	}
	return nil
}

func sameSlot(slot int) int { return slot }

// inOrder gives RETURNING the rows of a batch, in the order of the input.
func (d *dml) inOrder() error {
	slices.SortStableFunc(d.later, func(a, b laterRow) int { return a.at - b.at })
	for _, r := range d.later {
		if err := d.spool.AddRow(r.row); err != nil {
			return err
		}
	}
	d.later = d.later[:0]
	return nil
}

func (d *dml) Close() error {
	d.spool.Close()
	return d.in.Close()
}

// maxShown is how much of a value an error shows, as in Postgres.
const maxShown = 64
