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
	"github.com/saltsql/saltsql/internal/types"
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
//     so does every other write: the row expires at one time (see catalog/ttl.go).
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
	load    *txn.Load // once the statement is known to be a bulk load
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
	d.cx, d.written, d.flushed, d.done, d.load = cx, 0, false, false, nil
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

// mustStage says that the statement could read what it writes itself: it reads its own
// table without a snapshot, and not only the rows it changes, before it changes them.
func (d *dml) mustStage() bool {
	if d.cx.Caps().Snapshots {
		return false
	}
	reads := reads{table: d.table.ID}
	reads.look(d.n)
	switch n := d.n.(type) {
	case *plan.Update:
		return n.MovesKey || reads.entries || n.Again != nil && reads.n > 1
	case *plan.Delete:
		return n.Again != nil && reads.n > 1
	}
	return reads.n > 0
}

// reads counts where in a plan a table may be read.
type reads struct {
	table   uint32
	n       int
	entries bool // of an index, where a row that has changed may come again
}

func (r *reads) look(n plan.Node) {
	switch n := n.(type) {
	case *plan.Scan:
		if n.Table.ID == r.table {
			r.n++
		}
		if n.Of != nil && n.Of.ID == r.table {
			r.n, r.entries = r.n+1, true
		}
	case *plan.LookupJoin:
		if n.Right.Table.ID == r.table {
			r.n++
		}
	case *plan.WithScan:
		r.n++ // what it reads stands elsewhere
	}
	for _, in := range n.Inputs() {
		r.look(in)
	}
}

func (d *dml) runStaged() error {
	var all spill.Spool
	all.Open(d.cx)
	defer all.Close()
	for {
		b, err := d.in.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = all.Add(b)
		}
		if err != nil {
			return err
		}
	}
	if err := d.in.Close(); err != nil {
		return err
	}
	if err := all.Rewind(); err != nil {
		return err
	}
	b := vec.NewBatch(op.TypesOf(d.n.Inputs()[0]))
	for {
		err := all.Fill(b)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = d.write(b)
		}
		if err != nil {
			return err
		}
	}
}

const (
	bulkBatch = 512  // rows in one batch that make a statement a bulk load
	bulkRows  = 2048 // rows written by smaller ones
	bulkBytes = 8 << 20
)

// bulk gives the load that the rows of b belong to, where the statement writes
// many whole rows, commits by itself and the store takes loads; else nil.
func (d *dml) bulk(b *vec.Batch, unique bool) (*txn.Load, error) {
	t := d.cx.ImplicitTxn()
	if d.w.indexes != nil {
		return nil, nil // a load is of one table
	}
	if d.load != nil || t == nil || d.cx.Together() || b.Rows() < bulkBatch && d.written < bulkRows && t.Bytes() < bulkBytes {
		return d.load, nil
	}
	var err error
	d.load, err = t.Load(d.cx.Ctx, d.table.Physical, unique)
	return d.load, err
}

// flush commits a part of a load that is too large to be one transaction.
func (d *dml) flush() error {
	t := d.cx.ImplicitTxn()
	if t == nil || !d.cx.Settings.Chunked || d.cx.Together() || t.Bytes() < d.cx.ChunkBytes() {
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
				return d.w.duplicateKey(dup.Key, d.cx.Env)
			}
			return err
		}
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

// checks make the rows of a batch what a table's rows are: they compute the generated columns,
// and test the constraints. What they compute is good until they are used again.
type checks struct {
	table     *catalog.Table
	generated []*eval.Prog
	into      []int // columns, per generated
	progs     []*eval.Prog
	names     []string
	views     []bool // names has that of a view
}

func newChecks(t *catalog.Table, rules plan.RowRules) (*checks, error) {
	c := &checks{table: t}
	for _, g := range rules.Generated {
		p, err := eval.Compile(g.Value)
		if err != nil {
			return nil, err
		}
		c.generated, c.into = append(c.generated, p), append(c.into, g.Column)
	}
	for _, k := range rules.Checks {
		p, err := eval.Compile(k.Cond)
		if err != nil {
			return nil, err
		}
		c.progs, c.names, c.views = append(c.progs, p), append(c.names, k.Name), append(c.views, k.View)
	}
	return c, nil
}

// complete computes the generated columns of the rows of a batch.
func (c *checks) complete(cx *op.Context, row *vec.Batch) error {
	for i, p := range c.generated {
		v, err := p.Eval(cx.Env, row)
		if err != nil {
			cx.FindFailed(row, func(one *vec.Batch) error { _, err := p.Eval(cx.Env, one); return err })
			return err
		}
		row.Cols[c.into[i]] = v
	}
	return nil
}

// test fails for the first row, by constraint, that breaks one. only, where not
// nil, limits NOT NULL to those columns and the generated ones.
func (c *checks) test(cx *op.Context, row *vec.Batch, only []int) error {
	for i := range row.Cols[:len(c.table.Columns)] {
		if !c.table.Columns[i].NotNull || !row.Cols[i].Nulls.Any() || only != nil && !containsInt(only, i) && !containsInt(c.into, i) {
			continue
		}
		for j := range row.Rows() {
			if slot := row.Row(j); row.Cols[i].Nulls.Get(slot) {
				cx.FailAt(slot)
				return notNull(cx, c.table, i, row, slot)
			}
		}
	}
	for i, p := range c.progs {
		v, err := p.Eval(cx.Env, row)
		if err != nil {
			cx.FindFailed(row, func(one *vec.Batch) error { _, err := p.Eval(cx.Env, one); return err })
			return err
		}
		for j := range row.Rows() {
			slot := row.Row(j)
			if null := v.Nulls.Get(slot); null && !c.views[i] || !null && v.Bools[slot] {
				continue
			}
			cx.FailAt(slot)
			if c.views[i] {
				return sqlerr.New(sqlerr.WithCheckOptionViolation, "new row violates check option for view %q", c.names[i]).
					WithDetail("%s", failingRow(cx, c.table, row, slot))
			}
			return sqlerr.New(sqlerr.CheckViolation, "new row for relation %q violates check constraint %q", c.table.Name, c.names[i]).
				WithDetail("%s", failingRow(cx, c.table, row, slot)).
				WithConstraint(c.table.Name, c.names[i]).InSchema(c.table.Schema)
		}
	}
	return nil
}

func containsInt(list []int, v int) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

func notNull(cx *op.Context, t *catalog.Table, col int, row *vec.Batch, slot int) error {
	name := t.Columns[col].Name
	return sqlerr.New(sqlerr.NotNullViolation, "null value in column %q of relation %q violates not-null constraint", name, t.Name).
		WithDetail("%s", failingRow(cx, t, row, slot)).WithColumn(t.Name, name).InSchema(t.Schema)
}

// maxShown is how much of a value an error shows, as in Postgres.
const maxShown = 64

// failingRow prints a row as PostgreSQL shows failing ones. Where not all of it may be shown it
// names the columns, and where nothing may it is empty.
//
//	Failing row contains (1, hush, -1).
//	Failing row contains (k, n) = (1, -1).
func failingRow(cx *op.Context, t *catalog.Table, row *vec.Batch, slot int) string {
	var shown []bool
	if cx.Shown != nil {
		shown = cx.Shown(t)
	}
	names, b := appendRow(nil, nil, t, row, slot, shown, cx.Env)
	switch {
	case shown == nil:
		return "Failing row contains (" + string(b) + ")."
	case len(names) == 0:
		return ""
	}
	return "Failing row contains (" + string(names) + ") = (" + string(b) + ")."
}

// appendRow appends the names of a row's columns and their values; all where shown is nil.
func appendRow(names, b []byte, t *catalog.Table, row *vec.Batch, slot int, shown []bool, env *expr.Env) ([]byte, []byte) {
	for i := range t.Visible() {
		if shown != nil && !shown[i] {
			continue
		}
		if len(names) > 0 {
			names, b = append(names, ", "...), append(b, ", "...)
		}
		names = append(names, t.Columns[i].Name...)
		if i < len(row.Cols) {
			b = appendShown(b, t.Columns[i].Type, row.Cols[i].Datum(slot), env)
		}
	}
	return names, b
}

func appendShown(b []byte, t types.T, d types.Datum, env *expr.Env) []byte {
	if d.Null {
		return append(b, "null"...)
	}
	at := len(b)
	b = types.AppendText(b, t, d, ioEnv(env))
	if len(b)-at <= maxShown {
		return b
	}
	end := at + maxShown
	for end > at && b[end]&0xc0 == 0x80 { // not inside a character
		end--
	}
	return append(b[:end], "..."...)
}

func ioEnv(env *expr.Env) *types.IOEnv {
	if env == nil {
		return nil
	}
	return &types.IOEnv{TimeZone: env.TimeZone}
}
