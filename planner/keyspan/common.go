package keyspan

import (
	"slices"
	"sort"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/types"
)

// manyPairs is from how many pairs of ranges on lists are not compared pair by pair.
const manyPairs = 4096

// onlyValues says that all ranges are single values, none of which is NULL.
func onlyValues(t types.T, list []rowcodec.Range) bool {
	for i := range list {
		r := &list[i]
		if r.Lo == nil || r.Hi == nil || !r.LoIncl || !r.HiIncl || r.Lo.Null || r.Hi.Null || r.Lo != r.Hi && types.Compare(t, *r.Lo, *r.Hi) != 0 {
			return false
		}
	}
	return true
}

// common lists the values that are in both lists, each once.
func common(t types.T, a, b []rowcodec.Range) []rowcodec.Range {
	compare := func(x, y rowcodec.Range) int { return types.Compare(t, *x.Lo, *y.Lo) }
	a = slices.Clone(a)
	slices.SortFunc(a, compare)
	a = slices.CompactFunc(a, func(x, y rowcodec.Range) bool { return compare(x, y) == 0 })
	out := a[:0]
	b = slices.Clone(b)
	slices.SortFunc(b, compare)
	for _, r := range a {
		i := sort.Search(len(b), func(i int) bool { return compare(b[i], r) >= 0 })
		if i < len(b) && compare(b[i], r) == 0 {
			out = append(out, r)
		}
	}
	return out
}
