package txn

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/rowstate"
)

// Table is one table as a transaction sees it. Beside what every storage.Table does it writes many
// rows under conditions in one call (CheckAndMutateRows), locks rows (LockRows), and is told where a
// store that is not atomic over rows has versions (SetVersion) and entries of indexes (WriteEntries).
type Table struct {
	t    *Txn
	name string
	base storage.Table
}

var _ storage.Table = (*Table)(nil)

// Table gives a table as the transaction sees it.
func (t *Txn) Table(name string) *Table {
	return &Table{t: t, name: name, base: t.m.store.Table(name)}
}

// MultiGet implements storage.Table.
func (v *Table) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	if req == nil {
		req = &storage.ScanRequest{}
	}
	snap, seq, err := v.t.resolve(storage.OpMultiGet, v.name, req)
	if err != nil {
		return 0, err
	}
	if !v.t.buf.hasTable(v.name) {
		if snap != req.Snapshot {
			r := *req
			r.Snapshot = snap
			req = &r
		}
		return v.base.MultiGet(ctx, keys, req, dst)
	}
	if err := storage.CheckKeys(storage.OpMultiGet, v.name, keys); err != nil {
		return 0, err
	}
	was := dst.Len()
	calls, err := v.mergeGet(ctx, keys, req, snap, seq, dst)
	if err != nil {
		dst.Truncate(was)
	}
	return calls, err
}

// mergeGet reads the keys from the store without the request's filter, and
// without its hint, which is about rows as they were; it applies changes and
// filter itself.
func (v *Table) mergeGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, snap storage.Snapshot, seq int, dst *storage.RowBatch) (int, error) {
	base := *req
	base.Snapshot, base.Filter, base.Hint = snap, nil, nil
	base.KeysOnly, base.ValuesOnly, base.NoKeys, base.WithVersion = false, false, false, v.t.m.shared
	var rb storage.RowBatch
	calls, err := v.base.MultiGet(ctx, keys, &base, &rb)
	if err != nil {
		return calls, err
	}
	var row rowstate.Row
	at := 0
	for _, k := range keys {
		i := -1
		if at < rb.Len() && bytes.Equal(rb.Key(at), k) {
			i = at
			at++
		}
		var own []storage.Mutation
		r := v.t.buf.find(v.name, k)
		if r != nil {
			v.note(r, &base, &rb, i)
			own = v.t.buf.changesOf(r, seq, req.Versions)
		}
		if i < 0 && len(own) == 0 {
			continue
		}
		v.load(&row, r, &rb, i)
		row.Apply(own)
		if _, err := row.Emit(v.name, k, req, nil, dst); err != nil {
			return calls, err
		}
	}
	return calls, nil
}

// Mutate implements storage.Table: it locks the rows and buffers the changes.
// On an error some may have been buffered: the caller rolls back to its mark.
func (v *Table) Mutate(ctx context.Context, rows []storage.RowMutation, _ storage.WriteOptions) error {
	const op = storage.OpMutate
	if v.t.ended.Load() {
		return ErrEnded
	}
	if err := storage.CheckRows(op, v.name, rows); err != nil {
		return err
	}
	if err := v.lockUnchanged(ctx, op, len(rows), func(i int) []byte { return rows[i].Key }); err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		if err := v.add(r.Key, r.Mutations, nil); err != nil {
			return err
		}
	}
	return nil
}

// add buffers a change of a locked row, stamped anew where another write of the
// row was stamped since.
func (v *Table) add(key []byte, muts []storage.Mutation, cond *storage.Cond) error {
	var ts int64
	if v.t.m.atomic {
		if was := timestampOf(muts); was != 0 && !v.t.m.clock.Latest(key, was) {
			ts = v.t.m.clock.Next(key, was)
		}
	}
	return v.t.buf.add(v.name, key, muts, ts, cond)
}

// timestampOf gives the timestamp of a row's change: all its cells have one. 0 is
// none, or one that the store refuses.
func timestampOf(muts []storage.Mutation) int64 {
	for i := range muts {
		if ts := muts[i].Timestamp; muts[i].Op == storage.SetCell {
			if ts < 0 || ts%stepMicros != 0 {
				return 0
			}
			return ts
		}
	}
	return 0
}

// lockUnchanged locks n rows, which must be as in the transaction's snapshot: the
// first to commit wins.
func (v *Table) lockUnchanged(ctx context.Context, op string, n int, key func(int) []byte) error {
	changed, err := v.lockAll(ctx, op, n, key)
	if err == nil && len(changed) > 0 {
		err = ErrSerialization
	}
	return err
}

// lockAll locks n rows in key order, so that statements that write the same
// rows in different orders do not block each other. changed are those that are not as
// in the transaction's snapshot, where it has one and did not lock them before.
func (v *Table) lockAll(ctx context.Context, op string, n int, key func(int) []byte) (changed map[string]bool, err error) {
	if !v.t.m.atomic {
		return nil, ctxCheck(ctx, op, v.name)
	}
	if err := v.t.join(ctx, op, v.name); err != nil {
		return nil, err
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if n > 1 {
		slices.SortFunc(order, func(a, b int) int { return bytes.Compare(key(a), key(b)) })
	}
	var fresh [][]byte
	for _, i := range order {
		isFresh, _, err := v.t.lock(ctx, op, v.name, key(i))
		if err != nil {
			return nil, err
		}
		if isFresh && v.t.snap != nil {
			fresh = append(fresh, key(i))
		}
	}
	return v.changed(ctx, fresh)
}

func ctxCheck(ctx context.Context, op, table string) error {
	if err := ctx.Err(); err != nil {
		return storage.CtxError(op, table, err)
	}
	return nil
}

// changed compares rows with the transaction's snapshot.
func (v *Table) changed(ctx context.Context, keys [][]byte) (changed map[string]bool, err error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var then, now storage.RowBatch
	if _, err := v.base.MultiGet(ctx, keys, &storage.ScanRequest{Snapshot: v.t.snap}, &then); err != nil {
		return nil, err
	}
	if _, err := v.base.MultiGet(ctx, keys, &storage.ScanRequest{WithVersion: v.t.m.shared}, &now); err != nil {
		return nil, err
	}
	var was, is rowstate.Row
	i, j := 0, 0
	for _, k := range keys {
		a, b := -1, -1
		if i < then.Len() && bytes.Equal(then.Key(i), k) {
			a = i
			i++
		}
		if j < now.Len() && bytes.Equal(now.Key(j), k) {
			b = j
			j++
		}
		was.Load(&then, a)
		version := loadVersioned(&is, &now, b)
		if v.t.m.shared {
			v.t.buf.touch(v.name, k, version)
		}
		if !was.Equal(&is) {
			if changed == nil {
				changed = map[string]bool{}
			}
			changed[string(k)] = true
		}
	}
	return changed, nil
}

// CheckAndMutate implements storage.Table.
func (v *Table) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	var matched [1]bool
	err := v.CheckAndMutateRows(ctx, []storage.CondMutation{*m}, matched[:])
	return matched[0], err
}

// CheckAndMutateRows is CheckAndMutate for each of ms in order, which may name a row several times.
// matched is filled up to the first error. Conditions are tested against the newest committed rows,
// with the transaction's own changes.
func (v *Table) CheckAndMutateRows(ctx context.Context, ms []storage.CondMutation, matched []bool) error {
	const op = storage.OpCheckAndMutate
	if v.t.ended.Load() {
		return ErrEnded
	}
	for i := range ms {
		if err := storage.CheckCond(op, v.name, &ms[i]); err != nil {
			return err
		}
	}
	changed, err := v.lockAll(ctx, op, len(ms), func(i int) []byte { return ms[i].Key })
	if err != nil {
		return err
	}
	keys := make([][]byte, len(ms))
	for i := range ms {
		keys[i] = ms[i].Key
	}
	if len(keys) > 1 {
		slices.SortFunc(keys, bytes.Compare)
		keys = slices.CompactFunc(keys, bytes.Equal)
	}
	var rb storage.RowBatch
	if _, err := v.base.MultiGet(ctx, keys, v.condRequest(ms), &rb); err != nil {
		return err
	}
	var row rowstate.Row
	for i := range ms {
		m := &ms[i]
		at := rb.Find(m.Key)
		var own []storage.Mutation
		r := v.t.buf.find(v.name, m.Key)
		if r != nil {
			own = v.t.buf.changesOf(r, len(v.t.buf.log), 1)
		}
		version := v.load(&row, r, &rb, at)
		row.Apply(own)
		matched[i] = row.Holds(&m.Cond, nil)
		if changed[string(m.Key)] {
			if m.Cond.Op == storage.RowAbsent && !matched[i] {
				return &ExistsError{Row: i}
			}
			return ErrSerialization
		}
		if matched[i] && m.Cond.Op >= storage.CellAbsent && len(own) > 0 && !v.upToDate(r, own, m, &rb, at) {
			matched[i] = false
		}
		muts, test := m.Then, m.Cond
		if !matched[i] {
			muts, test = m.Else, opposite(m.Cond)
		}
		if len(muts) == 0 {
			if v.t.m.shared && len(m.Then) == 0 && len(m.Else) == 0 { // a lock
				v.t.buf.touch(v.name, m.Key, version)
			}
			continue
		}
		var cond *storage.Cond
		if !v.t.m.atomic {
			var err error
			if cond, err = v.depend(r, own, test, &rb, at); err != nil {
				return err
			}
		}
		if err := v.add(m.Key, muts, cond); err != nil {
			return err
		}
		if v.t.m.shared {
			v.t.buf.depend(v.t.buf.find(v.name, m.Key), version)
		}
	}
	return nil
}

// upToDate says that what the reads of a changed row have shown of the store's
// row is so still.
func (v *Table) upToDate(r *rowBuffer, own []storage.Mutation, m *storage.CondMutation, rb *storage.RowBatch, at int) bool {
	if v.t.m.atomic || replaced(own) {
		return true
	}
	col, ok := v.t.buf.version(v.name)
	return !ok || v.t.buf.sawVersion(r, versionIn(rb, at, &col, m.Cond.MinTS))
}

// condRequest reads no more than the conditions and buffered changes need:
// where all conditions test one column and nothing is buffered, that column.
func (v *Table) condRequest(ms []storage.CondMutation) *storage.ScanRequest {
	req := &storage.ScanRequest{WithVersion: v.t.m.shared}
	if v.t.buf.hasTable(v.name) {
		return req
	}
	first := &ms[0].Cond
	for i := range ms {
		c := &ms[i].Cond
		if c.Op < storage.CellAbsent || c.Family != first.Family || !bytes.Equal(c.Qualifier, first.Qualifier) {
			return req
		}
	}
	req.Project = []storage.Col{{Family: first.Family, Qualifier: first.Qualifier}}
	return req
}

// opposite is the condition that is known to hold when c does not.
func opposite(c storage.Cond) storage.Cond {
	switch c.Op {
	case storage.RowAbsent:
		c.Op = storage.RowPresent
	case storage.RowPresent:
		c.Op = storage.RowAbsent
	case storage.CellAbsent:
		c.Op = storage.CellPresent
	case storage.CellPresent:
		c.Op = storage.CellAbsent
	}
	return c
}

// Tablets implements storage.Table.
func (v *Table) Tablets(ctx context.Context, span storage.Span) ([]storage.Tablet, error) {
	return v.base.Tablets(ctx, span)
}

// Split implements storage.Table: rows of the transaction lie in the same pieces.
func (v *Table) Split(ctx context.Context, span storage.Span, most int) ([]storage.Span, error) {
	return v.base.Split(ctx, span, most)
}

// Sample implements storage.Table: rows of the transaction are not counted.
func (v *Table) Sample(ctx context.Context, span storage.Span, most int) (*storage.TableSample, error) {
	return v.base.Sample(ctx, span, most)
}

// Increment implements storage.Table: what it adds is not undone with a transaction.
func (v *Table) Increment(context.Context, []byte, storage.Col, int64) (int64, error) {
	return 0, storage.Unsupported("transaction", storage.OpIncrement, "counter")
}

// Clock implements storage.Table: what tells the time is not undone with a transaction.
func (v *Table) Clock(context.Context, []byte, storage.Col) (time.Time, error) {
	return time.Time{}, storage.Unsupported("transaction", storage.OpClock, "clock")
}

// DeleteSpan implements storage.Table: it cannot be undone, so that a
// transaction does not do it.
func (v *Table) DeleteSpan(context.Context, storage.Span) error {
	return storage.Unsupported("transaction", storage.OpDeleteSpan, "deletion of a key range")
}
