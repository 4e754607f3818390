package txn

import (
	"bytes"
	"context"
	"slices"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/changelog"
)

// Load writes rows of one table past the transaction's buffer, so that their
// number is not bounded by memory. They are locked as others are and committed
// by the transaction's Commit, with those of its other loads, but the transaction
// does not see them and cannot roll back to a mark: a Load is for the one statement
// of an implicit transaction.
type Load struct {
	t     *Txn
	table string
	base  storage.Table
	to    storage.Load
	log   string       // the table's change log when the load began; "" is none
	noted storage.Load // of the log; nil where there is none
	claim *claim

	names []byte
	ends  []int
	again []int
	keys  [][]byte
	rows  []storage.RowMutation
	found storage.RowBatch
}

// LoadTable is a table that is to be loaded. With Unique, two of the rows given that have one
// key make Commit fail: see storage.Store.
type LoadTable struct {
	Name   string
	Unique bool
}

// Load is Loads for one table.
func (t *Txn) Load(ctx context.Context, table string, unique bool) (*Load, error) {
	l, err := t.Loads(ctx, []LoadTable{{table, unique}})
	if l == nil || err != nil {
		return nil, err
	}
	return l[0], nil
}

// Loads begins loads of whole rows of some tables, which are committed together; nil where
// the store has none, or one of the tables a Watch. What the transaction has buffered
// goes into the loads, and must be whole rows of the same tables.
func (t *Txn) Loads(ctx context.Context, tables []LoadTable) ([]*Load, error) {
	if !t.m.store.Caps().Loads || !t.m.atomic || t.snap != nil || t.loads != nil {
		return nil, nil
	}
	if t.ended.Load() {
		return nil, ErrEnded
	}
	for _, to := range tables {
		if t.m.watches.has(to.Name) {
			return nil, nil
		}
	}
	before := t.buf.writes()
	for _, w := range before {
		if !slices.ContainsFunc(tables, func(to LoadTable) bool { return to.Name == w.table }) {
			return nil, nil
		}
	}
	var loads []*Load
	for _, table := range tables {
		if err := t.join(ctx, storage.OpLoad, table.Name); err != nil {
			return nil, err
		}
		to, err := t.m.store.Load(ctx, table.Name, table.Unique)
		if storage.CodeOf(err) == storage.CodeUnsupported && loads == nil {
			return nil, nil // a part of the store has none
		}
		if err != nil {
			return nil, err
		}
		l := &Load{t: t, table: table.Name, base: t.m.store.Table(table.Name), to: to, claim: t.m.locks.claim(&t.owner, table.Name)}
		loads = append(loads, l)
		t.loads = append(t.loads, l)
		if l.log = t.m.log(table.Name); l.log != "" {
			if l.noted, err = t.m.store.Load(ctx, l.log, false); err != nil {
				return nil, err
			}
		}
		for _, w := range before {
			if w.table != l.table {
				continue
			}
			for part := range slices.Chunk(w.rows, storage.MaxBatchRows) {
				if err := l.Replace(ctx, part); err != nil {
					return nil, err
				}
			}
		}
	}
	t.buf.reset()
	return loads, nil
}

// Prepare does most of what Commit does with the rows of the load. No others may come after it.
func (l *Load) Prepare(ctx context.Context) error { return l.to.Prepare(ctx) }

// commitLoads writes the rows of all loads, with what change logs are to tell of them, or none.
// ErrSerialization says that a table has got a log, or lost it, since its load began.
func (t *Txn) commitLoads(ctx context.Context, opts storage.WriteOptions) error {
	loads := make([]storage.Load, 0, len(t.loads))
	for _, l := range t.loads {
		if t.m.log(l.table) != l.log {
			return ErrSerialization
		}
		loads = append(loads, l.to)
		if l.noted != nil {
			loads = append(loads, l.noted)
		}
	}
	return t.m.store.CommitLoads(ctx, loads, opts)
}

// lock claims rows; again then lists those that may have been added before.
func (l *Load) lock(ctx context.Context, rows []storage.RowMutation) error {
	l.names, l.ends, l.again = l.names[:0], l.ends[:0], l.again[:0]
	for i := range rows {
		l.names = lockName(l.names, l.table, rows[i].Key)
		l.ends = append(l.ends, len(l.names))
	}
	name := func(i int) []byte {
		lo := 0
		if i > 0 {
			lo = l.ends[i-1]
		}
		return l.names[lo:l.ends[i]:l.ends[i]]
	}
	take := func(name []byte) error {
		_, _, err := l.t.lock(ctx, storage.OpLoad, l.table, name[len(l.table)+1:])
		return err
	}
	return l.claim.add(ctx, len(rows), name, take, func(i int) { l.again = append(l.again, i) })
}

// Replace writes rows, whether they exist or not. Each begins with DeleteRow.
func (l *Load) Replace(ctx context.Context, rows []storage.RowMutation) error {
	if l.t.ended.Load() {
		return ErrEnded
	}
	if err := l.lock(ctx, rows); err != nil {
		return err
	}
	return l.add(ctx, l.stamp(rows))
}

// add puts rows into the load, and their keys into that of the change log.
func (l *Load) add(ctx context.Context, rows []storage.RowMutation) error {
	if err := l.to.Add(ctx, rows); err != nil || l.noted == nil {
		return err
	}
	entries := changelog.Append(nil, len(rows), func(i int) []byte { return rows[i].Key }, l.t.m.clock.Now(), true)
	for i := range entries { // a load has whole rows
		entries[i].Mutations = append([]storage.Mutation{{Op: storage.DeleteRow}}, entries[i].Mutations...)
	}
	return l.noted.Add(ctx, entries)
}

// Append is Replace for rows that nobody else may write, since each is of a row of another
// table that is locked, or that are made right afterwards. It may be called by several
// goroutines.
func (l *Load) Append(ctx context.Context, rows []storage.RowMutation) error {
	if l.t.ended.Load() {
		return ErrEnded
	}
	return l.add(ctx, rows)
}

// Insert writes rows that do not exist, by a condition as RowAbsent with minTS.
// It gives the index of the first that does, -1 for none, and writes none
// then. It may miss that two rows given have one key, which Commit then tells.
func (l *Load) Insert(ctx context.Context, rows []storage.RowMutation, minTS int64) (exists int, err error) {
	if l.t.ended.Load() {
		return -1, ErrEnded
	}
	if err := l.lock(ctx, rows); err != nil {
		return -1, err
	}
	exists = -1
	for _, i := range l.again {
		has, _ := l.to.Has(rows[i].Key)
		if has || slices.ContainsFunc(rows[:i], func(r storage.RowMutation) bool { return bytes.Equal(r.Key, rows[i].Key) }) {
			exists = i
			break
		}
	}
	l.keys = l.keys[:0]
	for i := range rows {
		l.keys = append(l.keys, rows[i].Key)
	}
	if !slices.IsSortedFunc(l.keys, bytes.Compare) {
		slices.SortFunc(l.keys, bytes.Compare)
	}
	l.keys = slices.CompactFunc(l.keys, bytes.Equal)
	l.found.Reset()
	if _, err := l.base.MultiGet(ctx, l.keys, &storage.ScanRequest{KeysOnly: true, MinTS: minTS}, &l.found); err != nil {
		return -1, err
	}
	if l.found.Len() > 0 {
		for i := range rows {
			if i == exists || l.found.Find(rows[i].Key) >= 0 {
				return i, nil
			}
		}
	}
	if exists >= 0 {
		return exists, nil
	}
	return -1, l.add(ctx, l.stamp(rows))
}

// stamp gives rows another timestamp where a later one was given to another
// write of the row before this one was locked.
func (l *Load) stamp(rows []storage.RowMutation) []storage.RowMutation {
	out := rows
	for i := range rows {
		ts := timestampOf(rows[i].Mutations)
		if ts == 0 || l.t.m.clock.Latest(rows[i].Key, ts) {
			continue
		}
		if &out[0] == &rows[0] {
			l.rows = append(l.rows[:0], rows...)
			out = l.rows
		}
		out[i].Mutations = stamped(rows[i].Mutations, l.t.m.clock.Next(rows[i].Key, ts))
	}
	return out
}

// end lets go of the rows and drops what is not committed.
func (l *Load) end() {
	_ = l.to.Close() // nothing of it is needed
	if l.noted != nil {
		_ = l.noted.Close()
	}
	l.claim.end()
}
