package write

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/storage"
)

// strayCells are the cells of rows that no column of the table names, as those of dynamic
// columns: they go along when a row moves to another key.
type strayCells struct {
	own  map[string]bool // family, 0, qualifier
	rows storage.RowBatch
	name []byte
}

// read reads the rows whole.
func (s *strayCells) read(w *tableWriter, keys [][]byte) error {
	if s.own == nil {
		s.own = map[string]bool{}
		s.own[string(s.of(w.marker.Family, w.marker.Qualifier))] = true
		for _, c := range w.packedCells {
			s.own[string(s.of(c.Family, c.Qualifier))] = true
		}
		for i := range w.t.Columns {
			if c := &w.t.Columns[i]; c.KeyPos < 0 {
				s.own[string(s.of(c.Family, c.Qualifier))] = true
			}
		}
		for _, d := range w.t.Dropped {
			s.own[string(s.of(d.Family, d.Qualifier))] = true
		}
	}
	slices.SortFunc(keys, bytes.Compare)
	keys = slices.CompactFunc(keys, bytes.Equal)
	s.rows.Reset()
	calls, err := w.table.MultiGet(w.cx.Ctx, keys, &storage.ScanRequest{EveryRow: w.schema.Unmarked, MinTS: w.minTS}, &s.rows)
	w.work.StorageCalls += int64(calls)
	w.work.BytesRead += int64(s.rows.Bytes())
	return err
}

// add gives mutations that write the cells of one of the rows anew.
func (s *strayCells) add(muts []storage.Mutation, key []byte, ts int64) []storage.Mutation {
	i := s.rows.Find(key)
	if i < 0 {
		return muts
	}
	last := ""
	for j := range s.rows.NumCells(i) {
		c := s.rows.Cell(i, j)
		name := s.of(c.Family, c.Qualifier)
		if s.own[string(name)] || last == string(name) { // an older version
			continue
		}
		last = string(name)
		muts = append(muts, storage.Mutation{Op: storage.SetCell, Family: c.Family, Qualifier: c.Qualifier, Timestamp: ts, Value: c.Value})
	}
	return muts
}

func (s *strayCells) of(family string, qualifier []byte) []byte {
	s.name = append(append(append(s.name[:0], family...), 0), qualifier...)
	return s.name
}
