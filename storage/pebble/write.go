package pebble

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/rowpack"
)

// rowWrite is one row mutation on its way into a Pebble batch.
type rowWrite struct {
	table *tableState
	desc  *rowpack.Desc
	row   *storage.RowMutation
	index int // order of the rows given
}

func compareWrites(a, b rowWrite) int {
	if c := cmp.Compare(a.table.id, b.table.id); c != 0 {
		return c
	}
	if c := bytes.Compare(a.row.Key, b.row.Key); c != 0 {
		return c
	}
	return cmp.Compare(a.index, b.index)
}

func (a *rowWrite) sameRow(b *rowWrite) bool {
	return a.table == b.table && bytes.Equal(a.row.Key, b.row.Key)
}

var writesPool = sync.Pool{New: func() any { return new([]rowWrite) }}

// putWrites gives back what writesPool gave, and has grown since. Nobody may look at it.
func putWrites(pooled *[]rowWrite, writes []rowWrite) {
	clear(writes)
	*pooled = writes
	writesPool.Put(pooled)
}

// chunkBytes is the size from which a Mutate call goes to Pebble in several
// batches: one much larger would not fit a memtable.
const chunkBytes = 8 << 20

// chunk gives the length of the first piece of sorted writes that makes one
// Pebble batch; a row is never cut.
func chunk(writes []rowWrite) int {
	bytes := 0
	for i := range writes {
		if bytes >= chunkBytes && !writes[i].sameRow(&writes[i-1]) {
			return i
		}
		bytes += len(writes[i].row.Key) + 16
		for j := range writes[i].row.Mutations {
			m := &writes[i].row.Mutations[j]
			bytes += len(m.Qualifier) + len(m.Value) + 8
		}
	}
	return len(writes)
}

// Mutate implements storage.Table.
func (t *table) Mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	call := t.s.calls.begin()
	err := t.mutate(ctx, rows, opts)
	t.s.calls.ended(callWrite, call, err)
	return err
}

func (t *table) mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	const op = storage.OpMutate
	if err := storage.CheckRows(op, t.name, rows); err != nil {
		return err
	}
	ts, err := t.enter(ctx, op)
	if err != nil {
		return err
	}
	defer t.s.exit()
	if len(rows) == 0 {
		return nil
	}
	desc := ts.desc.Load()
	pooled := writesPool.Get().(*[]rowWrite)
	writes := (*pooled)[:0]
	for i := range rows {
		writes = append(writes, rowWrite{ts, desc, &rows[i], i})
	}
	defer func() { putWrites(pooled, writes) }()
	if !slices.IsSortedFunc(writes, compareWrites) {
		slices.SortFunc(writes, compareWrites)
	}
	for done := 0; done < len(writes); {
		n := chunk(writes[done:])
		err := ctx.Err()
		if err != nil {
			err = storage.CtxError(op, t.name, err)
		} else {
			err = t.s.commit(ctx, op, t.name, writes[done:done+n], opts.NoSync)
		}
		if err != nil {
			return partial(op, t.name, writes, done, n, err)
		}
		done += n
	}
	return nil
}

// partial tells which rows of a call are not written: those of the chunk that
// failed with err, and those after it, which were not tried.
func partial(op, table string, writes []rowWrite, done, failed int, err error) error {
	var se *storage.Error
	if !errors.As(err, &se) {
		se = storage.Errorf(storage.CodeUnknown, op, table, "%w", err)
	}
	if done == 0 && failed == len(writes) && se.Code != storage.CodeAmbiguous {
		return se
	}
	p := &storage.PartialError{Written: done}
	notTried := se
	if se.Code == storage.CodeAmbiguous {
		notTried = storage.Errorf(storage.CodeUnavailable, op, table, "not tried: %w", se)
		notTried.Cause = nil
	}
	for i, w := range writes[done:] {
		e := se
		if i >= failed {
			e = notTried
		}
		p.Rows = append(p.Rows, storage.RowError{Index: w.index, Err: e})
	}
	slices.SortFunc(p.Rows, func(a, b storage.RowError) int { return cmp.Compare(a.Index, b.Index) })
	return p
}

// commit writes sorted rows atomically. It returns once they are durable, or
// visible where no sync is asked for. An error other than CodeAmbiguous means
// that nothing is written.
func (s *Store) commit(ctx context.Context, op, name string, writes []rowWrite, noSync bool) error {
	if err := s.room(ctx, op, name, writes); err != nil {
		return err
	}
	out := &write{s: s, op: op, b: s.db.NewBatch(), keys: keyRange{rows: writes}}
	defer out.close()
	err := s.commitLatched(op, out, writes, noSync)
	if err == nil {
		err = out.finish()
	}
	return wrap(op, name, err)
}

// room asks for the space that writes take.
func (s *Store) room(ctx context.Context, op, name string, writes []rowWrite) error {
	bytes, deletes := 0, true
	for i := range writes {
		bytes += len(writes[i].row.Key) + 16
		for j := range writes[i].row.Mutations {
			m := &writes[i].row.Mutations[j]
			bytes += len(m.Qualifier) + len(m.Value) + 8
			deletes = deletes && (m.Op == storage.DeleteRow || m.Op == storage.DeleteCell || m.Op == storage.DeleteFamily)
		}
	}
	return s.space.allow(ctx, op, name, int64(bytes), deletes)
}

// commitLatched lets go of the latches whatever happens, so that a panic leaves
// nothing behind it.
func (s *Store) commitLatched(op string, out *write, writes []rowWrite, noSync bool) error {
	var set latchSet
	w := rowpack.NewWriter()
	defer w.Release()
	for i := range writes {
		w.Key = writes[i].table.key(w.Key, writes[i].row.Key)
		set.add(s.latches.stripe(w.Key))
	}
	lockTables(writes)
	defer unlockTables(writes)
	s.latches.lock(&set)
	defer s.latches.unlock(&set)
	return s.fillAndApply(op, out, w, writes, noSync)
}

// lockTables keeps what changes whole tables away from those of sorted writes.
// All take them by their ids, so that nobody waits for who waits for him.
func lockTables(writes []rowWrite) {
	for i := range writes {
		if i == 0 || writes[i].table != writes[i-1].table {
			writes[i].table.writes.RLock()
		}
	}
}

func unlockTables(writes []rowWrite) {
	for i := range writes {
		if i == 0 || writes[i].table != writes[i-1].table {
			writes[i].table.writes.RUnlock()
		}
	}
}

// fillAndApply runs under the rows' latches.
func (s *Store) fillAndApply(op string, out *write, w *rowpack.Writer, writes []rowWrite, noSync bool) error {
	if err := s.fault.get(op, ""); err != nil {
		return err
	}
	now := s.opts.Now()
	var lists [][]storage.Mutation
	for i := 0; i < len(writes); {
		first := &writes[i]
		if err := s.stillThere(op, first); err != nil {
			return err
		}
		lists = append(lists[:0], first.row.Mutations)
		for i++; i < len(writes) && writes[i].sameRow(first); i++ {
			lists = append(lists, writes[i].row.Mutations)
		}
		w.Key = first.table.key(w.Key, first.row.Key)
		if err := s.writeRow(op, out.b, w, first.desc, now, lists); err != nil {
			return err
		}
		s.wrote(first.table, w.Key)
	}
	return out.apply(noSync)
}

// stillThere refuses a write to a table that was dropped after the call
// looked it up. The caller holds the table.
func (s *Store) stillThere(op string, w *rowWrite) error {
	name := w.desc.Spec.Name
	if t, err := s.lookup(op, name); err != nil || t != w.table {
		return errNoTable(op, name)
	}
	w.desc = w.table.desc.Load()
	return nil
}

// writeRow puts into b what the row w.key becomes. Where the mutations say all
// of the new row, the old one is not read.
func (s *Store) writeRow(op string, b *pebble.Batch, w *rowpack.Writer, d *rowpack.Desc, now time.Time, lists [][]storage.Mutation) error {
	var old []byte
	blind := slices.ContainsFunc(lists, func(m []storage.Mutation) bool { return !rowpack.NeedsOld(m) })
	if !blind {
		raw, closer, err := s.db.Get(w.Key)
		switch {
		case err == nil:
			defer closer.Close()
			old = raw
		case !errors.Is(err, pebble.ErrNotFound):
			return err
		}
	}
	packed, err := w.Build(op, d, now, old, len(w.Key)-prefixLen, lists...)
	if err != nil {
		return err
	}
	switch {
	case packed != nil:
		return b.Set(w.Key, packed, nil)
	case blind || old != nil:
		return b.Delete(w.Key, nil)
	}
	return nil // there was nothing and is nothing: no tombstone
}
