package bigtable

import (
	"slices"

	"cloud.google.com/go/bigtable"

	"github.com/saltsql/saltsql/storage"
)

// rowFiller takes rows as the service sends them and puts those that a request
// asks for into a RowBatch. It is the one place where rows come in: whatever
// decodes the stream calls begin, cell for each cell, and finish.
type rowFiller struct {
	req   *storage.ScanRequest
	exact bool // the service sends projected columns only
	dst   *storage.RowBatch

	rows, bytes int64 // received
	wanted      bool  // the row has a projected column
	prevFamily  string
	prevQual    []byte
	prevTS      int64
	any         bool
	err         error // the filter's
}

func (f *rowFiller) begin(key []byte) {
	f.rows++
	f.bytes += int64(len(key))
	f.wanted, f.any = len(f.req.Project) == 0, false
	f.dst.StartRow(key)
}

// cell adds a cell of the row. Emulators may send a cell twice after they have
// collected old ones: the second is dropped.
func (f *rowFiller) cell(family string, qualifier []byte, ts int64, value []byte) {
	f.bytes += int64(len(qualifier) + len(value))
	if f.any && f.prevTS == ts && f.prevFamily == family && string(f.prevQual) == string(qualifier) {
		return
	}
	f.any, f.prevFamily, f.prevQual, f.prevTS = true, family, append(f.prevQual[:0], qualifier...), ts
	if f.exact {
		f.wanted = true
	} else if !slices.ContainsFunc(f.req.Project, func(c storage.Col) bool {
		return c.Family == family && string(c.Qualifier) == string(qualifier)
	}) {
		return
	}
	f.wanted = true
	if !f.req.KeysOnly {
		f.dst.AddCell(family, qualifier, ts, value)
	}
}

// finish ends the row and says whether it stays in the batch. After an error
// of the filter no more rows may be given.
func (f *rowFiller) finish() bool {
	keep := f.wanted && f.any
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

// add gives a row of the client library to the filler. The library has a
// map of families to cells, which it orders by column, newest first.
func (f *rowFiller) add(key string, row bigtable.Row) bool {
	f.begin([]byte(key))
	for family, items := range row {
		for i := range items {
			it := &items[i]
			f.cell(family, []byte(it.Column[len(family)+1:]), int64(it.Timestamp), it.Value)
		}
	}
	return f.finish()
}
