package write

import (
	"errors"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// What writers count of each bucket (internal/heat): a row when the store, or the transaction, has
// taken it, whether or not the transaction commits, as PostgreSQL counts tuples. An entry of an
// index counts once, however many calls the store needs for it.

// heatOfRows counts the rows of a write that ended with err.
func heatOfRows(h *op.HeatOf, rows []storage.RowMutation, err error) {
	if !h.Counts() {
		return
	}
	var failed []storage.RowError
	var pe *storage.PartialError
	if errors.As(err, &pe) {
		failed = pe.Rows
	} else if err != nil {
		return
	}
	for i := range rows {
		if len(failed) > 0 && failed[0].Index == i {
			failed = failed[1:]
			continue
		}
		h.Wrote(rows[i].Key, rows[i].Mutations)
	}
}

// heatOfConds counts the rows that conditional writes, which ended with err, have changed.
func heatOfConds(h *op.HeatOf, ms []storage.CondMutation, matched []bool, err error) {
	if !h.Counts() {
		return
	}
	for i := range ms {
		muts := ms[i].Then
		if !matched[i] {
			if err != nil { // perhaps it was not even tried
				continue
			}
			muts = ms[i].Else
		}
		if len(muts) > 0 {
			h.Wrote(ms[i].Key, muts)
		}
	}
}

// heatOfEntry counts an entry that was written with its row.
func heatOfEntry(h *op.HeatOf, e *txn.Entry) {
	if !e.Kept {
		h.Wrote(e.Key, e.Content)
	}
}
