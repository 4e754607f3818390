package txn

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/rowstate"
)

// On a store whose rows others write too (storage.Caps.Optimistic) locks keep the transactions of
// this process apart only. What a change depends on is the version that the row had when the
// transaction first looked at it to write it, and at each look since: COMMIT fails where the row has
// been committed after the oldest of these.
//
//	UPSERT (k, v)              blind: no version
//	   another server commits
//	UPDATE SET w = w + 1       reads w = 10 at version 7: COMMIT depends on 7
//
// Reads that look at rows for that ask for their versions (storage.ScanRequest.WithVersion).

// depend notes a look at a row that is changed, or about to be, in rows of a read with versions.
func (b *buffer) depend(r *rowBuffer, version int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !r.versions || version < r.version {
		r.version, r.versions = version, true
	}
}

// dependent puts the version that a row's changes depend on before them.
func (r *rowBuffer) dependent(muts []storage.Mutation) []storage.Mutation {
	if !r.versions {
		return muts
	}
	return slices.Insert(slices.Clip(muts), 0, storage.Mutation{Op: storage.SetCell, Family: storage.Version.Family,
		Qualifier: storage.Version.Qualifier, Timestamp: r.version})
}

// loadVersioned is row.Load of a read with versions: it takes the version out of the row.
func loadVersioned(row *rowstate.Row, rb *storage.RowBatch, i int) (version int64) {
	row.Load(rb, i)
	row.Cells = slices.DeleteFunc(row.Cells, func(c storage.Cell) bool {
		is := rowstate.CompareColumn(&c, storage.Version.Family, storage.Version.Qualifier) == 0
		if is {
			version = max(version, c.Timestamp)
		}
		return is
	})
	return version
}

// load is loadVersioned where the store has versions: what is read of a row with changes counts for
// them. r is nil where the row has none.
func (v *Table) load(row *rowstate.Row, r *rowBuffer, rb *storage.RowBatch, i int) (version int64) {
	if !v.t.m.shared {
		row.Load(rb, i)
		return 0
	}
	version = loadVersioned(row, rb, i)
	if r != nil {
		v.t.buf.depend(r, version)
	}
	return version
}

// touch notes a row that was locked at a version: COMMIT is to find it so, also where nothing of it
// changes.
func (b *buffer) touch(table string, key []byte, version int64) {
	b.mu.Lock()
	r := b.row(table, key)
	if !r.touched {
		r.touched = true
		b.touched = append(b.touched, r)
	}
	b.mu.Unlock()
	b.depend(r, version)
}

// untouch forgets the rows that were touched since the mark: their locks are given up.
func (b *buffer) untouch(m bufferMark) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.touched[min(m.touched, len(b.touched)):] {
		r.touched = false
		r.versions = r.versions && len(r.changes) > 0
	}
	b.touched = b.touched[:min(m.touched, len(b.touched))]
}

// touchRows has the transaction depend on rows that it has locked, as they are now.
func (v *Table) touchRows(ctx context.Context, keys [][]byte) error {
	if !v.t.m.shared || len(keys) == 0 {
		return nil
	}
	var rb storage.RowBatch
	if _, err := v.base.MultiGet(ctx, keys, &storage.ScanRequest{KeysOnly: true, WithVersion: true}, &rb); err != nil {
		return err
	}
	var row rowstate.Row
	for _, k := range keys {
		v.t.buf.touch(v.name, k, loadVersioned(&row, &rb, rb.Find(k)))
	}
	return nil
}
