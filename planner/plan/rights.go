package plan

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
)

// Privilege is what a statement does with one relation that it names, as far as rights go.
// Columns are by ID.
type Privilege struct {
	Relation uint32
	Rights   acl.Right // Select, Insert, Update …
	Selected []int
	Inserted []int
	Updated  []int
	// As is the role whose rights count: the owner of the view that names the relation. 0 is
	// who runs the statement.
	As uint32
}

// Select notes that a column is read.
func (r *Privilege) Select(column int) {
	r.Rights |= acl.Select
	if !slices.Contains(r.Selected, column) {
		r.Selected = append(r.Selected, column)
	}
}

// Held says whether a role may do it. What it may not do with all of the relation it must
// be allowed with each column that it touches; with one at least where it touches none.
func (r *Privilege) Held(s *catalog.Snapshot, role uint32, rel catalog.Relation) bool {
	have, _ := s.RelationRights(role, rel)
	missing := r.Rights &^ have
	if missing&^(acl.Select|acl.Insert|acl.Update) != 0 {
		return false
	}
	for _, part := range []struct {
		right   acl.Right
		columns []int
	}{{acl.Select, r.Selected}, {acl.Insert, r.Inserted}, {acl.Update, r.Updated}} {
		if missing&part.right == 0 {
			continue
		}
		if len(part.columns) == 0 && !s.AnyColumn(role, rel, part.right) {
			return false
		}
		for _, c := range part.columns {
			if rights, _ := s.ColumnRights(role, rel, c); rights&part.right == 0 {
				return false
			}
		}
	}
	return true
}
