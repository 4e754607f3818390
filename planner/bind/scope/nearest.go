package scope

import "slices"

// maxNameDistance is how many edits away a name may be to be suggested.
const maxNameDistance = 3

// nearest finds the columns whose names are nearest to one that does not exist, as
// relation.column: none where none is near, or where more than two are equally near.
func (p *Place) nearest(table, name string) []string {
	best := min(maxNameDistance, len(name)/2) + 1
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
				switch d := editDistance(name, r.Cols[i].Name); {
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

// editDistance counts insertions, deletions and substitutions of bytes.
func editDistance(a, b string) int {
	if len(a)-len(b) > maxNameDistance || len(b)-len(a) > maxNameDistance {
		return maxNameDistance + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next := min(row[j]+1, row[j-1]+1, diagonal+cost)
			diagonal, row[j] = row[j], next
		}
	}
	return row[len(b)]
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
