package bind

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// What a statement does with the relations that it names is noted as it is bound, and
// checked where it runs: a plan serves all roles.

// right notes that the statement names a relation. What it does with it is yet to come.
func (b *binder) right(rel catalog.Relation, want acl.Right) *plan.Privilege {
	r := &plan.Privilege{Relation: rel.RelID(), Rights: want, As: b.as}
	b.rights = append(b.rights, r)
	return r
}

// writesColumns notes that columns of a table, by place, are inserted or updated.
func (b *binder) writesColumns(t *catalog.Table, want acl.Right, columns []int) {
	r := b.right(t, want)
	for _, i := range columns {
		if want&acl.Insert != 0 {
			r.Inserted = append(r.Inserted, t.Columns[i].ID)
		}
		if want&acl.Update != 0 {
			r.Updated = append(r.Updated, t.Columns[i].ID)
		}
	}
}

// setPlaces are the columns that a SET list assigns.
func setPlaces(set []plan.SetColumn) []int {
	places := make([]int, len(set))
	for i := range set {
		places[i] = set[i].Column
	}
	return places
}

// setRights gives the statement what it needs.
func (b *binder) setRights(s *logical.Statement) error {
	writes := false
	for _, r := range b.rights {
		if r.Rights == acl.None {
			continue
		}
		s.Rights = append(s.Rights, *r)
		s.AsOthers = s.AsOthers || r.As != 0
		writes = writes || r.Rights&(acl.Insert|acl.Update|acl.Delete) != 0
	}
	if !s.ReadOnly && !writes {
		return sqlerr.Internal(nil, "%s is bound without the right that it needs", s.Tag)
	}
	return nil
}

// readable notes which of a relation's columns are read, as they are named.
func (r *relation) readable(right *plan.Privilege) {
	r.right = right
	for i := range r.cols {
		r.cols[i].right = right
		if r.table != nil {
			r.cols[i].number = r.table.Columns[i].ID
		}
	}
}
