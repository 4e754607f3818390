package scope

import (
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// nearest finds the columns whose names are nearest to one that does not exist, as
// relation.column: none where none is near, or where more than two are equally near.
func (p *Place) nearest(table, name string) []string {
	best := min(sqlerr.MaxDistance, len(name)/2) + 1
	var found []string
	for l := p.Level; l != nil; l = l.Parent {
		for _, r := range l.Scope.AllRelations() {
			if table != "" && r.Name != table {
				continue
			}
			for i := range r.Cols {
				full := r.Cols[i].Name
				if r.Name != "" {
					full = r.Name + "." + full
				}
				switch d := sqlerr.Distance(name, r.Cols[i].Name); {
				case d < best:
					best, found = d, []string{full}
				case d == best && found != nil:
					found = append(found, full)
				}
			}
		}
	}
	if len(found) > 2 {
		return nil
	}
	return found
}

// AllRelations lists the relations of a scope and of those that are more of the same.
func (s *Scope) AllRelations() []*Relation {
	if s == nil {
		return nil
	}
	if s.Next == nil {
		return s.Rels
	}
	return slices.Concat(s.Rels, s.Next.AllRelations())
}
