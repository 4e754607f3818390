package heat

import "math"

// poissonUntil is up to which mean the terms of a Poisson distribution are added up one by one; above
// it is a normal one for what is asked of it.
const poissonUntil = 500

// ExpectedPeak says how much of the mean the fullest of so many buckets gets by chance: where each of
// n falls into any of them alike, half of the time it gets no more. 0 where nothing has fallen.
//
//	160 into 16    1.8        16,000 into 16    1.05
func ExpectedPeak(n int64, buckets int) float64 {
	if n <= 0 || buckets < 1 {
		return 0
	}
	if buckets == 1 {
		return 1
	}
	mean := float64(n) / float64(buckets)
	// One bucket stays below the peak so likely that all do in half of the cases.
	below := math.Pow(0.5, 1/float64(buckets))
	if mean > poissonUntil {
		return 1 + math.Sqrt2*math.Erfinv(2*below-1)/math.Sqrt(mean)
	}
	most, term := 0, math.Exp(-mean)
	for sum := term; sum < below && int64(most) < n; sum += term {
		most++
		term *= mean / float64(most)
	}
	return float64(most) / mean
}
