package entry

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// rowEntries reads rows of a table and gives the entries that they have in an index now. It
// is for one goroutine.
type rowEntries struct {
	*Maker
	env   *expr.Env
	rows  storage.Table
	minTS int64

	dec    *rowcodec.RowDecoder
	cols   []*vec.Vec // of the decoder
	batch  vec.Batch  // of the table's columns
	marker storage.Col
	req    storage.ScanRequest
	rb     storage.RowBatch
	keys   []byte
	calls  atomic.Int64
}

// current is the entry of a row that exists, and the row's version.
type current struct {
	Entry
	row     string
	version int64
}

func newRowEntries(t *catalog.Table, ix *catalog.Index, env *expr.Env, rows storage.Table, minTS int64) (*rowEntries, error) {
	x, err := NewMaker(t, ix)
	if err != nil {
		return nil, err
	}
	r := &rowEntries{Maker: x, env: env, rows: rows, minTS: minTS}
	s := t.Codec()
	var wantKey, wantCells, keyCols, cellCols []int
	cells := 0
	for i := range t.Columns {
		if pos := t.Columns[i].KeyPos; pos >= 0 {
			wantKey, keyCols = append(wantKey, pos), append(keyCols, i)
			continue
		}
		wantCells, cellCols = append(wantCells, cells), append(cellCols, i)
		cells++
	}
	r.dec = rowcodec.NewRowDecoder(s, wantKey, wantCells)
	for _, typ := range r.dec.Types() {
		r.cols = append(r.cols, vec.New(typ))
	}
	r.batch.Cols = make([]*vec.Vec, len(t.Columns))
	for i, c := range slices.Concat(keyCols, cellCols) {
		r.batch.Cols[c] = r.cols[i]
	}
	r.marker, _ = s.Marker()
	r.req.Project, _ = r.dec.Project()
	r.req.MinTS = minTS
	return r, nil
}

// read gives the entries of the rows of keys that exist and that the index has, by row key.
// What it gives is valid until the next call.
func (r *rowEntries) read(ctx context.Context, keys [][]byte) (map[string]current, error) {
	slices.SortFunc(keys, bytes.Compare)
	keys = slices.CompactFunc(keys, bytes.Equal)
	out := make(map[string]current, len(keys))
	r.keys = nil
	r.Reset()
	for part := range slices.Chunk(keys, vec.MaxRows) {
		r.rb.Reset()
		calls, err := r.rows.MultiGet(ctx, part, &r.req, &r.rb)
		r.calls.Add(int64(calls))
		if err != nil {
			return nil, err
		}
		n := r.rb.Len()
		if n == 0 {
			continue
		}
		r.dec.Reset()
		for _, v := range r.cols {
			v.Resize(n)
		}
		for i := range n {
			if err := r.dec.DecodeRow(&r.rb, i, i, r.cols); err != nil {
				return nil, err
			}
		}
		r.batch.N, r.batch.Sel = n, nil
		has, err := r.Begin(r.env, &r.batch)
		if err != nil {
			return nil, err
		}
		add := func(slot int) error {
			e := current{row: string(r.rb.Key(slot)), version: versionOf(&r.rb, slot, &r.marker)}
			if r.keys, e.Entry, err = r.Entry(r.keys, slot, max(e.version, 0)); err != nil {
				return err
			}
			e.Key = bytes.Clone(e.Key)
			out[e.row] = e
			return nil
		}
		if has == nil {
			for i := range n {
				if err := add(i); err != nil {
					return nil, err
				}
			}
			continue
		}
		for _, slot := range has {
			if err := add(int(slot)); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func versionOf(b *storage.RowBatch, i int, marker *storage.Col) int64 {
	newest := int64(-1)
	for j := range b.NumCells(i) {
		c := b.Cell(i, j)
		if c.Timestamp > newest && c.Family == marker.Family && bytes.Equal(c.Qualifier, marker.Qualifier) {
			newest = c.Timestamp
		}
	}
	return newest
}

// Content gives the cells that an entry is made of.
func (e *Entry) Content() []storage.Mutation {
	for i := range e.Muts {
		if e.Muts[i].Op == storage.SetCell {
			return e.Muts[i:]
		}
	}
	return nil
}

// marks is what an entry's row tells of it.
type marks struct {
	made    []int64  // when each was
	content bool     // there are cells besides
	of      [][]byte // keys of the rows that they are of, and of the content's
}

// are says that there are any.
func (m *marks) are() bool { return len(m.made) > 0 }

// ended says that no write that has made one is under way.
func (m *marks) ended(txns *txn.Manager) bool {
	return !slices.ContainsFunc(m.made, func(ts int64) bool { return !txns.Ended(ts) })
}

func isMark(family string) bool {
	return family == storage.EnterFamily || family == storage.LeaveFamily
}

// markedRow gives the key of the row that a mark is of; nil where no row can be.
func (x *Maker) markedRow(qualifier, value []byte) []byte {
	row, salted := txn.RowOfMark(qualifier, value)
	if len(row) == 0 {
		return nil
	}
	if salted {
		row = x.Table.Codec().Key.LogicalKey(row)
	}
	key, err := x.Table.Codec().Key.Resalted(nil, row)
	if err != nil {
		return nil
	}
	return key
}

// marksOf looks at row i of an index's storage table.
func (x *Maker) marksOf(b *storage.RowBatch, i int) marks {
	var m marks
	for j := range b.NumCells(i) {
		c := b.Cell(i, j)
		if !isMark(c.Family) {
			m.content = true
			continue
		}
		m.made = append(m.made, c.Timestamp)
		if row := x.markedRow(c.Qualifier, c.Value); row != nil {
			m.of = append(m.of, row)
		}
	}
	if m.content {
		if row, err := x.RowKey(b, i); err == nil {
			m.of = append(m.of, row)
		}
	}
	return m
}
