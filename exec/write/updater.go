package write

import (
	"time"

	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// retryUnit is about how long a lost race is waited out at first.
const retryUnit = 500 * time.Microsecond

// updater assigns columns to rows whose old state was read, each by a
// compare-and-set: UPDATE's, ON CONFLICT's and UPSERT's changes of old rows.
type updater struct {
	d      *dml
	set    []*eval.Prog
	cols   []int // of the table, per set
	cells  []int // of the schema: those written
	from   []int // columns of the new row, per cells
	checks *checks
	reader rowReader

	row     vec.Batch  // the new row
	vals    []*vec.Vec // per cells
	conds   []storage.CondMutation
	matched []bool
	slots   []uint16
	sel     []uint16
}

func newUpdater(d *dml, set []plan.SetColumn, rules plan.RowRules) (*updater, error) {
	u := &updater{d: d}
	var err error
	if u.checks, err = newChecks(d.table, rules); err != nil {
		return nil, err
	}
	at := func(col int) {
		if cell := d.w.cellOf[col]; cell >= 0 {
			u.cells, u.from = append(u.cells, cell), append(u.from, col)
		}
	}
	for _, s := range set {
		p, err := eval.Compile(s.Value)
		if err != nil {
			return nil, err
		}
		u.set, u.cols = append(u.set, p), append(u.cols, s.Column)
		if d.table.Options.TTL == 0 {
			at(s.Column)
		}
	}
	if d.table.Options.TTL == 0 {
		for _, col := range u.checks.into {
			at(col)
		}
	} else {
		// All cells expire together.
		for i := range d.table.Columns {
			at(i)
		}
	}
	return u, u.reader.init(d.table, &d.w)
}

// assign makes the new row of in's rows, whose first columns are the table's; the others
// stay beside it.
func (u *updater) assign(in *vec.Batch) error {
	u.row.Cols = append(u.row.Cols[:0], in.Cols...)
	u.row.N, u.row.Sel = in.N, in.Sel
	for i, p := range u.set {
		v, err := p.Eval(u.d.cx.Env, in)
		if err != nil {
			return err
		}
		u.row.Cols[u.cols[i]] = v
	}
	if err := u.checks.complete(u.d.cx, &u.row); err != nil {
		return err
	}
	u.vals = u.vals[:0]
	for _, col := range u.from {
		u.vals = append(u.vals, u.row.Cols[col])
	}
	return u.checks.test(u.d.cx, &u.row, u.cols)
}

// update writes the selected rows of in. old holds the rows as read, with their
// key and version behind the table's columns; its slots are in's. It gives the keys
// of rows that changed since, which are not written. at, where not nil, gives the place of
// RETURNING's rows in the statement's input.
func (u *updater) update(in, old *vec.Batch, at func(slot int) int) (missed [][]byte, err error) {
	if err := u.assign(in); err != nil {
		return nil, err
	}
	w := &u.d.w
	w.begin()
	n := len(u.d.table.Columns)
	keys, versions := old.Cols[n].Bytes, old.Cols[n+1].Ints
	u.conds, u.slots = u.conds[:0], u.slots[:0]
	for j := range in.Rows() {
		slot := in.Row(j)
		ts := w.stamp(keys[slot], versions[slot])
		muts, err := w.update(u.cells, u.vals, slot, ts, &u.reader, slot)
		if err != nil {
			return nil, err
		}
		u.conds = append(u.conds, storage.CondMutation{Key: keys[slot], Cond: w.unchanged(versions[slot]), Then: muts})
		u.slots = append(u.slots, uint16(slot))
	}
	u.matched = boolsOf(u.matched, len(u.conds))
	err = w.write(u.conds, u.matched, in, &u.row, u.slots)
	sel := u.sel[:0]
	for k, slot := range u.slots {
		if u.matched[k] {
			sel = append(sel, slot)
		} else if err == nil {
			missed = append(missed, append([]byte(nil), keys[slot]...))
		}
	}
	u.sel = sel
	if err != nil {
		u.d.written += int64(len(sel))
		return nil, err
	}
	if err := w.indexes.change(in, &u.row, sel); err != nil {
		return nil, err
	}
	if len(sel) > 0 {
		u.row.Sel = sel
		if at == nil {
			err = u.d.wrote(&u.row)
		} else {
			err = u.d.wroteAt(&u.row, at)
		}
	}
	return missed, err
}
