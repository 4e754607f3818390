package catalog

import (
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/spliced"
)

// Epochs are the layouts of a table whose salt has changed for new rows: no row is moved, since the epoch of
// a row follows from its key. Options has the newest layout; Physical names the parts as one table: see
// storage/spliced. To all that reads and writes, such a table is one of as many buckets as its epochs have
// together (see rowcodec.SaltEpochs), and its places are those buckets.
type Epochs struct {
	Column int // ID of the key column that the epochs are of
	List   []Epoch
}

// Epoch is one layout, which holds the rows from From on, up to where the next begins.
type Epoch struct {
	From        []byte // of the column, as it is stored in ascending keys; none in the first
	Physical    string
	SaltBuckets int
	SaltColumns []string
}

// EpochOf is the layout that a table has now, as the first of its epochs.
func EpochOf(t *Table) Epoch {
	return Epoch{Physical: t.Physical, SaltBuckets: t.Options.SaltBuckets, SaltColumns: t.Options.SaltColumns}
}

// Buckets is into how many places the table's rows are spread, its epochs' together; 0 for an unsalted table.
func (t *Table) Buckets() int {
	if t.Epochs == nil {
		return t.Options.SaltBuckets
	}
	n := 0
	for i := range t.Epochs.List {
		n += max(t.Epochs.List[i].SaltBuckets, 1)
	}
	return n
}

// Parts lists the storage tables of the rows: one, or one for each epoch.
func (t *Table) Parts() []string { return spliced.Tables(t.Physical) }

// StoredIn says that rows of the table are in a storage table.
func (t *Table) StoredIn(physical string) bool {
	return t.Physical == physical || slices.Contains(t.Parts(), physical)
}

// SetEpochs gives the table epochs, of which the last is the newest, with its options, and their storage.
func (t *Table) SetEpochs(e *Epochs) {
	parts := make([]spliced.Part, len(e.List))
	for i := range e.List {
		parts[i] = spliced.Part{Table: e.List[i].Physical, Buckets: e.List[i].SaltBuckets}
	}
	last := &e.List[len(e.List)-1]
	t.Epochs, t.Physical = e, spliced.Name(parts)
	t.Options.SaltBuckets, t.Options.SaltColumns = last.SaltBuckets, last.SaltColumns
}

// RenameInEpochs has the epochs call a column by its new name.
func (t *Table) RenameInEpochs(from, to string) {
	if t.Epochs == nil {
		return
	}
	e := &Epochs{t.Epochs.Column, slices.Clone(t.Epochs.List)}
	for i := range e.List {
		cols := slices.Clone(e.List[i].SaltColumns)
		for k := range cols {
			if cols[k] == from {
				cols[k] = to
			}
		}
		e.List[i].SaltColumns = cols
	}
	t.Epochs = e
}

// saltEpochs is what the codec of the table's keys goes by.
func (t *Table) saltEpochs() (*rowcodec.SaltEpochs, error) {
	if t.Epochs == nil {
		return nil, nil
	}
	of := t.ColumnByID(t.Epochs.Column)
	if of == nil || of.KeyPos < 0 {
		return nil, NoPrimaryKey(t.Name)
	}
	s := &rowcodec.SaltEpochs{Column: of.KeyPos}
	for i := range t.Epochs.List {
		e := &t.Epochs.List[i]
		x := rowcodec.SaltEpoch{From: e.From, Buckets: e.SaltBuckets}
		for _, name := range e.SaltColumns {
			c := t.ColumnByName(name)
			if c == nil || c.KeyPos < 0 {
				return nil, saltColumnNotInKey(name)
			}
			x.SaltColumns = append(x.SaltColumns, c.KeyPos)
		}
		s.List = append(s.List, x)
	}
	return s, nil
}

// Grows says that a key column may be what epochs are of: its values are whole numbers, dates or times.
func (c *Column) Grows() bool {
	if c.KeyPos < 0 || c.Hidden {
		return false
	}
	switch c.Type.Plain().Kind {
	case types.Int2, types.Int4, types.Int8, types.Date, types.Timestamp, types.Timestamptz:
		return true
	}
	return false
}
