package keyspan

import (
	"cmp"
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/types"
)

// manyPairs is from how many pairs of ranges on lists are not compared pair by pair.
const manyPairs = 4096

// common gives what is in both lists, in order; ok is false where the ranges of one overlap, or
// are NULL.
func common(t types.T, a, b []rowcodec.Range) (out []rowcodec.Range, ok bool) {
	if a, ok = inOrder(t, a); !ok {
		return nil, false
	}
	if b, ok = inOrder(t, b); !ok {
		return nil, false
	}
	for len(a) > 0 && len(b) > 0 {
		if r, ok := intersect(t, a[0], b[0]); ok {
			out = append(out, r)
		}
		if compareEnds(t, &a[0], &b[0]) <= 0 {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out, true
}

// inOrder sorts ranges, and leaves out what is written twice; ok is false where two overlap, or one
// is NULL.
func inOrder(t types.T, list []rowcodec.Range) (out []rowcodec.Range, ok bool) {
	for i := range list {
		if r := &list[i]; r.Null || r.Lo != nil && r.Lo.Null || r.Hi != nil && r.Hi.Null {
			return nil, false
		}
	}
	out = slices.Clone(list)
	slices.SortFunc(out, func(x, y rowcodec.Range) int { return compareStarts(t, &x, &y) })
	out = slices.CompactFunc(out, func(x, y rowcodec.Range) bool {
		return compareStarts(t, &x, &y) == 0 && compareEnds(t, &x, &y) == 0
	})
	for i := 1; i < len(out); i++ {
		end, start := &out[i-1], &out[i]
		if end.Hi == nil || start.Lo == nil {
			return nil, false
		}
		if c := types.Compare(t, *end.Hi, *start.Lo); c > 0 || c == 0 && end.HiIncl && start.LoIncl {
			return nil, false
		}
	}
	return out, true
}

// compareStarts orders ranges by where they begin; one that has no start is the first.
func compareStarts(t types.T, x, y *rowcodec.Range) int {
	switch {
	case x.Lo == nil || y.Lo == nil:
		return boolOrder(x.Lo != nil, y.Lo != nil)
	case x.Lo == y.Lo:
	default:
		if c := types.Compare(t, *x.Lo, *y.Lo); c != 0 {
			return c
		}
	}
	return boolOrder(!x.LoIncl, !y.LoIncl)
}

// compareEnds orders ranges by where they end; one that has no end is the last.
func compareEnds(t types.T, x, y *rowcodec.Range) int {
	switch {
	case x.Hi == nil || y.Hi == nil:
		return boolOrder(x.Hi == nil, y.Hi == nil)
	case x.Hi == y.Hi:
	default:
		if c := types.Compare(t, *x.Hi, *y.Hi); c != 0 {
			return c
		}
	}
	return boolOrder(x.HiIncl, y.HiIncl)
}

// boolOrder has false before true.
func boolOrder(x, y bool) int {
	n := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return cmp.Compare(n(x), n(y))
}
