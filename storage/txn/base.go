package txn

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/rowstate"
)

// On a store without atomic batches nothing is locked: what a transaction's
// changes of a row depend on is tested at commit. Once a row has changes, what
// is read of it is the store's row with them on top, of which the newest
// timestamp is the transaction's own. It says nothing of the store's row:
//
//	UPSERT (k, v)              blind: no condition
//	   others commit w = 50    the row's own version is the UPSERT's, as before
//	UPDATE SET w = w + 1       read w = 10, sees its own version: writes 11
//
// So it is noted which version of the store's row every read of a changed row
// has seen, and a conditional change counts only if that is the version still.
// It then becomes the condition of the commit.

// SetVersion names the cell that each write of a row renews. It must be called before a row is read
// whose change will depend on what was read. A store that is atomic over rows does not need it.
func (v *Table) SetVersion(col storage.Col) {
	if !v.t.m.atomic {
		v.t.buf.setVersion(v.name, col)
	}
}

// noVersion is the version of a row without the cell.
const noVersion = -1

// baseSeen is the version of the store's row that reads have seen.
type baseSeen struct {
	version int64
	known   bool
	torn    bool // reads have seen several
}

func (b *buffer) setVersion(table string, col storage.Col) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.versions == nil {
		b.versions = map[string]storage.Col{}
	}
	b.versions[table] = col
}

func (b *buffer) version(table string) (storage.Col, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	col, ok := b.versions[table]
	return col, ok
}

// note keeps what a read of a changed row has seen: row i of rb, or none where
// i is negative.
func (v *Table) note(r *rowBuffer, req *storage.ScanRequest, rb *storage.RowBatch, i int) {
	if v.t.m.atomic {
		return
	}
	col, ok := v.t.buf.version(v.name)
	if !ok || len(req.Project) > 0 && !asksFor(req.Project, &col) {
		return
	}
	at := versionIn(rb, i, &col, req.MinTS)
	v.t.buf.mu.Lock()
	defer v.t.buf.mu.Unlock()
	if r.seen.known {
		r.seen.torn = r.seen.torn || r.seen.version != at
		return
	}
	r.seen = baseSeen{version: at, known: true}
}

// sawVersion says that all reads of a changed row have seen version at. If not,
// they are forgotten, so that a new one counts.
func (b *buffer) sawVersion(r *rowBuffer, at int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.seen.known && !r.seen.torn && r.seen.version == at {
		return true
	}
	r.seen = baseSeen{}
	return false
}

func asksFor(project []storage.Col, col *storage.Col) bool {
	for i := range project {
		if project[i].Family == col.Family && bytes.Equal(project[i].Qualifier, col.Qualifier) {
			return true
		}
	}
	return false
}

// versionIn gives the timestamp of a row's newest cell of col, not older than
// minTS.
func versionIn(rb *storage.RowBatch, i int, col *storage.Col, minTS int64) int64 {
	newest := int64(noVersion)
	if i < 0 {
		return newest
	}
	for j := range rb.NumCells(i) {
		if c := rb.Cell(i, j); c.Timestamp >= max(minTS, newest) && rowstate.CompareColumn(&c, col.Family, col.Qualifier) == 0 {
			newest = c.Timestamp
		}
	}
	return newest
}

// exactly is the condition that the newest cell of col is as it is in row i.
func exactly(rb *storage.RowBatch, i int, col storage.Col, minTS int64) *storage.Cond {
	c := &storage.Cond{Op: storage.CellAbsent, Family: col.Family, Qualifier: col.Qualifier, MinTS: minTS}
	if at := versionIn(rb, i, &col, minTS); at != noVersion {
		c.Op, c.Timestamp = storage.CellTSEquals, at
	}
	return c
}

// replaced says that nothing of the store's row shows through the changes.
func replaced(own []storage.Mutation) bool {
	return slices.ContainsFunc(own, func(m storage.Mutation) bool { return m.Op == storage.DeleteRow })
}

// depend gives the condition on the store's row under which a change of it may
// be committed: nil where there is none, or the same as before. test is what
// the change's own condition was, which holds; own are the changes before it.
// ErrSerialization says that the row is not any more what those depend on.
func (v *Table) depend(r *rowBuffer, own []storage.Mutation, test storage.Cond, rb *storage.RowBatch, i int) (*storage.Cond, error) {
	if len(own) == 0 {
		if test.Op == storage.CellTSEquals {
			return exactly(rb, i, storage.Col{Family: test.Family, Qualifier: test.Qualifier}, test.MinTS), nil
		}
		return &test, nil
	}
	if test.Op < storage.CellAbsent || replaced(own) {
		return nil, nil // it holds by the transaction's own cells
	}
	need := exactly(rb, i, storage.Col{Family: test.Family, Qualifier: test.Qualifier}, test.MinTS)
	was := r.cond()
	if was == nil {
		return need, nil
	}
	var row rowstate.Row
	row.Load(rb, i)
	if !row.Holds(was, nil) {
		return nil, ErrSerialization
	}
	switch {
	case was.Op == storage.RowPresent && need.Op == storage.CellTSEquals:
		return need, nil
	case was.Family != need.Family || !bytes.Equal(was.Qualifier, need.Qualifier) || was.Op < storage.CellAbsent:
		return nil, storage.Unsupported("transaction", storage.OpCheckAndMutate, "conditions on several cells of a row")
	case was.Op == need.Op && was.Timestamp == need.Timestamp:
		return nil, nil
	}
	return need, nil
}
