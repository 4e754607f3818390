package spill

import (
	"slices"

	"github.com/saltsql/saltsql/exec/op"
)

const (
	// sortPiece is how many elements are sorted without a look at the statement's end: some
	// milliseconds.
	sortPiece = 1 << 15
	// pivotSample is how many elements a pivot is the median of.
	pivotSample = 31
)

// Sort is slices.SortFunc for a list of any length, which ends early where the statement does.
// Above sortPiece elements the list is cut in two by a pivot, as quicksort does, and both parts
// sorted; where the pivot was a bad one, a part is sorted at once.
func Sort[T any](cx *op.Context, list []T, compare func(a, b T) int) error {
	for len(list) > sortPiece {
		at := partition(list, compare)
		if err := cx.Canceled(); err != nil {
			return err
		}
		part, rest := list[:at], list[at:]
		if len(part) > len(rest) {
			part, rest = rest, part
		}
		if len(part) < len(list)/16 {
			slices.SortFunc(list, compare)
			return cx.Canceled()
		}
		if err := Sort(cx, part, compare); err != nil {
			return err
		}
		list = rest
	}
	slices.SortFunc(list, compare)
	return cx.Canceled()
}

// partition reorders a list so that no element before the place that it gives is greater than
// one from there on (Hoare 1962).
func partition[T any](list []T, compare func(a, b T) int) int {
	var sample [pivotSample]T
	for i := range sample {
		sample[i] = list[i*(len(list)-1)/(pivotSample-1)]
	}
	slices.SortFunc(sample[:], compare)
	pivot := sample[pivotSample/2]
	i, j := 0, len(list)-1
	for {
		for compare(list[i], pivot) < 0 {
			i++
		}
		for compare(list[j], pivot) > 0 {
			j--
		}
		if i >= j {
			return i
		}
		list[i], list[j] = list[j], list[i]
		i++
		j--
	}
}
