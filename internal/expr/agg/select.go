package agg

import (
	"math"
	"slices"
)

// selectRanks moves values so that those which a sort would put at the places in ranks,
// ascending and without repeats, are there. It takes time in proportion to the number of
// values, and of few ranks much less than a sort. NaN is greatest.
func selectRanks[E int64 | float64](vals []E, ranks []int64) {
	n := len(vals)
	for i := 0; i < n; { // NaN goes to the end: the rest is compared by <
		if v := vals[i]; v != v {
			n--
			vals[i], vals[n] = vals[n], v
			continue
		}
		i++
	}
	for len(ranks) > 0 && ranks[len(ranks)-1] >= int64(n) {
		ranks = ranks[:len(ranks)-1]
	}
	selectAmong(vals[:n], ranks, 0)
}

// selectAmong is selectRanks of values that begin at place from of all, without NaN: the
// rank in the middle parts the others.
func selectAmong[E int64 | float64](vals []E, ranks []int64, from int64) {
	for len(ranks) > 0 {
		mid := len(ranks) / 2
		at := int(ranks[mid] - from)
		selectOne(vals, at)
		selectAmong(vals[:at], ranks[:mid], from)
		vals, ranks, from = vals[at+1:], ranks[mid+1:], from+int64(at)+1
	}
}

const (
	// sampledFrom is from how many values on a pivot is chosen by a sample.
	sampledFrom = 600
	// mostRounds bounds how often values are parted: a good pivot leaves a fraction of
	// them, and against values that are laid out for bad ones a sort does it.
	mostRounds = 64
)

// selectOne puts the value of rank at there, with no greater ones before it and no smaller
// ones behind: Floyd and Rivest's algorithm 489.
func selectOne[E int64 | float64](vals []E, at int) {
	lo, hi := 0, len(vals)-1
	for round := 0; lo < hi; round++ {
		if round == mostRounds {
			slices.Sort(vals[lo : hi+1])
			return
		}
		if n := hi - lo + 1; n > sampledFrom {
			// Of a sample around the place, its element of the place's rank is a pivot that
			// leaves few values, most likely.
			i, z := float64(at-lo+1), math.Log(float64(n))
			s := 0.5 * math.Exp(2*z/3)
			d := 0.5 * math.Sqrt(z*s*(float64(n)-s)/float64(n))
			if i < float64(n)/2 {
				d = -d
			}
			first := max(lo, int(float64(at)-i*s/float64(n)+d))
			last := min(hi, int(float64(at)+(float64(n)-i)*s/float64(n)+d))
			if first < last && first <= at && at <= last {
				selectOne(vals[first:last+1], at-first)
			}
		}
		pivot := vals[at]
		i, j := lo, hi
		for i <= j {
			for vals[i] < pivot {
				i++
			}
			for pivot < vals[j] {
				j--
			}
			if i <= j {
				vals[i], vals[j] = vals[j], vals[i]
				i++
				j--
			}
		}
		// vals[lo..j] ≤ pivot ≤ vals[i..hi], and what is between is the pivot.
		switch {
		case at <= j:
			hi = j
		case at >= i:
			lo = i
		default:
			return
		}
	}
}
