package txn

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/saltsql/saltsql/storage"
)

const commitRowsPerCall = 2048

// writes lists each table's rows in key order, each with all its changes.
type tableWrites struct {
	table string
	rows  []storage.RowMutation
	conds []*storage.Cond // per row, nil where none has one
}

func (w *tableWrites) cond(row int) *storage.Cond {
	if w.conds == nil {
		return nil
	}
	return w.conds[row]
}

func (b *buffer) writes() []tableWrites {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]tableWrites, 0, b.tables.len())
	for t := range b.tables.all() {
		t.sort()
		w := tableWrites{table: t.name, rows: make([]storage.RowMutation, 0, len(t.sorted))}
		for _, r := range t.sorted {
			if len(r.changes) == 0 && r.touched {
				w.rows = append(w.rows, storage.RowMutation{Key: bytesOf(r.key), Mutations: r.dependent(nil)})
			}
			if len(r.changes) > 0 && r.changes[0].of == nil {
				if c := r.cond(); c != nil {
					if w.conds == nil {
						w.conds = make([]*storage.Cond, len(t.sorted))
					}
					w.conds[len(w.rows)] = c
				}
				w.rows = append(w.rows, storage.RowMutation{Key: bytesOf(r.key), Mutations: r.dependent(joined(r.changes))})
			}
		}
		if len(w.rows) > 0 {
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b tableWrites) int { return strings.Compare(a.table, b.table) })
	return out
}

// joined makes one list of a row's changes; what a later DeleteRow removes is
// left out.
func joined(changes []change) []storage.Mutation {
	first := len(changes) - 1
	for first > 0 && changes[first].muts[0].Op != storage.DeleteRow {
		first--
	}
	if first == len(changes)-1 {
		return changes[first].muts
	}
	var muts []storage.Mutation
	for _, c := range changes[first:] {
		muts = append(muts, c.muts...)
	}
	return muts
}

func (t *Txn) commitBatch(ctx context.Context, opts storage.WriteOptions, more tableWrites) error {
	if old := t.m.store.Caps().Window; old > 0 && t.m.clock.Now()-t.began > old.Microseconds() {
		return ErrSerialization // the versions that it depends on may be forgotten
	}
	batch, err := t.m.store.Batch()
	if err != nil {
		return err
	}
	defer batch.Close()
	for _, w := range t.buf.writes() {
		if err := batch.Mutate(w.table, w.rows); err != nil {
			return err
		}
		if err := t.m.logBatch(batch, w.table, w.rows); err != nil {
			return err
		}
		t.m.watches.note(w.table, w.rows)
	}
	if len(more.rows) > 0 {
		if err := batch.Mutate(more.table, more.rows); err != nil {
			return err
		}
	}
	err = batch.Commit(ctx, opts)
	if storage.CodeOf(err) == storage.CodeConflict {
		return ErrSerialization
	}
	return err
}

// commitRows writes conditional rows first: they are the ones that others'
// work can make fail, and then little has been written.
func (t *Txn) commitRows(ctx context.Context, opts storage.WriteOptions) error {
	ws := t.buf.writes()
	for _, w := range ws {
		t.restamp(w.rows)
	}
	if entries := t.buf.entries(); len(entries) > 0 {
		return t.commitStaged(ctx, ws, entries, opts)
	}
	return t.writeRows(ctx, ws, opts, func(int, int, Outcome) {})
}

// writeRows tells of each row that was sent what is known of it.
func (t *Txn) writeRows(ctx context.Context, ws []tableWrites, opts storage.WriteOptions, tell func(table, row int, o Outcome)) error {
	total, done := 0, 0
	for _, w := range ws {
		total += len(w.rows)
	}
	fail := func(err error) error { return &CommitError{Written: done, Rows: total, Err: err} }
	ended, err := t.m.logRows(ctx, ws)
	if err != nil {
		return fail(err)
	}
	for k, w := range ws {
		n, err := t.writeConditional(ctx, w, func(i int, o Outcome) { tell(k, i, o) })
		done += n
		if err != nil {
			return fail(err)
		}
	}
	for k, w := range ws {
		var rows []storage.RowMutation
		var at []int
		for i := range w.rows {
			if w.cond(i) == nil {
				rows, at = append(rows, w.rows[i]), append(at, i)
			}
		}
		for lo := 0; lo < len(rows); lo += commitRowsPerCall {
			part := rows[lo:min(lo+commitRowsPerCall, len(rows))]
			for i := range part {
				tell(k, at[lo+i], OutcomeUnknown)
			}
			err := t.m.store.Table(w.table).Mutate(ctx, part, opts)
			if err == nil {
				done += len(part)
				for i := range part {
					tell(k, at[lo+i], OutcomeWritten)
				}
				continue
			}
			var pe *storage.PartialError
			if errors.As(err, &pe) {
				done += pe.Written
			}
			return fail(err)
		}
	}
	ended()
	return nil
}

// restamp gives rows the time of their commit: what others wrote since they
// were buffered is older than them.
func (t *Txn) restamp(rows []storage.RowMutation) {
	now := t.m.clock.Now()
	for i := range rows {
		r := &rows[i]
		if was := timestampOf(r.Mutations); was != 0 {
			r.Mutations = stamped(r.Mutations, t.m.clock.From(r.Key, max(now, was)))
		}
	}
}

// writeConditional writes the rows that have a condition, some at a time, and
// gives the number written.
func (t *Txn) writeConditional(ctx context.Context, w tableWrites, tell func(row int, o Outcome)) (int, error) {
	var ms []storage.CondMutation
	var at []int
	for i := range w.rows {
		if c := w.cond(i); c != nil {
			ms = append(ms, storage.CondMutation{Key: w.rows[i].Key, Cond: *c, Then: w.rows[i].Mutations})
			at = append(at, i)
		}
	}
	var done atomic.Int64
	err := storage.CheckAndMutateRows(ctx, t.m.store.Table(w.table), ms, storage.CondParallel, func(i int, ok bool, err error) error {
		switch {
		case err != nil:
			tell(at[i], OutcomeUnknown)
		case !ok:
			tell(at[i], OutcomeLost)
			return ErrSerialization
		default:
			done.Add(1)
			tell(at[i], OutcomeWritten)
		}
		return err
	})
	return int(done.Load()), err
}
