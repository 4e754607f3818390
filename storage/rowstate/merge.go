package rowstate

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/storage"
)

// Merge adds the changes of muts to those of into, and gives what has the same effect on the newest
// cell of each column: one change of a column at most, however many are merged, after one of its
// family and one of the row.
//
//	a@1  then  a@2                    a@2
//	a@2 Latest  then  a@1             a@2 Latest
//	delete a  then  a@1               a@1 Latest     the older cells are not seen under it
//	a@1, b@1  then  delete the row    delete the row
//
// It takes into over, as append does, and neither changes nor copies what muts point to.
func Merge(into, muts []storage.Mutation) []storage.Mutation {
	next := 0 // where the column is, if muts name columns in the order of into
	for i := range muts {
		m := &muts[i]
		switch m.Op {
		case storage.DeleteRow:
			into = append(into[:0], *m)
		case storage.DeleteFamily:
			into = slices.DeleteFunc(into, func(o storage.Mutation) bool { return o.Op != storage.DeleteRow && o.Family == m.Family })
			into = append(into, *m)
		default:
			at := findColumn(into, m, next)
			if next = at + 1; at == len(into) {
				into = append(into, *m)
				continue
			}
			into[at] = over(&into[at], m)
		}
	}
	return into
}

// findColumn gives the place of the change of m's column, or the end. It begins to look at next.
func findColumn(into []storage.Mutation, m *storage.Mutation, next int) int {
	for k := range into {
		at := (next + k) % len(into)
		o := &into[at]
		if o.Op < storage.DeleteFamily && o.Family == m.Family && bytes.Equal(o.Qualifier, m.Qualifier) {
			return at
		}
	}
	return len(into)
}

// over gives the change of a column that has the effect of was and then of m.
func over(was, m *storage.Mutation) storage.Mutation {
	switch {
	case m.Op == storage.DeleteCell || m.Latest:
		return *m
	case was.Op == storage.DeleteCell:
		now := *m
		now.Latest = true
		return now
	case m.Timestamp < was.Timestamp:
		return *was
	}
	now := *m
	now.Latest = was.Latest
	return now
}
