package write

import (
	"bytes"
	"errors"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// insert writes rows that must not exist: one conditional write each. With ON
// CONFLICT DO UPDATE a row that exists is read and changed by compare-and-set.
type insert struct {
	dml
	n       *plan.Insert
	checks  *checks
	row     vec.Batch // the input's, with generated columns
	up      *updater  // DO UPDATE
	where   *eval.Prog
	conds   []storage.CondMutation
	matched []bool
	slots   []uint16 // of conds
	sel     []uint16
	touched map[string]struct{} // keys this statement wrote, for DO UPDATE
	hold    memory.Share        // of touched
	rows    []storage.RowMutation
}

// NewInsert makes the operator of an Insert.
func NewInsert(n *plan.Insert, in op.Operator) (op.Operator, error) {
	i := &insert{n: n}
	if err := i.init(n, n.Table, in, n.Returning); err != nil {
		return nil, err
	}
	var err error
	if i.checks, err = newChecks(n.Table, n.RowRules); err != nil {
		return nil, err
	}
	if n.OnConflict == plan.ConflictUpdate {
		if i.up, err = newUpdater(&i.dml, n.Set, n.RowRules); err != nil {
			return nil, err
		}
		if n.Where != nil {
			if i.where, err = eval.Compile(n.Where); err != nil {
				return nil, err
			}
		}
	}
	i.batch = i.insert
	return i, nil
}

func (i *insert) Open(cx *op.Context) error {
	if err := refused(cx, i.n.Table, i.n.Refused); err != nil {
		return err
	}
	i.touched = nil
	if i.up != nil {
		i.touched, i.hold = map[string]struct{}{}, memory.Of(cx.Memory, false)
	}
	return i.dml.Open(cx)
}

// refused gives an error of the plan as the statement's own. It shows a row to who may see
// all of it.
func refused(cx *op.Context, t *catalog.Table, e *sqlerr.Error) error {
	if e == nil {
		return nil
	}
	own := *e
	if cx.Shown != nil && cx.Shown(t) != nil {
		own.Detail = ""
	}
	return &own
}

func (i *insert) insert(b *vec.Batch) error {
	if len(i.checks.generated) > 0 {
		i.row.Cols = append(i.row.Cols[:0], b.Cols...)
		i.row.N, i.row.Sel = b.N, b.Sel
		b = &i.row
		if err := i.checks.complete(i.cx, b); err != nil {
			return err
		}
	}
	if err := i.checks.test(i.cx, b, nil); err != nil {
		return err
	}
	if i.n.OnConflict != plan.ConflictError && i.n.Arbitrates() {
		return i.arbitrate(b)
	}
	if err := i.build(b); err != nil {
		return err
	}
	if i.n.OnConflict == plan.ConflictError {
		if load, err := i.bulk(b, true); load != nil || err != nil {
			return i.loadRows(load, b, err)
		}
	}
	if err := i.repeated(b); err != nil {
		return err
	}
	sel := i.sel[:0]
	if err := i.apply(b, &sel); err != nil {
		i.written += int64(len(sel))
		var there *txn.ExistsError
		if i.n.OnConflict == plan.ConflictError && errors.As(err, &there) {
			// An INSERT sees keys that its snapshot does not.
			at := slices.Index(i.matched[:there.Row+1], false)
			return i.w.uniqueViolation(b.Cols, int(i.slots[at]), i.cx.Env)
		}
		return err
	}
	var missed []uint16
	for k, slot := range i.slots {
		if i.matched[k] {
			if i.touched != nil {
				if err := i.touch(i.conds[k].Key); err != nil {
					i.written += int64(len(sel))
					return err
				}
			}
		} else if i.n.OnConflict == plan.ConflictUpdate {
			missed = append(missed, uint16(k))
		} else if i.n.OnConflict == plan.ConflictError {
			i.written += int64(len(sel))
			return i.w.uniqueViolation(b.Cols, int(slot), i.cx.Env)
		}
	}
	i.sel = sel
	if err := i.w.indexes.change(nil, b, sel); err != nil {
		return err
	}
	if len(sel) > 0 {
		row := &vec.Batch{Cols: b.Cols, N: b.N, Sel: sel}
		var err error
		if len(missed) > 0 {
			err = i.wroteAt(row, sameSlot)
		} else {
			err = i.wrote(row)
		}
		if err != nil {
			return err
		}
	}
	if len(missed) > 0 {
		return i.conflicts(b, missed)
	}
	return nil
}

// loadRows is the rest of insert for a bulk load.
func (i *insert) loadRows(load *txn.Load, b *vec.Batch, err error) error {
	if err != nil {
		return err
	}
	i.rows = i.rows[:0]
	for k := range i.conds {
		i.rows = append(i.rows, storage.RowMutation{Key: i.conds[k].Key, Mutations: i.conds[k].Then})
	}
	if err := i.w.pace(); err != nil {
		return err
	}
	i.w.work.StorageCalls++
	exists, err := load.Insert(i.cx.Ctx, i.rows, i.w.minTS)
	if err != nil {
		return err
	}
	if exists >= 0 {
		return i.w.uniqueViolation(b.Cols, int(i.slots[exists]), i.cx.Env)
	}
	heatOfRows(&i.w.heat, i.rows, nil)
	if err := i.w.indexes.load(i.entries, b, i.slots); err != nil {
		return err
	}
	return i.wrote(b)
}

// apply makes the writes and appends the slots of rows written.
func (i *insert) apply(b *vec.Batch, sel *[]uint16) error {
	i.matched = boolsOf(i.matched, len(i.conds))
	err := i.w.write(i.conds, i.matched, nil, b, i.slots)
	for k, slot := range i.slots {
		if i.matched[k] {
			*sel = append(*sel, slot)
		}
	}
	return err
}

func boolsOf(b []bool, n int) []bool {
	if cap(b) < n {
		return make([]bool, n)
	}
	b = b[:n]
	clear(b)
	return b
}

func (i *insert) build(b *vec.Batch) error {
	i.w.begin()
	i.conds, i.slots = i.conds[:0], i.slots[:0]
	now := i.w.clock.Now()
	for j := range b.Rows() {
		slot := b.Row(j)
		key, err := i.w.key(b.Cols, slot)
		if err != nil {
			return err
		}
		muts, err := i.w.newRow(b.Cols, slot, i.w.stampAt(key, now))
		if err != nil {
			return err
		}
		i.conds = append(i.conds, storage.CondMutation{Key: key, Cond: i.w.absent(), Then: muts})
		i.slots = append(i.slots, uint16(slot))
	}
	return nil
}

// repeated finds a key that a batch has twice before anything is written, where
// that could not be taken back.
func (i *insert) repeated(b *vec.Batch) error {
	if len(i.conds) < 2 || i.cx.Caps().AtomicBatch || i.n.OnConflict == plan.ConflictNothing {
		return nil
	}
	seen := make(map[string]struct{}, len(i.conds))
	for k := range i.conds {
		if _, twice := seen[string(i.conds[k].Key)]; twice {
			if i.n.OnConflict == plan.ConflictUpdate {
				return secondTime()
			}
			return i.w.uniqueViolation(b.Cols, int(i.slots[k]), i.cx.Env)
		}
		seen[string(i.conds[k].Key)] = struct{}{}
	}
	return nil
}

func secondTime() error {
	return sqlerr.New(sqlerr.CardinalityViolation, "ON CONFLICT DO UPDATE command cannot affect row a second time").
		WithHint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")
}

// perTouched is what a key in touched costs beside its bytes, in bytes.
const perTouched = 64

// touch remembers a key that the statement has written.
func (i *insert) touch(key []byte) error {
	if err := i.hold.MustTo(i.hold.Bytes() + perTouched + int64(len(key))); err != nil {
		return err
	}
	i.touched[string(key)] = struct{}{}
	return nil
}

// conflicts does what DO UPDATE says for the rows (of conds) that exist.
func (i *insert) conflicts(b *vec.Batch, rows []uint16) error {
	keys := make([][]byte, len(rows))
	slotOf := make(map[string]int, len(rows))
	for k, c := range rows {
		key := append([]byte(nil), i.conds[c].Key...)
		if _, twice := i.touched[string(key)]; twice {
			return secondTime()
		}
		if err := i.touch(key); err != nil {
			return err
		}
		keys[k] = key
		slotOf[string(key)] = int(i.slots[c])
	}
	return i.update(b, keys, slotOf)
}

// update does what DO UPDATE says for the rows of keys, each for the slot that slotOf gives.
func (i *insert) update(b *vec.Batch, keys [][]byte, slotOf map[string]int) error {
	for try := 0; len(keys) > 0; try++ {
		if err := i.pause(try); err != nil {
			return err
		}
		gone, missed, err := i.updateOld(b, keys, slotOf)
		if err != nil {
			return err
		}
		again, err := i.insertGone(b, gone, slotOf)
		if err != nil {
			return err
		}
		keys = append(missed, again...)
	}
	return nil
}

// pause comes before a row is tried again that others write, too.
func (i *insert) pause(try int) error {
	if try < 2 {
		return nil
	}
	if err := storage.Pause(i.cx.Ctx, try, retryUnit); err != nil {
		return storage.CtxError(storage.OpCheckAndMutate, i.table.Physical, err)
	}
	return nil
}

// updateOld updates the rows of keys. gone lists those that are not there any more,
// missed those that changed under it.
func (i *insert) updateOld(b *vec.Batch, keys [][]byte, slotOf map[string]int) (gone, missed [][]byte, err error) {
	old, err := i.up.reader.read(keys)
	if err != nil {
		return nil, nil, err
	}
	for _, k := range keys {
		if old == nil || i.up.reader.find(k) < 0 {
			gone = append(gone, k)
		}
	}
	if old == nil {
		return gone, nil, nil
	}
	n := len(i.table.Columns)
	for s := 0; s < old.N && len(i.n.Seen) > 0; s++ {
		if !i.asSeen(old, s, b, slotOf[string(i.up.reader.rb.Key(s))]) {
			return nil, nil, txn.ErrSerialization
		}
	}
	// Set and Where are over the old row's columns, then the input's.
	both := &vec.Batch{Cols: append([]*vec.Vec(nil), old.Cols[:n]...), N: old.N}
	for _, from := range b.Cols {
		v := vec.New(from.Type)
		v.Resize(old.N)
		for s := range old.N {
			vec.CopySlot(v, s, from, slotOf[string(i.up.reader.rb.Key(s))])
		}
		both.Cols = append(both.Cols, v)
	}
	if i.where != nil {
		if both.Sel, err = i.where.Filter(i.cx.Env, both, nil); err != nil || len(both.Sel) == 0 {
			return gone, nil, err
		}
	}
	missed, err = i.up.update(both, old, func(s int) int { return slotOf[string(i.up.reader.rb.Key(s))] })
	return gone, missed, err
}

// asSeen says that an old row is the one for which the input has computed queries.
func (i *insert) asSeen(old *vec.Batch, row int, b *vec.Batch, slot int) bool {
	was := b.Cols[len(b.Cols)-len(i.n.Seen):]
	for k, c := range i.n.Seen {
		if !bytes.Equal(spill.AppendRow(nil, old.Cols[c:c+1], row), spill.AppendRow(nil, was[k:k+1], slot)) {
			return false
		}
	}
	return true
}

// insertGone inserts rows that were deleted in between; those that are there
// again are given back.
func (i *insert) insertGone(b *vec.Batch, keys [][]byte, slotOf map[string]int) (again [][]byte, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	// Keys that were missed come in the store's order; a selection ascends.
	slices.SortFunc(keys, func(a, b []byte) int { return slotOf[string(a)] - slotOf[string(b)] })
	part := &vec.Batch{Cols: b.Cols, N: b.N}
	for _, k := range keys {
		part.Sel = append(part.Sel, uint16(slotOf[string(k)]))
	}
	if err := i.build(part); err != nil {
		return nil, err
	}
	var sel []uint16
	if err := i.apply(part, &sel); err != nil {
		return nil, err
	}
	for k := range i.conds {
		if !i.matched[k] {
			again = append(again, keys[k])
		}
	}
	if err := i.w.indexes.change(nil, b, sel); err != nil || len(sel) == 0 {
		return again, err
	}
	return again, i.wroteAt(&vec.Batch{Cols: b.Cols, N: b.N, Sel: sel}, sameSlot)
}
