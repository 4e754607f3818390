package scan

import (
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// RowMaker turns stored rows into a batch of a scan's columns and filters it.
// It serves one goroutine.
type RowMaker struct {
	n        *plan.Scan
	schema   *rowcodec.Schema
	dec      *rowcodec.RowDecoder
	Project  []storage.Col
	keysOnly bool
	marker   storage.Col
	decoded  []*vec.Vec // out's columns in the decoder's order
	unread   []*vec.Vec // those of Scan.Unread
	key, ver *vec.Vec
	filter   *eval.Prog
	stages   []stage // the filter's, where columns are decoded as they are needed
	rest     rowcodec.Part
	recheck  *eval.Prog
	reduced  *eval.Prog  // in recheck's place, of Scan.Reduced
	sample   *rowSample  // nil: all rows
	sampled  []uint16    // the slots it gives
	skip     *op.Context // counts rows that cannot be decoded; nil: they are errors
	skipped  []uint16    // their slots, ascending
	out      vec.Batch
	sel      []uint16
}

// Init makes m ready for what n reads.
func (m *RowMaker) Init(n *plan.Scan, schema *rowcodec.Schema) error {
	m.n, m.schema = n, schema
	cellOf := cellIndexes(n)
	var wantKey, wantCells []int
	var keyVecs, cellVecs []*vec.Vec
	first := map[int]*vec.Vec{}
	for at, i := range n.Cols {
		col := &n.Table.Columns[i]
		if slices.Contains(n.Unread, at) {
			v := vec.New(col.Type)
			m.unread, m.out.Cols = append(m.unread, v), append(m.out.Cols, v)
			continue
		}
		v := first[i]
		if v == nil {
			v = vec.New(col.Type)
			first[i] = v
			if col.KeyPos >= 0 {
				wantKey, keyVecs = append(wantKey, col.KeyPos), append(keyVecs, v)
			} else {
				wantCells, cellVecs = append(wantCells, cellOf[i]), append(cellVecs, v)
			}
		}
		m.out.Cols = append(m.out.Cols, v)
	}
	m.decoded = append(keyVecs, cellVecs...)
	m.dec = rowcodec.NewRowDecoder(schema, wantKey, wantCells)
	m.Project, m.keysOnly = m.dec.Project()
	if m.keysOnly && !n.WithVersion && !n.Table.FromPhoenix() {
		m.Project = nil // a row is there if it has any cell, so no store need look for one
	}
	if schema.Unmarked && !n.WithVersion && !n.ForUpdate && len(m.Project) > 1 {
		m.Project = m.Project[1:] // rows come without it, too: one column less to look for
	}
	m.marker, _ = schema.Marker()
	if n.WithKey {
		m.key = vec.New(types.Of(types.Bytea))
		m.out.Cols = append(m.out.Cols, m.key)
	}
	if n.WithVersion {
		m.ver = vec.New(types.Of(types.Int8))
		m.out.Cols = append(m.out.Cols, m.ver)
		m.keysOnly = false
	}
	var err error
	if n.Filter != nil {
		if m.filter, err = eval.Compile(n.Filter); err != nil {
			return err
		}
		if err := m.makeStages(n.Filter); err != nil {
			return err
		}
	}
	if n.Reduced != nil && n.Reduced.Recheck != nil {
		if m.reduced, err = eval.Compile(n.Reduced.Recheck); err != nil {
			return err
		}
	}
	if n.Recheck != nil {
		m.recheck, err = eval.Compile(n.Recheck)
	}
	return err
}

// Request asks a store for what the rows are made of. Its spans, and what bounds them, are not set.
func (m *RowMaker) Request() storage.ScanRequest {
	return storage.ScanRequest{
		Project: m.Project, EveryRow: m.schema.Unmarked, KeysOnly: m.keysOnly, ValuesOnly: m.ver == nil && !m.dec.Whole(),
	}
}

// recheck says what a row is tested by because the spans it was found in say less than
// the key's condition.
type recheck uint8

func (m *RowMaker) recheckProg(check recheck) *eval.Prog {
	switch check {
	case recheckKey:
		return m.recheck
	case recheckReduced:
		return m.reduced
	}
	return nil
}

// clone gives a RowMaker for another goroutine.
func (m *RowMaker) clone() (*RowMaker, error) {
	c := &RowMaker{sample: m.sample, skip: m.skip}
	return c, c.Init(m.n, m.schema)
}

// cellIndexes maps indexes of Table.Columns to indexes of Schema.Cells.
func cellIndexes(n *plan.Scan) []int {
	at := make([]int, len(n.Table.Columns))
	cells := 0
	for i := range n.Table.Columns {
		if n.Table.Columns[i].KeyPos < 0 {
			at[i] = cells
			cells++
		}
	}
	return at
}

// begin makes room for n rows.
func (m *RowMaker) begin(n int) {
	m.dec.Reset()
	for _, v := range m.decoded {
		v.Resize(n)
	}
	for _, v := range m.unread {
		if v.Len() < n {
			v.Resize(n)
			for i := range n {
				v.Nulls.Set(i)
			}
		}
	}
	if m.key != nil {
		m.key.Resize(n)
	}
	if m.ver != nil {
		m.ver.Resize(n)
	}
	m.out.N, m.out.Sel = n, nil
	m.sampled, m.skipped = m.sampled[:0], m.skipped[:0]
}

// add decodes row i of rb into slot.
func (m *RowMaker) add(rb *storage.RowBatch, i, slot int) error {
	if err := m.dec.DecodeRow(rb, i, slot, m.decoded); err != nil {
		if !m.skips(err) {
			return err
		}
		m.leaveOut(slot)
	} else if m.sample != nil && m.sample.gives(rb.Key(i)) {
		m.sampled = append(m.sampled, uint16(slot))
	}
	if m.key != nil {
		m.key.Bytes[slot] = rb.Key(i)
	}
	if m.ver != nil {
		m.ver.Ints[slot] = versionOf(rb, i, &m.marker)
	}
	return nil
}

// skips says that a row which failed with err is to be left out.
func (m *RowMaker) skips(err error) bool {
	e := sqlerr.As(err)
	return m.skip != nil && e != nil && e.Code == sqlerr.DataCorrupted
}

// leaveOut leaves out the row at slot, which could not be decoded.
func (m *RowMaker) leaveOut(slot int) {
	m.skip.Undecodable()
	m.skipped = append(m.skipped, uint16(slot))
	for _, v := range m.decoded {
		v.Nulls.Set(slot)
	}
}

// remaining gives the slots of n rows that were not left out.
func (m *RowMaker) remaining(n int) []uint16 {
	m.sel = m.sel[:0]
	skipped := m.skipped
	for i := range n {
		if len(skipped) > 0 && int(skipped[0]) == i {
			skipped = skipped[1:]
			continue
		}
		m.sel = append(m.sel, uint16(i))
	}
	return m.sel
}

// versionOf is the timestamp of the marker cell, which every write of a row
// renews; -1 for a row without one, which no write of ours has touched.
func versionOf(rb *storage.RowBatch, i int, marker *storage.Col) int64 {
	for j := range rb.NumCells(i) {
		c := rb.Cell(i, j)
		if string(c.Qualifier) == string(marker.Qualifier) && c.Family == marker.Family {
			return c.Timestamp
		}
	}
	return -1
}

// end cuts the batch to n rows and filters it. It gives nil if no row is left.
func (m *RowMaker) end(n int, env *expr.Env, check recheck) (*vec.Batch, error) {
	m.out.N = n
	if m.sample != nil {
		if m.out.Sel = m.sampled; len(m.sampled) == 0 {
			return nil, nil
		}
	} else if len(m.skipped) > 0 {
		if m.out.Sel = m.remaining(n); len(m.out.Sel) == 0 {
			return nil, nil
		}
	} else if m.filter == nil && check == ExactKey {
		return &m.out, nil
	}
	return m.pass(env, check)
}

// pass filters the rows that are selected. It gives nil if none is left.
func (m *RowMaker) pass(env *expr.Env, check recheck) (*vec.Batch, error) {
	for _, p := range [2]*eval.Prog{m.recheckProg(check), m.filter} {
		if p == nil {
			continue
		}
		sel, err := p.Filter(env, &m.out, m.sel)
		if err != nil {
			return nil, err
		}
		m.sel, m.out.Sel = sel, sel
		if len(sel) == 0 {
			return nil, nil
		}
	}
	if len(m.out.Sel) == m.out.N {
		m.out.Sel = nil
	}
	return &m.out, nil
}

// Decode makes a batch of all rows of rb.
func (m *RowMaker) Decode(rb *storage.RowBatch, env *expr.Env, check recheck) (*vec.Batch, error) {
	n := rb.Len()
	if m.key != nil || m.ver != nil || m.skip != nil {
		m.begin(n)
		for i := range n {
			if err := m.add(rb, i, i); err != nil {
				return nil, err
			}
		}
		return m.end(n, env, check)
	}
	if m.stages != nil && n >= fewStaged && m.sample == nil && m.recheckProg(check) == nil && rb.Columns() > 0 {
		return m.decodeStaged(rb, env)
	}
	if err := m.dec.DecodeBatch(rb, 0, n, m.decoded); err != nil {
		return nil, err
	}
	m.out.Sel = nil
	if m.sample != nil {
		m.sampled = m.sampled[:0]
		for i := range n {
			if m.sample.gives(rb.Key(i)) {
				m.sampled = append(m.sampled, uint16(i))
			}
		}
	}
	return m.end(n, env, check)
}
