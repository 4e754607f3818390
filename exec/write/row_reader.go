package write

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/scan"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// rowReader reads whole rows by key, as they are now: what a write that lost a
// race, or that needs the old row, looks at. Its batches have all of the
// table's columns, then the row key and the version.
type rowReader struct {
	w    *tableWriter
	m    scan.RowMaker
	rb   storage.RowBatch
	keys [][]byte
}

func (r *rowReader) init(t *catalog.Table, w *tableWriter) error {
	r.w = w
	return r.m.Init(r.scan(t), t.Codec())
}

// scan is of all of a table's columns, the row key and the version.
func (r *rowReader) scan(t *catalog.Table) *plan.Scan {
	s := &plan.Scan{Source: plan.Source{Table: t, WithKey: true, WithVersion: true}}
	for i := range t.Columns {
		s.Cols = append(s.Cols, i)
	}
	return s
}

// read gives the rows of keys that exist, by key; nil if none does. At most MaxRows
// keys; repeated ones are read once. The batch is valid until the next call.
func (r *rowReader) read(keys [][]byte) (*vec.Batch, error) {
	r.keys = append(r.keys[:0], keys...)
	slices.SortFunc(r.keys, bytes.Compare)
	r.keys = slices.CompactFunc(r.keys, bytes.Equal)
	r.rb.Reset()
	req := storage.ScanRequest{Project: r.m.Project, EveryRow: r.w.schema.Unmarked, MinTS: r.w.minTS}
	calls, err := r.w.table.MultiGet(r.w.cx.Ctx, r.keys, &req, &r.rb)
	r.w.work.StorageCalls += int64(calls)
	r.w.work.RowsRead += int64(r.rb.Len())
	r.w.work.BytesRead += int64(r.rb.Bytes())
	if err != nil {
		return nil, err
	}
	r.w.heat.Points(r.keys, &r.rb, 0, r.rb.Bytes())
	if r.rb.Len() == 0 {
		return nil, nil
	}
	return r.m.Decode(&r.rb, nil, scan.ExactKey)
}

// find gives the slot of a key in the batch read last, or -1.
func (r *rowReader) find(key []byte) int {
	i, ok := slices.BinarySearchFunc(identityInts(r.rb.Len()), key, func(i int, k []byte) int {
		return bytes.Compare(r.rb.Key(i), k)
	})
	if !ok {
		return -1
	}
	return i
}

// packedCell gives a family's packed cell of a row read; nil if it has none.
func (r *rowReader) packedCell(row int, family string) []byte {
	for _, c := range r.w.packedCells {
		if c.Family != family {
			continue
		}
		if v, ok := r.rb.Value(row, family, c.Qualifier); ok {
			return v
		}
	}
	return nil
}

// identityInts lists 0 to n-1.
func identityInts(n int) []int { return ints[:n] }

var ints = func() (s [vec.MaxRows]int) {
	for i := range s {
		s[i] = i
	}
	return s
}()

func allInts(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
