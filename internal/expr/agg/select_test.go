package agg

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSelectRanks: the values at the ranks are those that a sort puts there.
func TestSelectRanks(t *testing.T) {
	shapes := map[string]func(r *rand.Rand, i, n int) float64{
		"random":    func(r *rand.Rand, i, n int) float64 { return r.NormFloat64() },
		"few":       func(r *rand.Rand, i, n int) float64 { return float64(r.IntN(7)) },
		"one":       func(r *rand.Rand, i, n int) float64 { return 3 },
		"ascending": func(r *rand.Rand, i, n int) float64 { return float64(i) },
		"falling":   func(r *rand.Rand, i, n int) float64 { return float64(n - i) },
		"pipe":      func(r *rand.Rand, i, n int) float64 { return float64(min(i, n-i)) },
		"odd": func(r *rand.Rand, i, n int) float64 {
			return [...]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 1}[r.IntN(6)]
		},
		"nan": func(r *rand.Rand, i, n int) float64 { return math.NaN() },
	}
	for name, value := range shapes {
		r := rand.New(rand.NewPCG(1, 2))
		for range 60 {
			n := 1 + r.IntN([...]int{3, 20, 3000}[r.IntN(3)])
			var ranks []int64
			for range 1 + r.IntN(5) {
				ranks = append(ranks, r.Int64N(int64(n)))
			}
			slices.Sort(ranks)
			ranks = slices.Compact(ranks)
			floats, ints := make([]float64, n), make([]int64, n)
			for i := range n {
				floats[i] = value(r, i, n)
				if v := floats[i]; !math.IsNaN(v) && !math.IsInf(v, 0) {
					ints[i] = int64(v * 1000)
				}
			}
			sortedFloats, sortedInts := slices.Clone(floats), slices.Clone(ints)
			slices.SortFunc(sortedFloats, func(a, b float64) int { // NaN last
				return cmp.Or(cmp.Compare(nan(a), nan(b)), cmp.Compare(a, b))
			})
			slices.Sort(sortedInts)
			selectRanks(floats, ranks)
			selectRanks(ints, ranks)
			for _, at := range ranks {
				if a, b := floats[at], sortedFloats[at]; a != b && !(nan(a) == 1 && nan(b) == 1) {
					t.Fatalf("%s: of %d values number %d is %v, not %v", name, n, at, a, b)
				}
				if a, b := ints[at], sortedInts[at]; a != b {
					t.Fatalf("%s: of %d values number %d is %v, not %v", name, n, at, a, b)
				}
			}
			slices.SortFunc(floats, cmp.Compare[float64])
			slices.SortFunc(sortedFloats, cmp.Compare[float64])
			if fmt.Sprint(floats) != fmt.Sprint(sortedFloats) && name != "odd" { // -0 is 0
				t.Fatal(name, ": values were lost")
			}
		}
	}
}

func nan(v float64) int {
	if math.IsNaN(v) {
		return 1
	}
	return 0
}

func BenchmarkSelectRanks(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	from := make([]float64, 1_000_000)
	for i := range from {
		from[i] = float64(r.IntN(1000))
	}
	vals := make([]float64, len(from))
	for b.Loop() {
		copy(vals, from)
		selectRanks(vals, []int64{499_999, 500_000})
	}
}
