package txn

import (
	"slices"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/rowstate"
)

// A row that is changed many times in one transaction is read, and tested, each time with all of
// its changes on top. What they come to is kept, so that a statement merges what the one before it
// has added:
//
//	changes   0 1 2 3 … 40 … 80 81
//	merged            |     |    |      what the first 40, 80, 82 come to
//
// The last goes on with the row. Those before it stay for savepoints: a rollback begins anew at the
// last that it leaves. One stays whenever as many changes of cells have come as it has itself, and
// some, so that together they hold no more than the changes do.

// mergedState is what the first n changes of a row come to. It is never changed: readers hold it.
type mergedState struct {
	n    int
	muts []storage.Mutation
	work int // changes of cells merged since the state before
}

// keepEvery is the least number of changes of cells between two states that are kept.
const keepEvery = 32

// changesOf gives the changes of a row among the first seq of the log, as they show to who reads
// that many versions of a cell: of one, those of a column are one.
func (b *buffer) changesOf(r *rowBuffer, seq, versions int) []storage.Mutation {
	b.mu.RLock()
	changes := r.upTo(seq)
	n, last := len(changes), len(r.merged)-1
	switch {
	case n == 0:
		b.mu.RUnlock()
		return nil
	case n == 1:
		b.mu.RUnlock()
		return changes[0].muts
	case versions > 1:
		var all []storage.Mutation
		for i := range changes {
			all = append(all, changes[i].muts...)
		}
		b.mu.RUnlock()
		return all
	case last >= 0 && r.merged[last].n == n:
		defer b.mu.RUnlock()
		return r.merged[last].muts
	}
	b.mu.RUnlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.merge(r, changes)
}

// merge gives what the first changes of a row come to, of which there are two or more, and keeps it
// where no later state is kept.
func (b *buffer) merge(r *rowBuffer, changes []change) []storage.Mutation {
	at := len(r.merged) - 1
	for at >= 0 && r.merged[at].n > len(changes) {
		at--
	}
	var s mergedState
	if at >= 0 {
		s = r.merged[at]
	}
	if s.n == len(changes) {
		return s.muts
	}
	now := mergedState{n: len(changes), muts: slices.Clone(s.muts)}
	for _, c := range changes[s.n:] {
		now.muts = rowstate.Merge(now.muts, c.muts)
		now.work += len(c.muts)
	}
	b.merges += now.work
	switch {
	case at < len(r.merged)-1: // for a reader of an older state, once
	case at < 0 || s.work >= max(keepEvery, len(s.muts)):
		r.merged = append(r.merged, now)
	default:
		now.work += s.work
		r.merged[at] = now
	}
	return now.muts
}

// forget drops what is kept of changes that are undone.
func (r *rowBuffer) forget() {
	n := len(r.merged)
	for n > 0 && r.merged[n-1].n > len(r.changes) {
		n--
	}
	clear(r.merged[n:])
	r.merged = r.merged[:n]
}
