package write

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/saltsql/saltsql/exec/entry"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// sharedIndexes keeps indexes up on a store that is not atomic over rows. Outside of a
// transaction a batch of rows and their entries are written in three phases
// (txn.WriteStaged); in one they are buffered, and written so at commit.
//
//	one row of a table with i indexes, r of them changed        storage calls
//	  mark the entries        one for each index, for all rows of the batch; for a
//	                          UNIQUE one, one for each row
//	  write the row           one for each row
//	  settle the entries      one for each entry that the row gets or leaves
//	  an entry that it keeps  one, where the row was written within txn.Manager.Grace; more
//	                          while the write of then has not settled it
type sharedIndexes struct {
	w        *indexWriter
	families [][]string // by index
	markers  []storage.Col
	verified []storage.Table // as the statement sees it
	contests []*contests
}

// contests asks an index's Mender, one at a time.
type contests struct {
	mu sync.Mutex
	m  *entry.Mender
}

func (c *contests) ask(ctx context.Context, key, row []byte) (txn.Standing, *storage.Cond, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m.Contest(ctx, key, row)
}

func newSharedIndexes(w *indexWriter) (*sharedIndexes, error) {
	s := &sharedIndexes{w: w}
	// A transaction ends after the statement's memory has.
	env := new(expr.Env)
	if w.cx.Env != nil {
		*env = *w.cx.Env
		env.Mem = nil
		if env.Ctx != nil {
			env.Ctx = context.WithoutCancel(env.Ctx)
		}
	}
	rows, minTS := w.cx.Table(w.t.Physical), w.t.OldestVisible(w.clock.Now())
	for _, x := range w.list {
		m, err := entry.NewMender(w.cx.Txns, env, w.t, x.Index)
		if err != nil {
			return nil, err
		}
		marker, _ := x.Index.Codec().Marker()
		s.contests, s.markers = append(s.contests, &contests{m: m}), append(s.markers, marker)
		s.families = append(s.families, x.Index.Families())
		s.verified = append(s.verified, entry.Verified(w.cx.Txns, w.cx.Table(x.Index.Physical), w.t, x.Index, w.cx.Env, rows, minTS, w.cx.TryEnter))
	}
	return s, nil
}

// changes appends what becomes of the entry of a row in index n. The row's name is not set.
func (s *sharedIndexes) changes(list []txn.Entry, n int, x *entry.Maker, slot uint16) []txn.Entry {
	old, new := &s.w.old[slot], &s.w.new[slot]
	same := old.Key != nil && bytes.Equal(old.Key, new.Key)
	e := txn.Entry{Table: x.Index.Physical, Families: s.families[n], Marker: s.markers[n]}
	if old.Key != nil && !same {
		e.Key, e.Was = old.Key, true
		list = append(list, e)
	}
	if new.Key != nil {
		e.Key, e.Was, e.Claim, e.Content = new.Key, same, new.Claim && !same, slices.Clone(new.Content())
		e.Kept, e.Contest = old.Equal(new), s.contests[n].ask
		list = append(list, e)
	}
	return list
}

// holder gives the key of the row that has an entry; nil where none has.
func (s *sharedIndexes) holder(n int, key []byte) ([]byte, error) {
	var b storage.RowBatch
	calls, err := s.verified[n].MultiGet(s.w.cx.Ctx, [][]byte{key}, nil, &b)
	s.w.work.StorageCalls += int64(calls)
	if err != nil || b.Len() == 0 {
		return nil, err
	}
	return s.w.list[n].RowKey(&b, 0)
}

// rowKey gives the key of the row at slot of b.
func (w *indexWriter) rowKey(b *vec.Batch, slot uint16) ([]byte, error) {
	vals := make([]types.Datum, len(w.t.PrimaryKey))
	for i, col := range w.t.PrimaryKey {
		vals[i] = b.Cols[col].Datum(int(slot))
	}
	return w.t.Codec().Key.AppendKey(nil, vals)
}

// buffer leaves the changes of entries of the selected rows in index n to the transaction.
func (s *sharedIndexes) buffer(n int, x *entry.Maker, old, new *vec.Batch, sel []uint16) error {
	w := s.w
	table := w.cx.TxnTable(x.Index.Physical)
	if table == nil {
		return sqlerr.Internal(nil, "index %q is not written in a transaction", x.Index.Name)
	}
	var list []txn.RowEntry
	for _, slot := range sel {
		at := len(list)
		for _, e := range s.changes(nil, n, x, slot) {
			list = append(list, txn.RowEntry{Entry: e})
		}
		for i := at; i < len(list); i++ {
			b := old
			if list[i].Content != nil {
				b = new
			}
			row, err := w.rowKey(b, slot)
			if err != nil {
				return err
			}
			list[i].Of, list[i].Row = row, w.t.Codec().Key.LogicalKey(row)
			if !list[i].Claim {
				continue
			}
			has, err := s.holder(n, list[i].Key)
			if err != nil {
				return err
			}
			if has != nil && !bytes.Equal(has, row) {
				w.cx.FailAt(int(slot))
				return indexViolation(x, int(slot), w.cx.Env, true)
			}
		}
		// One by one, so that the next row sees them.
		err := table.WriteEntries(w.cx.Ctx, w.t.Physical, list[at:])
		if errors.Is(err, txn.ErrPassedOn) {
			return sqlerr.Unsupported("a transaction that gives a value of the UNIQUE index \""+x.Index.Name+"\" from one row to another is not supported on this store",
				"COMMIT between the statement that takes the value away and the one that gives it.")
		}
		if err != nil {
			return err
		}
		for i := at; i < len(list); i++ {
			heatOfEntry(&w.heat[n], &list[i].Entry)
		}
	}
	return nil
}

func movesClaim(x *entry.Maker) error {
	return sqlerr.Unsupported("a change of the primary key of a row that keeps its value in the UNIQUE index \""+x.Index.Name+"\" is not supported on this store",
		"DELETE the row and INSERT it under its new key.")
}

// keepsClaim refuses what would have two rows claim one entry on the way: a row written under
// another key before it goes from its own.
func (w *tableWriter) keepsClaim(old, new *vec.Batch, one []uint16) error {
	if w.indexes == nil || w.indexes.shared == nil {
		return nil
	}
	x := w.indexes
	for _, m := range x.list {
		m.Reset()
		if err := x.entries(m, old, &x.old, one); err != nil {
			return err
		}
		if err := x.entries(m, new, &x.new, one); err != nil {
			return err
		}
		o, n := &x.old[one[0]], &x.new[one[0]]
		if n.Claim && o.Key != nil && bytes.Equal(o.Key, n.Key) {
			return movesClaim(m)
		}
	}
	return nil
}

// write makes conditional writes of rows, and of the entries that they have: old holds the
// rows as they were read and new as they will be, either nil for none, at slots, ascending.
// Where the store commits rows and entries in one transaction it writes rows alone, and
// indexWriter.change is to follow.
func (w *tableWriter) write(ms []storage.CondMutation, matched []bool, old, new *vec.Batch, slots []uint16) error {
	if w.indexes == nil || w.indexes.shared == nil || w.cx.InTxn() || len(ms) == 0 {
		return w.apply(ms, matched)
	}
	if err := w.pace(); err != nil {
		return err
	}
	ctx, leave, err := w.enter()
	if err != nil {
		return err
	}
	defer leave()
	return w.lapsed(ctx, w.indexes.shared.write(ctx, w, ms, matched, old, new, slots))
}

func (s *sharedIndexes) write(ctx context.Context, w *tableWriter, ms []storage.CondMutation, matched []bool, old, new *vec.Batch, slots []uint16) error {
	if len(ms) == 0 {
		return nil
	}
	x := w.indexes
	sw := &txn.StagedWrite{Changes: make([]txn.RowChange, len(ms)), Outcomes: make([]txn.Outcome, len(ms))}
	x.keys = nil
	claims, twice := map[string]bool{}, -1
	var of [][]int // by change: which index an entry is of
	moved := false
	for n, m := range x.list {
		m.Reset()
		if err := x.entries(m, old, &x.old, slots); err != nil {
			return err
		}
		if err := x.entries(m, new, &x.new, slots); err != nil {
			return err
		}
		for k, slot := range slots {
			c := &sw.Changes[k]
			at := len(c.Entries)
			c.Entries = s.changes(c.Entries, n, m, slot)
			for i := at; i < len(c.Entries); i++ {
				e := &c.Entries[i]
				e.Row = w.schema.Key.LogicalKey(ms[k].Key)
				if of == nil {
					of = make([][]int, len(ms))
				}
				of[k] = append(of[k], n)
				if !e.Claim {
					continue
				}
				moved = moved || old != nil
				name := string(e.Key) + e.Table
				if claims[name] && twice < 0 {
					twice = k
				}
				claims[name] = true
			}
		}
	}
	if len(ms) > 1 && (moved || twice >= 0) {
		// Rows that pass a value of a UNIQUE index on go one by one, in their order.
		for k := range ms {
			if err := s.write(ctx, w, ms[k:k+1], matched[k:k+1], old, new, slots[k:k+1]); err != nil {
				return err
			}
		}
		return nil
	}
	for k := range ms {
		c := &sw.Changes[k]
		c.Key = ms[k].Key
		if ms[k].Cond.Op == storage.CellTSEquals {
			c.Seen = ms[k].Cond.Timestamp
		}
		if c.Stamp = stampOf(&ms[k]); c.Stamp == 0 {
			c.Stamp = w.clock.Next(c.Key, c.Seen)
		}
	}
	log, sent := w.announce(ctx, ms), false
	sw.Write = func(ctx context.Context) error {
		err := log.wait()
		if err != nil {
			for k := range ms {
				sw.Outcomes[k] = txn.OutcomeLost
			}
			return err
		}
		sent = true
		err = w.applyAnnounced(ctx, log, ms, matched)
		for k := range ms {
			switch {
			case matched[k] == (len(ms[k].Then) > 0) && (err == nil || matched[k]):
				sw.Outcomes[k] = txn.OutcomeWritten
			case err == nil:
				sw.Outcomes[k] = txn.OutcomeLost
			}
		}
		return err
	}
	err := w.cx.Txns.WriteStaged(ctx, sw)
	if !sent {
		log.end(nil)
	}
	w.work.StorageCalls += sw.Calls.Load()
	for k := range sw.Changes {
		for i := range sw.Changes[k].Entries {
			if sw.Outcomes[k] == txn.OutcomeWritten {
				heatOfEntry(&x.heat[of[k][i]], &sw.Changes[k].Entries[i])
			}
		}
	}
	var taken *txn.TakenError
	if !errors.As(err, &taken) {
		return err
	}
	return s.taken(ctx, w, ms, matched, old, new, slots, taken, of)
}

// taken goes on where a row claims an entry that another has. Where there is a row already it
// is that which the statement is told of, as by PostgreSQL.
func (s *sharedIndexes) taken(ctx context.Context, w *tableWriter, ms []storage.CondMutation, matched []bool, old, new *vec.Batch, slots []uint16, taken *txn.TakenError, of [][]int) error {
	k := taken.Change
	holds, err := storage.CheckAndMutateAgain(ctx, w.table, &storage.CondMutation{Key: ms[k].Key, Cond: ms[k].Cond})
	w.work.StorageCalls++
	if err != nil {
		return err
	}
	if written := holds == (len(ms[k].Then) > 0); written {
		x := w.indexes.list[of[k][taken.Entry]]
		x.Reset()
		if err := w.indexes.entries(x, new, &w.indexes.new, slots[k:k+1]); err != nil {
			return err
		}
		w.cx.FailAt(int(slots[k]))
		return indexViolation(x, int(slots[k]), w.cx.Env, true)
	}
	matched[k] = holds
	if err := s.write(ctx, w, ms[:k], matched[:k], old, new, slots[:k]); err != nil || k == len(ms)-1 {
		return err
	}
	return s.write(ctx, w, ms[k+1:], matched[k+1:], old, new, slots[k+1:])
}

// stampOf gives the version that a conditional write gives its row; 0 for one that deletes.
func stampOf(m *storage.CondMutation) int64 {
	for _, muts := range [][]storage.Mutation{m.Then, m.Else} {
		for i := range muts {
			if muts[i].Op == storage.SetCell {
				return muts[i].Timestamp
			}
		}
	}
	return 0
}
