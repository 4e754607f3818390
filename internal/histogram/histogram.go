package histogram

import (
	"bytes"
	"sort"

	"github.com/saltsql/saltsql/catalog/rowcodec"
)

// Histogram is of one table. It is immutable.
type Histogram struct {
	schema *rowcodec.KeySchema
	keys   [][]byte // where pieces begin, ascending
	top    []byte   // the largest logical key known: buckets are alike
	// below[k][i]: what lies before piece i; one more than pieces. below[0]
	// counts rows, and below[k] the runs of rows that agree in the first k
	// columns and in the bucket. A run counts to the piece that ends where it
	// begins or later: a piece of one value, which the next goes on with, has none.
	below [][]float64
	// values[k][i]: likewise the runs, each divided by the buckets that its value is in.
	values [][]float64
}

// Rows is about how many rows the table has.
func (h *Histogram) Rows() float64 { return h.below[0][len(h.keys)] }

// Pieces is the number of pieces.
func (h *Histogram) Pieces() int { return len(h.keys) }

// Spread tells what lies in some spans.
type Spread struct {
	// Rows is about how many rows there are.
	Rows float64
	// Runs[k] is how many times one meets other values of the first k key columns
	// when reading in the order of the row key, bucket after bucket: the seeks
	// that visit each. Runs[0] is the number of buckets.
	Runs []float64
	// Distinct[k] is the number of values of the first k key columns.
	Distinct []float64
	// Spans is the number of spans, over all buckets, and Points of full keys.
	Spans, Points int
}

// columns is the number of key columns.
func (h *Histogram) columns() int { return len(h.schema.Columns) }

// Spread looks spans up. equal is how many leading columns each span binds to
// one value.
func (h *Histogram) Spread(set *rowcodec.SpanSet, equal int) Spread {
	n := h.columns()
	out := Spread{Runs: make([]float64, n+1), Distinct: make([]float64, n+1), Points: len(set.Points)}
	for _, b := range set.Buckets {
		out.Spans += len(b.Spans)
		for _, s := range b.Spans {
			h.add(&out, s.Start, s.End, equal)
		}
	}
	out.Runs[0] = float64(len(set.Buckets))
	points := float64(len(set.Points))
	out.Rows += points
	perBucket := 1.0
	if len(set.Buckets) > 0 {
		perBucket = float64(out.Spans) / float64(len(set.Buckets))
	}
	for k := 1; k < n; k++ {
		out.Runs[k] = min(out.Runs[k]+points, out.Rows)
		if k <= equal {
			out.Distinct[k] = perBucket
		}
		out.Distinct[k] = min(out.Distinct[k]+points, out.Runs[k])
	}
	out.Runs[n], out.Distinct[n] = out.Rows, out.Rows
	out.Distinct[0] = min(out.Rows, 1)
	return out
}

// add adds one span. Where it binds columns to values, what it has of a piece
// that holds other values too is told by the runs of that piece, for values
// lie in the key space in no proportion to their rows:
//
//	piece     h1 h1 h1 h2 | h2 h2 h4 h4 | h4 h5 h6 h6
//	h2                 ^^   ^^ ^^         half a piece, or a run if that is shorter; half
//	                                      where the value has the piece beside too
//	h5                                       ^^    a run
func (h *Histogram) add(out *Spread, lo, hi []byte, equal int) {
	i, j := h.piece(lo), len(h.keys)-1
	if len(hi) > 0 {
		j = h.piece(hi)
	}
	before := out.Rows
	runs := append([]float64(nil), out.Runs...)
	switch {
	case j < 0:
	case i == j:
		rows := h.in(0, i) * (h.upTo(i, hi) - h.upTo(i, lo))
		if equal > 0 && h.in(equal, i) > 0 {
			rows = h.run(i, equal) * h.there(i, equal)
			if end, ok := rowcodec.PrefixEnd(lo); !ok || !bytes.Equal(end, hi) {
				rows *= rangeOfRun
			}
		}
		h.share(out, i, rows, equal, i, i)
	default:
		fromStart, toEnd := h.wholeRun(h.keys[j], lo, hi, equal)
		// The pieces in the middle have one value: they tell of it, not those at the ends.
		mid := j
		if j > i+1 {
			mid = j - 1
		}
		if i >= 0 {
			like := i
			if equal > 0 {
				like = i + 1
			}
			h.share(out, i, h.end(i, i+1, equal, fromStart, 1-h.upTo(i, lo)), equal, like, max(mid, like))
		}
		for p := i + 1; p < j; p++ {
			h.share(out, p, h.in(0, p), equal, p, p)
		}
		rows, like := h.end(j, j-1, equal, toEnd, h.upTo(j, hi)), j
		if equal > 0 {
			like = min(i+1, mid)
		}
		h.share(out, j, rows, equal, like, max(mid, like))
	}
	for k := range runs {
		if k > 0 && k < h.columns() {
			out.Runs[k] = max(out.Runs[k], runs[k]+min(out.Rows-before, 1))
		}
	}
}

// rangeOfRun is the part that a range is taken to have of the rows of a value
// that are too few to be known one by one.
const rangeOfRun = 1.0 / 3

// end gives the rows that a span has of a piece where it begins or ends; part is
// how much of the key space of the piece it has, and whole that it has all of the
// value that it shares with the piece beside.
func (h *Histogram) end(i, beside, equal int, whole bool, part float64) float64 {
	rows := h.in(0, i)
	if equal == 0 || h.in(equal, i) == 0 {
		return rows * part
	}
	run := h.run(i, equal)
	if beside >= 0 && h.in(equal, beside) == 0 {
		run = rows // the value is common: it ends anywhere in the piece
	}
	rows = min(rows/2, run)
	if !whole {
		rows /= 2
	}
	return rows
}

// wholeRun says whether a span from lo to hi that has key begins and ends where the
// value of its first columns does.
func (h *Histogram) wholeRun(key, lo, hi []byte, equal int) (fromStart, toEnd bool) {
	if equal == 0 {
		return true, true
	}
	prefix, ok := h.schema.AppendPrefix(nil, key, equal)
	if !ok {
		return true, true
	}
	end, _ := rowcodec.PrefixEnd(prefix)
	return bytes.Equal(prefix, lo), bytes.Equal(end, hi)
}

// share adds so many rows of piece i, with runs and values as in the pieces from
// like to last.
func (h *Histogram) share(out *Spread, i int, rows float64, equal, like, last int) {
	rows = min(rows, h.in(0, i))
	all := h.below[0][last+1] - h.below[0][like]
	if rows <= 0 {
		return
	}
	out.Rows += rows
	for k := equal + 1; k < h.columns() && all > 0; k++ {
		out.Runs[k] += (h.below[k][last+1] - h.below[k][like]) * rows / all
		out.Distinct[k] += (h.values[k][last+1] - h.values[k][like]) * rows / all
	}
}

// in is what piece i has: rows, or runs of the first k columns.
func (h *Histogram) in(k, i int) float64 {
	if k >= h.columns() {
		k = 0
	}
	return h.below[k][i+1] - h.below[k][i]
}

// run is the average length of the runs of a piece.
func (h *Histogram) run(i, k int) float64 {
	if k >= h.columns() {
		return 1
	}
	return h.in(0, i) / max(h.in(k, i), 1)
}

// piece finds the piece that key lies in; -1 is before the first.
func (h *Histogram) piece(key []byte) int {
	return sort.Search(len(h.keys), func(i int) bool { return bytes.Compare(h.keys[i], key) > 0 }) - 1
}

// Part says which part of the rows in a set has keys that match answers true for, by
// the keys that pieces begin with, each standing for its piece. known is false where fewer than 8 lie in the set.
// Where none matches, half a key is taken to.
func (h *Histogram) Part(set *rowcodec.SpanSet, match func(key []byte) bool) (part float64, known bool) {
	var keys, all, some float64
	for _, b := range set.Buckets {
		for _, s := range b.Spans {
			i := sort.Search(len(h.keys), func(i int) bool { return bytes.Compare(h.keys[i], s.Start) >= 0 })
			for ; i < len(h.keys) && (len(s.End) == 0 || bytes.Compare(h.keys[i], s.End) < 0); i++ {
				keys++
				all += h.in(0, i)
				if match(h.keys[i]) {
					some += h.in(0, i)
				}
			}
		}
	}
	if keys < 8 || all == 0 {
		return 0, false
	}
	return max(some/all, 0.5/keys), true
}
