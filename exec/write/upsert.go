package write

import (
	"slices"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// upsert overwrites the named columns of rows, whether they exist or not.
//
//	Blind        one write, nothing read
//	Conditional  one conditional write: a row that exists gets the named
//	             columns, a new one the defaults too, or is refused
//	CheckAbsent  ON DUPLICATE KEY IGNORE: written only if it does not exist
//	ReadFirst    the old row is read and changed by compare-and-set
type upsert struct {
	dml
	n        *plan.Upsert
	checks   *checks
	defaults []*eval.Prog
	whole    bool  // every column is named
	cells    []int // of the schema: the named columns outside the key
	up       *updater

	row     vec.Batch // of the table's columns: a new row
	nulls   []*vec.Vec
	vals    []*vec.Vec // per cells
	rows    []storage.RowMutation
	conds   []storage.CondMutation
	matched []bool
	slots   []uint16
	sel     []uint16
}

// NewUpsert makes the operator of an Upsert.
func NewUpsert(n *plan.Upsert, in op.Operator) (op.Operator, error) {
	u := &upsert{n: n, whole: len(n.Named) == len(n.Table.Columns)}
	if err := u.init(n, n.Table, in, n.Returning); err != nil {
		return nil, err
	}
	var err error
	if u.checks, err = newChecks(n.Table, n.RowRules); err != nil {
		return nil, err
	}
	for _, s := range n.Defaults {
		p, err := eval.Compile(s.Value)
		if err != nil {
			return nil, err
		}
		u.defaults = append(u.defaults, p)
	}
	set := n.Set
	for i, c := range n.Named {
		if at := u.w.cellOf[c]; at >= 0 {
			u.cells = append(u.cells, at)
			if len(n.Set) == 0 {
				// Without a SET list, an old row gets the named columns: they stand behind
				// the table's in the batch that the updater sees.
				set = append(set, plan.SetColumn{Column: c, Value: &expr.Col{Index: len(n.Table.Columns) + i, T: n.Table.Columns[c].Type}})
			}
		}
	}
	if u.up, err = newUpdater(&u.dml, set, n.RowRules); err != nil {
		return nil, err
	}
	for i := range n.Table.Columns {
		u.nulls = append(u.nulls, vec.New(n.Table.Columns[i].Type))
	}
	u.batch = u.upsert
	return u, nil
}

func (u *upsert) Open(cx *op.Context) error {
	if err := refused(cx, u.n.Table, u.n.Refused); err != nil {
		return err
	}
	return u.dml.Open(cx)
}

func (u *upsert) upsert(b *vec.Batch) error {
	if err := u.newRow(b); err != nil {
		return err
	}
	u.w.begin()
	switch {
	case u.n.Mode == plan.ReadFirst:
		return u.readFirst(b)
	case u.n.Mode == plan.Blind:
		return u.blind()
	}
	return u.conditional()
}

// newRow makes the row that is written where none exists: the named columns, the
// defaults, and NULL.
func (u *upsert) newRow(b *vec.Batch) error {
	u.row.Cols = append(u.row.Cols[:0], u.nulls...)
	u.row.N, u.row.Sel = b.N, b.Sel
	u.vals = u.vals[:0]
	for i, c := range u.n.Named {
		u.row.Cols[c] = b.Cols[i]
		if u.w.cellOf[c] >= 0 {
			u.vals = append(u.vals, b.Cols[i])
		}
	}
	for i, s := range u.n.Defaults {
		v, err := u.defaults[i].Eval(u.cx.Env, b)
		if err != nil {
			return err
		}
		u.row.Cols[s.Column] = v
	}
	for c, v := range u.row.Cols {
		if v != u.nulls[c] {
			continue
		}
		v.Resize(b.N)
		for i := range b.N {
			v.Nulls.Set(i)
		}
	}
	if u.n.Mode != plan.ReadFirst {
		if err := u.checks.complete(u.cx, &u.row); err != nil {
			return err
		}
	} else if len(u.n.Set) == 0 || len(u.checks.generated) > 0 {
		return u.notNulls() // the constraints are on the row that comes of it
	}
	return u.checks.test(u.cx, &u.row, u.n.Named)
}

// notNulls tests the named columns alone.
func (u *upsert) notNulls() error {
	only := checks{table: u.table}
	return only.test(u.cx, &u.row, u.n.Named)
}

func (u *upsert) blind() error {
	u.rows = u.rows[:0]
	now := u.w.clock.Now()
	for j := range u.row.Rows() {
		slot := u.row.Row(j)
		key, err := u.w.key(u.row.Cols, slot)
		if err != nil {
			return err
		}
		muts, err := u.overwrite(slot, u.w.stampAt(key, now))
		if err != nil {
			return err
		}
		u.rows = append(u.rows, storage.RowMutation{Key: key, Mutations: muts})
	}
	if err := u.write(); err != nil {
		return err
	}
	return u.wrote(&u.row)
}

func (u *upsert) write() error {
	if u.replaces() {
		load, err := u.bulk(&u.row, false)
		if err != nil {
			return err
		}
		if load != nil {
			if err := u.w.pace(); err != nil {
				return err
			}
			u.w.work.StorageCalls++
			err := load.Replace(u.cx.Ctx, u.rows)
			heatOfRows(&u.w.heat, u.rows, err)
			return err
		}
	}
	return u.w.mutate(u.rows)
}

// replaces says that nothing of an old row is left.
// Other programs may keep cells of their own in a row of an attached table.
func (u *upsert) replaces() bool {
	return u.whole && u.table.Options.Versions <= 1 && !u.table.Adopted
}

// overwrite makes the mutations that set the named columns.
func (u *upsert) overwrite(slot int, ts int64) ([]storage.Mutation, error) {
	// A whole row may replace what is stored, unless older versions are kept.
	if u.replaces() {
		return u.w.row(u.row.Cols, slot, ts, true)
	}
	if u.whole && u.w.packed {
		return u.w.row(u.row.Cols, slot, ts, false)
	}
	return u.w.update(u.cells, u.vals, slot, ts, nil, 0)
}

func (u *upsert) conditional() error {
	u.conds, u.slots = u.conds[:0], u.slots[:0]
	now := u.w.clock.Now()
	for j := range u.row.Rows() {
		slot := u.row.Row(j)
		key, err := u.w.key(u.row.Cols, slot)
		if err != nil {
			return err
		}
		ts := u.w.stampAt(key, now)
		c := storage.CondMutation{Key: key, Cond: u.w.present()}
		if !u.n.OnDuplicateIgnore {
			if c.Then, err = u.overwrite(slot, ts); err != nil {
				return err
			}
		}
		if len(u.n.Required) == 0 {
			if c.Else, err = u.w.newRow(u.row.Cols, slot, ts); err != nil {
				return err
			}
		}
		u.conds = append(u.conds, c)
		u.slots = append(u.slots, uint16(slot))
	}
	u.matched = boolsOf(u.matched, len(u.conds))
	err := u.w.write(u.conds, u.matched, nil, &u.row, u.slots)
	sel := u.sel[:0]
	for k, slot := range u.slots {
		if err != nil && !u.matched[k] {
			continue // not known
		}
		if !u.matched[k] && len(u.n.Required) > 0 {
			return notNull(u.cx, u.table, u.n.Required[0], &u.row, int(slot))
		}
		if !u.matched[k] || !u.n.OnDuplicateIgnore {
			sel = append(sel, slot)
		}
	}
	u.sel = sel
	if err != nil {
		u.written += int64(len(sel))
		return err
	}
	if err := u.w.indexes.change(nil, &u.row, sel); err != nil || len(sel) == 0 {
		return err
	}
	u.row.Sel = sel
	return u.wrote(&u.row)
}

// readFirst reads the old rows and updates those that exist, inserts the others,
// until each is done. Rows of one key are done one after another.
func (u *upsert) readFirst(b *vec.Batch) error {
	pending := make(map[string][]uint16, b.Rows()) // slots of a key, in order
	var keys [][]byte
	for j := range b.Rows() {
		slot := b.Row(j)
		key, err := u.w.key(u.row.Cols, slot)
		if err != nil {
			return err
		}
		if len(pending[string(key)]) == 0 {
			keys = append(keys, append([]byte(nil), key...))
		}
		pending[string(key)] = append(pending[string(key)], uint16(slot))
	}
	for try := 0; len(keys) > 0; try++ {
		if try > 1 {
			if err := storage.Pause(u.cx.Ctx, min(try, 3), retryUnit/8); err != nil {
				return storage.CtxError(storage.OpCheckAndMutate, u.table.Physical, err)
			}
		}
		missed, err := u.attempt(b, keys, pending)
		if err != nil {
			return err
		}
		again := map[string]bool{}
		for _, k := range missed {
			again[string(k)] = true
		}
		next := keys[:0]
		for _, k := range keys {
			if !again[string(k)] {
				pending[string(k)] = pending[string(k)][1:]
			}
			if len(pending[string(k)]) > 0 {
				next = append(next, k)
			}
		}
		keys = next
	}
	return nil
}

// attempt does the first pending row of each key and gives the keys that changed
// under it.
func (u *upsert) attempt(b *vec.Batch, keys [][]byte, pending map[string][]uint16) (missed [][]byte, err error) {
	old, err := u.up.reader.read(keys)
	if err != nil {
		return nil, err
	}
	var fresh [][]byte
	for _, k := range keys {
		if old == nil || u.up.reader.find(k) < 0 {
			fresh = append(fresh, k)
		}
	}
	if old != nil {
		both := &vec.Batch{Cols: append([]*vec.Vec(nil), old.Cols[:len(u.table.Columns)]...), N: old.N}
		for i, c := range u.n.Named {
			v := vec.New(u.table.Columns[c].Type)
			v.Resize(old.N)
			for s := range old.N {
				vec.CopySlot(v, s, b.Cols[i], int(pending[string(u.up.reader.rb.Key(s))][0]))
			}
			both.Cols = append(both.Cols, v)
		}
		at := func(s int) int { return int(pending[string(u.up.reader.rb.Key(s))][0]) }
		if missed, err = u.up.update(both, old, at); err != nil {
			return nil, err
		}
	}
	if len(fresh) == 0 {
		return missed, nil
	}
	again, err := u.insertFresh(fresh, pending)
	return append(missed, again...), err
}

func (u *upsert) insertFresh(keys [][]byte, pending map[string][]uint16) (again [][]byte, err error) {
	// A key's later rows stand in no order; a selection ascends.
	slices.SortFunc(keys, func(a, b []byte) int { return int(pending[string(a)][0]) - int(pending[string(b)][0]) })
	part := &vec.Batch{Cols: slices.Clone(u.row.Cols), N: u.row.N}
	for _, k := range keys {
		part.Sel = append(part.Sel, pending[string(k)][0])
	}
	if len(u.n.Required) > 0 {
		return nil, notNull(u.cx, u.table, u.n.Required[0], part, int(part.Sel[0]))
	}
	if err := u.checks.complete(u.cx, part); err != nil {
		return nil, err
	}
	if err := u.checks.test(u.cx, part, nil); err != nil {
		return nil, err
	}
	u.w.begin()
	u.conds = u.conds[:0]
	for i, k := range keys {
		muts, err := u.w.newRow(part.Cols, int(part.Sel[i]), u.w.stamp(k, 0))
		if err != nil {
			return nil, err
		}
		u.conds = append(u.conds, storage.CondMutation{Key: k, Cond: u.w.absent(), Then: muts})
	}
	u.matched = boolsOf(u.matched, len(u.conds))
	err = u.w.write(u.conds, u.matched, nil, part, part.Sel)
	var sel []uint16
	for i, k := range keys {
		if u.matched[i] {
			sel = append(sel, part.Sel[i])
		} else {
			again = append(again, k)
		}
	}
	if err != nil {
		u.written += int64(len(sel))
		return nil, err
	}
	if err := u.w.indexes.change(nil, part, sel); err != nil || len(sel) == 0 {
		return again, err
	}
	part.Sel = sel
	return again, u.wroteAt(part, sameSlot)
}
