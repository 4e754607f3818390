package transact

import (
	"bytes"

	"github.com/saltsql/saltsql/storage"
)

// internals are the numbers of this package's families in a batch, so that cells need not be asked for
// the names of theirs.
type internals struct{ lock, undo uint16 }

func internalsOf(rb *storage.RowBatch) internals {
	return internals{rb.Intern(lockFamily), rb.Intern(undoFamily)}
}

// of gives the version of row i, and whether it has a lock.
func (in internals) of(rb *storage.RowBatch, i int) (version int64, locked bool) {
	for _, c := range rb.Refs(i) {
		switch c.Family {
		case in.lock:
			locked = true
		case in.undo:
			if bytes.Equal(rb.Slice(c.QualLo, c.QualHi), storage.Version.Qualifier) {
				version = max(version, c.Timestamp)
			}
		}
	}
	return version, locked
}

// simple says that a request asks for no more than which rows have one of its columns, so that they may
// be given as the store below gives them, with cells that nobody has asked for.
func simple(req *storage.ScanRequest) bool {
	return len(req.Project) > 0 && req.Filter == nil && !req.EveryRow && req.MinTS == 0
}

// given says that the rows of a batch from row from on are what a simple request asks for at a moment, as
// they lie there: none has a lock or was committed since, and each has one of the columns.
func given(rb *storage.RowBatch, from int, req *storage.ScanRequest, at int64) bool {
	in := internalsOf(rb)
	for i := from; i < rb.Len(); i++ {
		if version, locked := in.of(rb, i); locked || at != 0 && version > at || !hasOne(rb, i, req.Project) {
			return false
		}
	}
	return true
}

func hasOne(rb *storage.RowBatch, i int, cols []storage.Col) bool {
	for j := range rb.NumCells(i) {
		c := rb.Cell(i, j)
		for k := range cols {
			if isCol(&c, &cols[k]) {
				return true
			}
		}
	}
	return false
}
