package sqlerr

import "strings"

// MaxDistance is how many edits away from what was written a name may be for a HINT to suggest it.
const MaxDistance = 3

// Distance counts the insertions, deletions and substitutions of bytes between two names; where
// they are surely more than MaxDistance it may be any number above that.
func Distance(a, b string) int {
	if len(a)-len(b) > MaxDistance || len(b)-len(a) > MaxDistance {
		return MaxDistance + 1
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

// Nearest is the one of names that is nearest to one that does not exist, whatever their letters' case: a
// quarter of it may differ, and MaxDistance at most. "" where none is near, or two are alike.
func Nearest(name string, names []string) string {
	best, found := min(MaxDistance, len(name)/4)+1, ""
	for _, n := range names {
		switch d := Distance(strings.ToLower(name), strings.ToLower(n)); {
		case d < best:
			best, found = d, n
		case d == best:
			found = ""
		}
	}
	return found
}
