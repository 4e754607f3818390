package losertree

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Sorted runs merge into what a sort of all gives; of equal keys the run of the smaller
// number comes first, in both directions.
func TestMerge(t *testing.T) {
	type item struct {
		key []byte
		run int
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 20 {
		for _, reverse := range []bool{false, true} {
			compare := func(a, b []byte) int {
				if reverse {
					a, b = b, a
				}
				return bytes.Compare(a, b)
			}
			lists := make([][][]byte, n)
			var want []item
			for i := range lists {
				for range rng.IntN(30) {
					// Short keys, and long ones that differ after their first 8 bytes.
					key := fmt.Appendf(nil, "%.*s%d", rng.IntN(12), "abcdefghijkl", rng.IntN(20))
					if rng.IntN(10) == 0 {
						key = key[:0]
					}
					lists[i] = append(lists[i], key)
					want = append(want, item{key, i})
				}
				slices.SortFunc(lists[i], compare)
			}
			slices.SortStableFunc(want, func(a, b item) int {
				if c := compare(a.key, b.key); c != 0 {
					return c
				}
				return a.run - b.run
			})
			runs := make([]Run, n)
			next := func(i int) {
				if runs[i].Done = len(lists[i]) == 0; !runs[i].Done {
					runs[i].Set(lists[i][0])
					lists[i] = lists[i][1:]
				}
			}
			for i := range runs {
				next(i)
			}
			var tree Tree
			tree.Reset(runs, reverse)
			for k := range want {
				i, done := tree.Winner()
				if done || i != want[k].run || !bytes.Equal(runs[i].Key, want[k].key) {
					t.Fatalf("%d runs, reverse %v: %d is %q of run %d (done %v), want %q of %d", n, reverse, k, runs[i].Key, i, done, want[k].key, want[k].run)
				}
				next(i)
				tree.Replay()
			}
			if n > 0 {
				if _, done := tree.Winner(); !done {
					t.Errorf("%d runs: more than all", n)
				}
			}
		}
	}
}
