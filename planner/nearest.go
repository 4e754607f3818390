package planner

// maxNameDistance is how many edits away a name may be to be suggested.
const maxNameDistance = 3

// nearest finds the column whose name is nearest to one that does not exist, as
// relation.column; empty if none is near, or several are equally near.
func (s *scope) nearest(table, name string) string {
	best, found, tied := min(maxNameDistance, len(name)/2)+1, "", false
	for _, r := range s.rels {
		// A name right but for its relation is the nearest there is.
		if table != "" && r.name != table {
			continue
		}
		for i := range r.cols {
			d := editDistance(name, r.cols[i].name)
			switch {
			case d < best:
				best, found, tied = d, r.name+"."+r.cols[i].name, false
				if r.name == "" {
					found = r.cols[i].name
				}
			case d == best && found != "":
				tied = true
			}
		}
	}
	if tied {
		return ""
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
