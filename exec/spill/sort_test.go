package spill

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/exec/op"
)

// TestSort sorts lists of all shapes as slices.Sort does, and ends early where the statement
// has ended: after no more comparisons than a piece needs.
func TestSort(t *testing.T) {
	const n = 5 * sortPiece
	shapes := map[string]func(i int) int{
		"random":        func(int) int { return rand.Int() },
		"ascending":     func(i int) int { return i },
		"descending":    func(i int) int { return -i },
		"equal":         func(int) int { return 7 },
		"two values":    func(i int) int { return i % 2 },
		"organ pipe":    func(i int) int { return min(i, n-i) },
		"sawtooth":      func(i int) int { return i % 1000 },
		"greatest last": func(i int) int { return i / (n - 1) },
		"least first":   func(i int) int { return min(i, 1) },
		"samples alone": func(i int) int { return i % ((n - 1) / (pivotSample - 1)) },
	}
	for name, value := range shapes {
		for _, n := range []int{0, 1, sortPiece, sortPiece + 1, n} {
			list := make([]int, n)
			for i := range list {
				list[i] = value(i)
			}
			want := slices.Sorted(slices.Values(list))
			if err := Sort(&op.Context{Ctx: context.Background()}, list, cmp.Compare[int]); err != nil || !slices.Equal(list, want) {
				t.Errorf("%s, %d elements: wrong order, %v", name, n, err)
			}
		}
	}

	ctx, cancel := context.WithCancel(context.Background())
	list := make([]int, n)
	for i := range list {
		list[i] = rand.Int()
	}
	compared := 0
	err := Sort(&op.Context{Ctx: ctx}, list, func(a, b int) int {
		if compared++; compared == 10 {
			cancel()
		}
		return cmp.Compare(a, b)
	})
	if !errors.Is(err, context.Canceled) || compared > 3*n {
		t.Errorf("%v after %d comparisons", err, compared)
	}
}
