package entry

import (
	"bytes"
	"context"
	"slices"

	"github.com/saltsql/saltsql/storage"
)

// Fault is what is wrong with an entry.
type Fault uint8

const (
	NoFault    Fault = iota
	Missing          // a row has none
	Wrong            // it does not hold what its row does
	Stale            // no row has it
	Duplicated       // two rows have it: they share a value that a UNIQUE index has once
	Abandoned        // a write that has died left its mark: readers go by the row, and nobody is misled
)

func (f Fault) String() string {
	return [...]string{"none", "missing", "wrong", "stale", "duplicate", "left by a write that died"}[f]
}

// looks is how often an entry is looked at that changes meanwhile; then it is being written,
// and nothing is wrong with it that is known.
const looks = 5

// Inspect says what is wrong with an entry, while others may write it: what it says was so
// at one moment. An entry that a write may be at work on has no fault, unless two rows have it.
// rival is another row that was seen to have it; nil where none was.
func (m *Mender) Inspect(ctx context.Context, t Target, rival []byte) (Fault, error) {
	var before, after storage.RowBatch
	get := func(b *storage.RowBatch) error {
		b.Reset()
		_, err := m.index.MultiGet(ctx, [][]byte{t.Key}, nil, b)
		return err
	}
	for range looks {
		if err := get(&before); err != nil {
			return NoFault, err
		}
		var ms marks
		if before.Len() > 0 {
			ms = m.rows.marksOf(&before, 0)
		}
		for _, row := range [][]byte{rival, t.Row} {
			if row != nil {
				ms.of = append(ms.of, row)
			}
		}
		have, err := m.rows.read(ctx, slices.Clone(ms.of))
		if err != nil {
			return NoFault, err
		}
		e, holder := holderOf(&ms, t.Key, have)
		own, has := have[string(t.Row)]
		fault := NoFault
		switch {
		case holder && has && bytes.Equal(own.Key, t.Key) && own.row != e.row:
			fault = Duplicated
		case before.Len() == 0 && holder:
			fault = Missing
		case before.Len() == 0:
		case ms.are():
			if ms.ended(m.txns) {
				fault = Abandoned
			}
		case !holder:
			fault = Stale
		case !e.IsRow(&before, 0):
			fault = Wrong
		}
		if fault == NoFault {
			return NoFault, nil
		}
		if err := get(&after); err != nil {
			return NoFault, err
		}
		again, err := m.rows.read(ctx, slices.Clone(ms.of))
		if err != nil {
			return NoFault, err
		}
		now, still := holderOf(&ms, t.Key, again)
		if sameRows(&before, &after) && still == holder && now.row == e.row && now.version == e.version && again[string(t.Row)].version == own.version {
			return fault, nil
		}
	}
	return NoFault, nil
}

func sameRows(a, b *storage.RowBatch) bool {
	if a.Len() != b.Len() {
		return false
	}
	if a.Len() == 0 {
		return true
	}
	if a.NumCells(0) != b.NumCells(0) {
		return false
	}
	for j := range a.NumCells(0) {
		if x, y := a.Cell(0, j), b.Cell(0, j); x.Timestamp != y.Timestamp || !bytes.Equal(x.Qualifier, y.Qualifier) {
			return false
		}
	}
	return true
}

// IsRow says that row at of b, of the index's storage table, is the entry.
func (e *Entry) IsRow(b *storage.RowBatch, at int) bool {
	content := e.Content()
	for _, m := range content {
		if v, ok := b.Value(at, m.Family, m.Qualifier); !ok || !bytes.Equal(v, m.Value) {
			return false
		}
	}
	return len(content) == b.NumCells(at)
}

// Suspects gives the entries of a batch of the index's storage table that may be at fault:
// those with marks, and those whose rows do not have them.
func (m *Mender) Suspects(ctx context.Context, b *storage.RowBatch) ([]Target, error) {
	ms := make([]marks, b.Len())
	var of [][]byte
	for i := range ms {
		ms[i] = m.rows.marksOf(b, i)
		of = append(of, ms[i].of...)
	}
	have, err := m.rows.read(ctx, of)
	if err != nil {
		return nil, err
	}
	var list []Target
	for i := range ms {
		if e, ok := holderOf(&ms[i], b.Key(i), have); !ok || ms[i].are() || !e.IsRow(b, i) {
			list = append(list, Target{Key: bytes.Clone(b.Key(i))})
		}
	}
	return list, nil
}

// Lacking gives the entries of rows that are not there, or may be at fault.
func (m *Mender) Lacking(ctx context.Context, rows [][]byte) ([]Target, error) {
	have, err := m.rows.read(ctx, slices.Clone(rows))
	if err != nil || len(have) == 0 {
		return nil, err
	}
	var keys [][]byte
	for _, e := range have {
		keys = append(keys, e.Key)
	}
	slices.SortFunc(keys, bytes.Compare)
	keys = slices.CompactFunc(keys, bytes.Equal)
	var found storage.RowBatch
	if _, err := m.index.MultiGet(ctx, keys, nil, &found); err != nil {
		return nil, err
	}
	var list []Target
	for row, e := range have {
		if at := found.Find(e.Key); at < 0 || !e.IsRow(&found, at) {
			list = append(list, Target{e.Key, []byte(row)})
		}
	}
	return list, nil
}
