package bigtable

import (
	"slices"

	"github.com/saltsql/saltsql/storage"
)

// rowFiller takes rows as the service sends them and puts those that a request
// asks for into a RowBatch:
//
//	begin ── cell | extend … ── finish
//	                         └─ abandon
type rowFiller struct {
	req     *storage.ScanRequest
	exact   bool           // the service sends projected columns only
	order   []storage.Col  // the projection, where not exact
	columns map[string]int // its index in order, by family, 00, qualifier
	column  []byte         // scratch: a key of columns
	next    int            // of order: rows mostly have their columns in one order

	dst      *storage.RowBatch // by setBatch
	family   string            // familyID is its number in dst, where known
	familyID uint16
	known    bool

	rows, bytes int64 // received in whole rows
	rowBytes    int64 // of the row under way
	wanted      bool  // the row has a projected column
	open        bool  // the last cell is in the batch
	err         error // the filter's, or why rows cannot be taken
}

func newRowFiller(req *storage.ScanRequest, exact bool, dst *storage.RowBatch) rowFiller {
	f := rowFiller{req: req, exact: exact}
	if !exact {
		f.order = slices.Clone(req.Project)
		slices.SortFunc(f.order, compareCols)
		f.columns = make(map[string]int, len(req.Project))
		for i, c := range f.order {
			f.columns[c.Family+"\x00"+string(c.Qualifier)] = i
		}
	}
	f.setBatch(dst)
	return f
}

// setBatch must be told of every change of the batch, also of one that another
// has swapped its contents with.
func (f *rowFiller) setBatch(dst *storage.RowBatch) { f.dst, f.known = dst, false }

func (f *rowFiller) begin(key []byte) {
	f.rowBytes = int64(len(key))
	f.wanted = len(f.req.Project) == 0 || f.req.EveryRow
	f.next = 0
	f.dst.StartRow(key)
}

// cell adds a cell of the row, or the first part of one.
func (f *rowFiller) cell(family string, qualifier []byte, ts int64, value []byte) {
	f.rowBytes += int64(len(qualifier) + len(value))
	if f.open = f.wants(family, qualifier); !f.open {
		return
	}
	f.wanted = true
	if f.req.KeysOnly {
		f.open = false
		return
	}
	if !f.known || f.family != family {
		f.family, f.familyID, f.known = family, f.dst.Intern(family), true
	}
	f.dst.AddCellOf(f.familyID, qualifier, ts, value)
}

func (f *rowFiller) wants(family string, qualifier []byte) bool {
	if f.exact {
		return true
	}
	if f.next < len(f.order) {
		if c := &f.order[f.next]; string(c.Qualifier) == string(qualifier) && c.Family == family {
			f.next++
			return true
		}
	}
	f.column = append(append(append(f.column[:0], family...), 0), qualifier...)
	i, ok := f.columns[string(f.column)]
	if ok {
		f.next = i + 1
	}
	return ok
}

// extend adds a further part to the value of the last cell.
func (f *rowFiller) extend(value []byte) {
	f.rowBytes += int64(len(value))
	if f.open {
		f.dst.ExtendValue(value)
	}
}

// abandon drops the row under way.
func (f *rowFiller) abandon() { f.dst.DropRow() }

// finish ends the row, which has had a cell, and says whether it stays in the
// batch. After an error of the filter no more rows may be given.
func (f *rowFiller) finish() bool {
	f.rows++
	f.bytes += f.rowBytes
	keep := f.wanted
	if keep && f.req.Filter != nil {
		last := f.dst.Len() - 1
		keep, f.err = f.req.Filter(f.dst.Key(last), rowView{f.dst, last})
		keep = keep && f.err == nil
	}
	if !keep {
		f.dst.DropRow()
	}
	return keep
}

type rowView struct {
	b   *storage.RowBatch
	row int
}

func (v rowView) Get(family string, qualifier []byte) ([]byte, bool) {
	return v.b.Value(v.row, family, qualifier)
}
