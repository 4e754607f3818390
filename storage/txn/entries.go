package txn

import (
	"bytes"
	"context"
	"errors"

	"github.com/saltsql/saltsql/storage"
)

// On a store without atomic batches the entries of indexes that a transaction changes are
// buffered with the rows that they are of, so that reads see them, and are written with
// those at commit: see WriteStaged.

// RowEntry is a change of an entry, and the row that it is for.
type RowEntry struct {
	Entry
	Of []byte // the row's key
}

// entryOf says of a buffered change that it is of an entry.
type entryOf struct {
	table string
	row   []byte
	e     Entry
}

// WriteEntries buffers changes of entries in the storage table of an index. The rows that get or
// leave them are of the table that of names.
func (v *Table) WriteEntries(ctx context.Context, of string, list []RowEntry) error {
	const op = storage.OpMutate
	if v.t.ended.Load() {
		return ErrEnded
	}
	if err := ctxCheck(ctx, op, v.name); err != nil {
		return err
	}
	for i := range list {
		e := &list[i]
		muts := []storage.Mutation{{Op: storage.DeleteRow}}
		if e.Content != nil {
			muts = append(muts, stamped(e.Content, v.t.m.clock.Next(e.Key, 0))...)
		}
		if err := storage.CheckRows(op, v.name, []storage.RowMutation{{Key: e.Key, Mutations: muts}}); err != nil {
			return err
		}
		if r := v.t.buf.find(v.name, e.Key); r != nil {
			if n := len(r.changes); n > 0 && !bytes.Equal(r.changes[n-1].of.row, e.Of) {
				return ErrPassedOn
			}
		}
		if err := v.t.buf.add(v.name, e.Key, muts, 0, nil); err != nil {
			return err
		}
		r := v.t.buf.find(v.name, e.Key)
		last := &r.changes[len(r.changes)-1]
		kept := e.Entry
		kept.Table, kept.Key, kept.Content, kept.Row = v.name, []byte(r.key), nil, bytes.Clone(e.Row)
		last.of = &entryOf{table: of, row: bytes.Clone(e.Of), e: kept}
	}
	return nil
}

// rowName names a row of a table.
func rowName(table string, key []byte) string { return table + "\x00" + string(key) }

// entries gives what has become of entries, by the rows that they are of. The row has an
// entry before where the first of its changes says so.
func (b *buffer) entries() map[string][]Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out map[string][]Entry
	for t := range b.tables.all() {
		t.sort()
		for _, r := range t.sorted {
			if len(r.changes) == 0 || r.changes[0].of == nil {
				continue
			}
			first, last := r.changes[0], r.changes[len(r.changes)-1]
			e := last.of.e
			e.Was = first.of.e.Was
			for i := range r.changes {
				e.Kept = e.Kept && r.changes[i].of.e.Kept
			}
			for i := range last.muts {
				if last.muts[i].Op == storage.SetCell {
					e.Content = last.muts[i:]
					break
				}
			}
			if e.Content == nil && !e.Was {
				continue // it came and went
			}
			if out == nil {
				out = map[string][]Entry{}
			}
			name := rowName(last.of.table, last.of.row)
			out[name] = append(out[name], e)
		}
	}
	return out
}

// commitStaged is commitRows for rows that have entries in indexes.
func (t *Txn) commitStaged(ctx context.Context, ws []tableWrites, entries map[string][]Entry, opts storage.WriteOptions) error {
	w := &StagedWrite{}
	change := map[[2]int]int{} // of a table and a row, their places in ws
	total := 0
	for k := range ws {
		total += len(ws[k].rows)
		for i := range ws[k].rows {
			r := &ws[k].rows[i]
			list := entries[rowName(ws[k].table, r.Key)]
			if len(list) == 0 {
				continue
			}
			c := RowChange{Key: r.Key, Stamp: timestampOf(r.Mutations), Entries: list}
			if cond := ws[k].cond(i); cond != nil && cond.Op == storage.CellTSEquals {
				c.Seen = cond.Timestamp
			}
			if c.Stamp == 0 {
				c.Stamp = t.m.clock.Next(r.Key, c.Seen)
			}
			change[[2]int{k, i}] = len(w.Changes)
			w.Changes = append(w.Changes, c)
		}
	}
	w.Outcomes = make([]Outcome, len(w.Changes))
	for i := range w.Outcomes {
		w.Outcomes[i] = OutcomeLost // until it is sent
	}
	begun := false
	w.Write = func(ctx context.Context) error {
		begun = true
		return t.writeRows(ctx, ws, opts, func(table, row int, o Outcome) {
			if c, ok := change[[2]int{table, row}]; ok {
				w.Outcomes[c] = o
			}
		})
	}
	err := t.m.WriteStaged(ctx, w)
	if err == nil || begun {
		return err
	}
	if taken := (*TakenError)(nil); errors.As(err, &taken) {
		err = ErrSerialization // whoever has it committed since the statement looked
	}
	return &CommitError{Rows: total, Err: err}
}
