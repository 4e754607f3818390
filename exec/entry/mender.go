package entry

import (
	"bytes"
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// Mender makes entries what their rows say they are, on a store that is not atomic over rows.
// It changes no row and waits for no writer:
//
//  1. a mark of its own is set in the entry, in place of an earlier mender's
//  2. the entry's marks are read, and then the rows that they, and it, lead to
//  3. where the mark is still there, the entry is written as the row has it, or removed,
//     and all marks go
//
// Every write that gets or leaves the entry takes the mender's mark away as it sets its own
// (txn.WriteStaged): so 3 finds the mark only where no write has begun since 1, and what was
// read in 2 holds but for writes whose marks were seen there. Where one of those may be under
// way (txn.Manager.Ended), the entry is left as it is, marked.
type Mender struct {
	rows  *rowEntries
	txns  *txn.Manager
	index storage.Table
}

// NewMender makes the Mender of one of t's indexes. It is for one goroutine.
func NewMender(txns *txn.Manager, env *expr.Env, t *catalog.Table, ix *catalog.Index) (*Mender, error) {
	raw := txns.Raw()
	r, err := newRowEntries(t, ix, env, raw.Table(t.Physical), t.OldestVisible(txns.Clock().Now()))
	return &Mender{rows: r, txns: txns, index: raw.Table(ix.Physical)}, err
}

// Maker makes the index's entries.
func (m *Mender) Maker() *Maker { return m.rows.Maker }

// Target is an entry to mend, and a row that may have it; nil where none is known.
type Target struct{ Key, Row []byte }

// Result says what became of a Target.
type Result uint8

const (
	Mended    Result = iota
	Busy             // a write is under way, or was: to be tried again
	Duplicate        // Target.Row would have an entry that is another row's
)

// Mend mends entries of distinct keys.
func (m *Mender) Mend(ctx context.Context, list []Target) ([]Result, error) {
	out := make([]Result, len(list))
	stamps := make([]int64, len(list))
	rows := make([]storage.RowMutation, len(list))
	keys := make([][]byte, len(list))
	for i, t := range list {
		out[i], keys[i] = Busy, t.Key
		stamps[i] = m.txns.Clock().Next(t.Key, 0)
		rows[i] = storage.RowMutation{Key: t.Key, Mutations: []storage.Mutation{{
			Op: storage.SetCell, Family: storage.LeaveFamily, Qualifier: txn.MendMark, Timestamp: stamps[i], Value: m.rows.Table.Codec().Key.LogicalKey(t.Row), Latest: true,
		}}}
	}
	if err := m.index.Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		return out, err
	}
	slices.SortFunc(keys, bytes.Compare)
	var found storage.RowBatch
	if _, err := m.index.MultiGet(ctx, keys, nil, &found); err != nil {
		return out, err
	}
	seen, free := make([]marks, len(list)), make([]bool, len(list)) // of writes
	var of [][]byte
	for i, t := range list {
		at := found.Find(t.Key)
		if at < 0 {
			continue
		}
		seen[i] = m.rows.marksOf(&found, at)
		if own := slices.Index(seen[i].made, stamps[i]); own >= 0 { // or else a write has begun since
			seen[i].made = slices.Delete(seen[i].made, own, own+1)
			free[i] = seen[i].ended(m.txns)
		}
		if t.Row != nil {
			seen[i].of = append(seen[i].of, t.Row)
		}
		of = append(of, seen[i].of...)
	}
	have, err := m.rows.read(ctx, of)
	if err != nil {
		return out, err
	}
	var ends []storage.CondMutation
	var at []int // of ends, in list
	results := make([]Result, len(list))
	for i, t := range list {
		if !free[i] {
			continue
		}
		end := storage.CondMutation{
			Key:  t.Key,
			Cond: storage.Cond{Op: storage.CellTSEquals, Family: storage.LeaveFamily, Qualifier: txn.MendMark, Timestamp: stamps[i]},
			Then: []storage.Mutation{{Op: storage.DeleteRow}},
		}
		e, ok := holderOf(&seen[i], t.Key, have)
		for _, row := range seen[i].of {
			other, has := have[string(row)]
			if !has || !bytes.Equal(other.Key, t.Key) || t.Row == nil || bytes.Equal(row, t.Row) {
				continue
			}
			if mine, has := have[string(t.Row)]; has && bytes.Equal(mine.Key, t.Key) {
				e, results[i] = other, Duplicate // it came first
			}
			break
		}
		if ok {
			end.Then = append(end.Then, e.Content()...)
		}
		ends, at = append(ends, end), append(at, i)
	}
	err = storage.CheckAndMutateRows(ctx, m.index, ends, storage.CondParallel, func(k int, matched bool, err error) error {
		if matched {
			out[at[k]] = results[at[k]]
		}
		if storage.IsRetryable(err) || storage.CodeOf(err) == storage.CodeAmbiguous {
			return nil // it stays busy
		}
		return err
	})
	return out, err
}

// Fill makes the entries of rows, which writes keep up meanwhile. duplicate is the key of a
// row whose entry another row has, in a UNIQUE index.
func (m *Mender) Fill(ctx context.Context, rows [][]byte) (duplicate []byte, busy [][]byte, err error) {
	have, err := m.rows.read(ctx, slices.Clone(rows))
	if err != nil {
		return nil, nil, err
	}
	var list []Target
	twice := map[string]bool{}
	for row, e := range have {
		if twice[string(e.Key)] {
			return []byte(row), nil, nil
		}
		twice[string(e.Key)] = true
		list = append(list, Target{e.Key, []byte(row)})
	}
	results, err := m.Mend(ctx, list)
	for i, r := range results {
		switch r {
		case Duplicate:
			return list[i].Row, nil, err
		case Busy:
			busy = append(busy, list[i].Row)
		}
	}
	return nil, busy, err
}

// Contest says whose an entry is that a row claims: see txn.StagedWrite.
func (m *Mender) Contest(ctx context.Context, key, row []byte) (txn.Standing, *storage.Cond, error) {
	var b storage.RowBatch
	if _, err := m.index.MultiGet(ctx, [][]byte{key}, nil, &b); err != nil || b.Len() == 0 {
		return txn.EntryFree, nil, err
	}
	ms := m.rows.marksOf(&b, 0)
	have, err := m.rows.read(ctx, slices.Clone(ms.of))
	if err != nil {
		return txn.EntryBusy, nil, err
	}
	own := len(ms.of) > 0
	for _, of := range ms.of {
		if bytes.Equal(of, row) {
			continue
		}
		own = false
		if e, ok := have[string(of)]; ok && bytes.Equal(e.Key, key) {
			return txn.EntryTaken, nil, nil
		}
	}
	if own {
		return txn.EntryOwn, m.sameAs(&b), nil
	}
	if !ms.ended(m.txns) {
		return txn.EntryBusy, nil, nil
	}
	if _, err := m.Mend(ctx, []Target{{Key: key}}); err != nil {
		return txn.EntryBusy, nil, err
	}
	return txn.EntryFree, nil, nil
}

// sameAs is a condition that holds of an entry all of whose cells are of one row, and of no
// other row's.
func (m *Mender) sameAs(b *storage.RowBatch) *storage.Cond {
	marker, _ := m.rows.Index.Codec().Marker()
	c := &storage.Cond{Op: storage.CellTSEquals, Family: marker.Family, Qualifier: marker.Qualifier, Timestamp: versionOf(b, 0, &marker)}
	if c.Timestamp >= 0 {
		return c
	}
	cell := b.Cell(0, 0)
	return &storage.Cond{Op: storage.CellTSEquals, Family: cell.Family, Qualifier: bytes.Clone(cell.Qualifier), Timestamp: cell.Timestamp}
}
