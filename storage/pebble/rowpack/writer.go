package rowpack

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// Writer turns mutations into packed rows. Its buffers are reused from row
// to row; the slices of its entries point to the old row and the mutations.
type Writer struct {
	entries []entry
	cells   []cell
	wiped   []int // by family id: entries up to this place in order are deleted
	packed  []byte
	shape   []byte
	Key     []byte
}

// entry is a cell, or the deletion of a column, in the order of application.
type entry struct {
	cell
	order  int
	delete bool
	latest bool
}

var writerPool = sync.Pool{New: func() any { return new(Writer) }}

// NewWriter gives a writer, which is released when its user is done.
func NewWriter() *Writer { return writerPool.Get().(*Writer) }

// Release gives the writer back.
func (w *Writer) Release() {
	clear(w.entries[:cap(w.entries)])
	clear(w.cells[:cap(w.cells)])
	w.entries, w.cells = w.entries[:0], w.cells[:0]
	if cap(w.packed) > 1<<20 {
		w.packed = nil
	}
	writerPool.Put(w)
}

// NeedsOld says whether the row that mutations make depends on the row before
// them: it does unless they delete it.
func NeedsOld(muts []storage.Mutation) bool {
	return !slices.ContainsFunc(muts, func(m storage.Mutation) bool { return m.Op == storage.DeleteRow })
}

// Build gives the packed row that old (nil: none) becomes by lists of
// mutations in order; empty where no cell is left. The result is valid until
// the next Build. Cells that the table's families do not keep are left out.
func (w *Writer) Build(op string, d *Desc, now time.Time, old []byte, keyLen int, lists ...[]storage.Mutation) ([]byte, error) {
	if err := w.gather(op, d, old, lists); err != nil {
		return nil, err
	}
	w.resolve(d, now)
	if len(w.cells) == 0 {
		return nil, nil
	}
	size := int64(keyLen)
	for i := range w.cells {
		size += w.cells[i].size()
	}
	if err := storage.CheckRowBytes(op, d.Spec.Name, size); err != nil {
		return nil, err
	}
	w.packed, w.shape = appendRow(w.packed[:0], w.shape, w.cells)
	return w.packed, nil
}

// gather lists the entries that deletions of row and families leave.
func (w *Writer) gather(op string, d *Desc, old []byte, lists [][]storage.Mutation) error {
	w.entries = w.entries[:0]
	w.wiped = append(w.wiped[:0], make([]int, len(d.ByID))...)
	order, rowWiped := 0, 0
	for _, muts := range lists {
		for i := range muts {
			order++
			switch m := &muts[i]; m.Op {
			case storage.DeleteRow:
				rowWiped = order
			case storage.DeleteFamily:
				id := d.FamilyID(m.Family)
				if id == 0 {
					return ErrNoFamily(op, d.Spec.Name, m.Family)
				}
				w.wiped[id] = order
			}
		}
	}
	if rowWiped == 0 && old != nil {
		c := Open(old)
		for c.Next() {
			if int(c.Family) >= len(w.wiped) {
				return ErrCorrupt
			}
			if w.wiped[c.Family] == 0 {
				w.entries = append(w.entries, entry{cell: c.cell})
			}
		}
		if c.Err != nil {
			return c.Err
		}
	}
	order = 0
	for _, muts := range lists {
		for i := range muts {
			order++
			m := &muts[i]
			if m.Op != storage.SetCell && m.Op != storage.DeleteCell {
				continue
			}
			id := d.FamilyID(m.Family)
			if id == 0 {
				return ErrNoFamily(op, d.Spec.Name, m.Family)
			}
			if order > rowWiped && order > w.wiped[id] {
				w.entries = append(w.entries, entry{cell{id, m.Qualifier, m.Timestamp, m.Value}, order, m.Op == storage.DeleteCell, m.Latest})
			}
		}
	}
	return nil
}

func compareEntries(a, b entry) int {
	switch {
	case a.Family < b.Family:
		return -1
	case a.Family > b.Family:
		return 1
	}
	if c := bytes.Compare(a.Qualifier, b.Qualifier); c != 0 {
		return c
	}
	return a.order - b.order
}

// resolve turns entries into the cells of the row, in order.
func (w *Writer) resolve(d *Desc, now time.Time) {
	if !slices.IsSortedFunc(w.entries, compareEntries) {
		slices.SortStableFunc(w.entries, compareEntries)
	}
	w.cells = w.cells[:0]
	for rest := w.entries; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].sameColumn(&rest[0].cell) {
			n++
		}
		w.addColumn(rest[:n], &d.ByID[rest[0].Family], now)
		rest = rest[n:]
	}
}

// dropNotBefore leaves out what was written before entry i and is not older.
func dropNotBefore(col []entry, i int) []entry {
	kept := 0
	for j := range col {
		if j >= i || col[j].TS < col[i].TS {
			col[kept] = col[j]
			kept++
		}
	}
	return col[:kept]
}

// addColumn adds what is left of one column's entries: newest first, the last
// written of equal timestamps, no more versions and none older than the family
// keeps.
func (w *Writer) addColumn(col []entry, f *Family, now time.Time) {
	for i := len(col) - 1; i >= 0; i-- {
		if col[i].delete {
			col = col[i+1:]
			break
		}
	}
	for i := len(col) - 1; i > 0; i-- {
		if col[i].latest {
			before := len(col)
			col = dropNotBefore(col, i)
			i -= before - len(col)
		}
	}
	if len(col) > 1 {
		slices.SortStableFunc(col, func(a, b entry) int {
			switch {
			case a.TS != b.TS && a.TS > b.TS:
				return -1
			case a.TS != b.TS:
				return 1
			}
			return b.order - a.order
		})
	}
	oldest := f.Oldest(now)
	versions := 0
	for i := range col {
		if versions == f.versions || col[i].TS < oldest {
			return
		}
		if i > 0 && col[i].TS == col[i-1].TS {
			continue
		}
		versions++
		w.cells = append(w.cells, col[i].cell)
	}
}
