package query

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// What a statement does with the relations that it names is noted as it is bound, and
// checked where it runs: a plan serves all roles.

// Right notes that the statement names a relation. What it does with it is yet to come.
func (b *Binder) Right(rel catalog.Relation, want acl.Right) *plan.Privilege {
	r := &plan.Privilege{Relation: rel.RelID(), Rights: want, As: b.as}
	b.rights = append(b.rights, r)
	return r
}

// WritesColumns notes that columns of a table, by place, are inserted or updated.
func (b *Binder) WritesColumns(t *catalog.Table, want acl.Right, columns []int) {
	r := b.Right(t, want)
	ids := make([]int, len(columns))
	for n, i := range columns {
		ids[n] = t.Columns[i].ID
	}
	if want&acl.Insert != 0 {
		r.Inserted = ids
	}
	if want&acl.Update != 0 {
		r.Updated = ids
	}
}

// SetPlaces are the columns that a SET list assigns.
func SetPlaces(set []plan.SetColumn) []int {
	places := make([]int, len(set))
	for i := range set {
		places[i] = set[i].Column
	}
	return places
}

// setRights gives the statement what it needs.
func (b *Binder) setRights(s *logical.Statement) {
	writes := false
	s.Rights = slices.DeleteFunc(b.rights, func(r *plan.Privilege) bool { return r.Rights == acl.None })
	for _, r := range s.Rights {
		s.AsOthers = s.AsOthers || r.As != 0
		writes = writes || r.Rights&(acl.Insert|acl.Update|acl.Delete) != 0
	}
	if !s.ReadOnly && !writes {
		panic(sqlerr.Internal(nil, "%s is bound without the right that it needs", s.Tag))
	}
}
