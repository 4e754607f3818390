package transact

import (
	"bytes"
	"context"
	"slices"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/rowstate"
)

// stored is a row as it lies in the store.
type stored struct {
	cells   []storage.Cell // of the data; the latest of each column
	version int64          // of the last commit; 0 is not known, none for long
	tx      txID           // of that, where the image was read
	lock    *lock
	changes []byte // of the lock
}

// read takes row i of a batch apart; a negative i is a row that is not there. What it gives is its
// own.
func read(table string, rb *storage.RowBatch, i int) (*stored, error) {
	r := new(stored)
	if i < 0 {
		return r, nil
	}
	for j := range rb.NumCells(i) {
		c := rb.Cell(i, j)
		var err error
		switch {
		case isCol(&c, &storage.Version):
			r.version = max(r.version, c.Timestamp)
		case isCol(&c, &lockCol):
			if r.lock == nil || c.Timestamp > r.lock.pushed {
				r.lock, err = readLock(c.Value, c.Timestamp)
			}
		case isCol(&c, &changesCol):
			r.changes = bytes.Clone(c.Value)
		case isCol(&c, &imageCol):
			if len(c.Value) > len(r.tx) {
				r.tx = txID(c.Value[1:])
			}
		case !internal(c.Family):
			c.Qualifier, c.Value = bytes.Clone(c.Qualifier), bytes.Clone(c.Value)
			r.cells = append(r.cells, c)
		}
		if err != nil {
			return nil, corrupt(table, rb.Key(i), err)
		}
	}
	return r, nil
}

func isCol(c *storage.Cell, col *storage.Col) bool {
	return c.Family == col.Family && bytes.Equal(c.Qualifier, col.Qualifier)
}

// row is the data as a row.
func (r *stored) row() *rowstate.Row {
	cells := slices.Clone(r.cells)
	slices.SortStableFunc(cells, func(a, b storage.Cell) int { return rowstate.CompareColumn(&a, b.Family, b.Qualifier) })
	return &rowstate.Row{Cells: cells}
}

// get reads whole rows, in the order of keys, which need not be sorted.
func (t *table) get(ctx context.Context, keys ...[]byte) ([]*stored, error) {
	sorted := slices.Clone(keys)
	slices.SortFunc(sorted, bytes.Compare)
	sorted = slices.CompactFunc(sorted, bytes.Equal)
	var rb storage.RowBatch
	err := storage.Again(ctx, func() error {
		rb.Reset()
		_, err := t.base.MultiGet(ctx, sorted, nil, &rb)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]*stored, len(keys))
	for i, k := range keys {
		if out[i], err = read(t.name, &rb, rb.Find(k)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// forward makes the mutations that bring a locked row to its state at c: the data, its version, its
// image before, and the lock's end. Older images than anybody may read go with them.
func (r *stored) forward(muts []storage.Mutation, tx txID, c int64) []storage.Mutation {
	out := make([]storage.Mutation, 0, len(muts)+5)
	families := map[string]bool{}
	for i := range r.cells {
		families[r.cells[i].Family] = true
	}
	latest := r.newest() >= c
	for _, m := range muts {
		switch m.Op {
		case storage.SetCell:
			families[m.Family] = true
			m.Timestamp, m.Latest = c, latest
			out = append(out, m)
		case storage.DeleteRow: // of the data
			out = out[:0]
			for _, f := range sorted(families) {
				out = append(out, storage.Mutation{Op: storage.DeleteFamily, Family: f})
			}
		default:
			out = append(out, m)
		}
	}
	if r.version > 0 && r.version < c-keepImages.Microseconds() {
		out = append(out, storage.Mutation{Op: storage.DeleteFamily, Family: undoFamily})
	}
	return append(out,
		storage.Mutation{Op: storage.SetCell, Family: undoFamily, Qualifier: storage.Version.Qualifier, Timestamp: c},
		storage.Mutation{Op: storage.SetCell, Family: undoFamily, Qualifier: imageCol.Qualifier, Timestamp: c, Value: appendImage(nil, tx, r.cells)},
		storage.Mutation{Op: storage.DeleteFamily, Family: lockFamily})
}

// newest is the latest timestamp of the data. It may be later than that of a commit: who wrote it before
// the table became a transactional one went by a clock.
func (r *stored) newest() (ts int64) {
	for i := range r.cells {
		ts = max(ts, r.cells[i].Timestamp)
	}
	return ts
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for f := range set {
		out = append(out, f)
	}
	slices.Sort(out)
	return out
}

// held is the condition that a lock stands.
func (l *lock) held() storage.Cond {
	return storage.Cond{Op: storage.CellIs, Family: lockCol.Family, Qualifier: lockCol.Qualifier, Value: l.raw}
}

// rollForward changes a row of a transaction that was committed at c; r is the row as it was read,
// with its lock. Where the lock is gone it is done.
func (t *table) rollForward(ctx context.Context, key []byte, r *stored, c int64) error {
	muts, err := readChanges(r.changes, c)
	if err != nil {
		return corrupt(t.name, key, err)
	}
	return t.end(ctx, key, r.lock, r.forward(muts, r.lock.tx, c))
}

// unlock takes away the lock of a transaction that was aborted.
func (t *table) unlock(ctx context.Context, key []byte, l *lock) error {
	t.s.count.back.Add(1)
	return t.end(ctx, key, l, []storage.Mutation{{Op: storage.DeleteFamily, Family: lockFamily}})
}

// end makes mutations that end a lock, while it stands: once, however often they are sent.
func (t *table) end(ctx context.Context, key []byte, l *lock, muts []storage.Mutation) error {
	m := storage.CondMutation{Key: key, Cond: l.held(), Then: muts}
	return storage.Again(ctx, func() error {
		_, err := t.base.CheckAndMutate(ctx, &m)
		return err
	}, storage.CodeAmbiguous)
}
