package grouping

import (
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// MaxGroupingSets is Postgres's limit.
//
//saltsql:limit statements: grouping sets (54001)
const MaxGroupingSets = 4096

// Union joins sets.
func Union(sets ...[]int) []int {
	var out []int
	for _, s := range sets {
		for _, i := range s {
			if !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	return out
}

// Product joins each of a with each of b.
func Product(a, b [][]int) ([][]int, error) {
	if len(a) == 1 && len(b) == 1 {
		for _, i := range b[0] {
			if !slices.Contains(a[0], i) {
				a[0] = append(a[0], i)
			}
		}
		return a, nil
	}
	if len(a)*len(b) > MaxGroupingSets {
		return nil, TooManySets()
	}
	out := make([][]int, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, Union(x, y))
		}
	}
	return out, nil
}

// TooManySets is 54001.
func TooManySets() *sqlerr.Error {
	return sqlerr.New(sqlerr.StatementTooComplex, "too many grouping sets present (maximum %d)", MaxGroupingSets)
}

// DistinctSets drops sets of the same members.
func DistinctSets(sets [][]int) [][]int {
	var out [][]int
	for _, s := range sets {
		sorted := slices.Clone(s)
		slices.Sort(sorted)
		same := func(o []int) bool {
			other := slices.Clone(o)
			slices.Sort(other)
			return slices.Equal(sorted, other)
		}
		if !slices.ContainsFunc(out, same) {
			out = append(out, s)
		}
	}
	return out
}
