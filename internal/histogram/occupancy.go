package histogram

import "math"

// A value of the first key columns that has r rows is in about
//
//	b (1 - (1 - 1/b)^r)
//
// of b buckets, for the hash of the rest draws a bucket for each row (the
// occupancy of b cells by r balls). Where it is, its run has r rows divided by
// that. So the length of a run tells r, r tells the buckets, and a run stands
// for one value divided by them, as in a sample with unequal chances.

// occupied is the part of b buckets that a value is in whose runs have so many
// rows on average.
func occupied(run, b float64) float64 {
	if run <= 1 {
		return 1 / b
	}
	empty := math.Log1p(-1 / b)
	in := func(r float64) float64 { return -math.Expm1(r * empty) }
	lo, hi := 1.0, run*b
	for range 30 {
		mid := (lo + hi) / 2
		if mid/(b*in(mid)) < run {
			lo = mid
		} else {
			hi = mid
		}
	}
	return in(hi)
}

// there is the part of the buckets that the values of piece i are in, of the
// first k columns.
func (h *Histogram) there(i, k int) float64 {
	b := float64(h.schema.Buckets)
	if b <= 1 || k >= h.columns() {
		return 1
	}
	if h.oneBucket(k) {
		return 1 // the spans of a value are in its bucket only
	}
	return occupied(h.run(i, k), b)
}

// countValues fills values. A piece of a few rows says little of how long a run is, and
// nothing if it has one row: that it is a whole run would be as many values as rows.
func (h *Histogram) countValues(pieces []piece) {
	b := float64(h.schema.Buckets)
	h.values = make([][]float64, h.columns())
	for k := 1; k < h.columns(); k++ {
		h.values[k] = make([]float64, len(h.keys)+1)
		for i := range h.keys {
			runs := h.in(k, i)
			if b > 1 && runs > 0 && !h.oneBucket(k) {
				long := h.in(0, i) / runs
				if p := &pieces[i]; p.long != nil {
					long = max(long, p.long[k])
				}
				runs /= b * occupied(long, b)
			}
			h.values[k][i+1] = h.values[k][i] + runs
		}
	}
}

// oneBucket says that the first k columns decide the bucket.
func (h *Histogram) oneBucket(k int) bool {
	for _, c := range h.schema.SaltColumns {
		if c >= k {
			return false
		}
	}
	return h.schema.SaltColumns != nil
}
