package keyspan

import (
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/types"
)

// gaps lists the ranges between values, which x NOT IN (values) leaves: none
// where a value is NULL, for then the comparison is never true.
//
//	NOT IN (3, 1)   x < 1, 1 < x < 3, x > 3
func gaps(t types.T, values []types.Datum) []rowcodec.Range {
	sorted := slices.Clone(values)
	for i := range sorted {
		if sorted[i].Null {
			return nil
		}
	}
	slices.SortFunc(sorted, func(a, b types.Datum) int { return types.Compare(t, a, b) })
	sorted = slices.CompactFunc(sorted, func(a, b types.Datum) bool { return types.Compare(t, a, b) == 0 })
	out := make([]rowcodec.Range, 0, len(sorted)+1)
	r := rowcodec.Range{}
	for i := range sorted {
		r.Hi = &sorted[i]
		out = append(out, r)
		r = rowcodec.Range{Lo: &sorted[i]}
	}
	return append(out, r)
}
