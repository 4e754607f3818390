package colstats

import (
	"sort"

	"github.com/saltsql/saltsql/internal/types"
)

// Target is how many common values and how many bounds are kept of a column at most, and
// SampleRows the rows that are looked at for them: PostgreSQL's default_statistics_target
// and its 300 rows for each, by Chaudhuri, Motwani and Narasayya, "Random Sampling for
// Histogram Construction" (1998).
const (
	Target     = 100
	SampleRows = 300 * Target
)

// widest is the size in bytes of values that are neither common values nor bounds.
const widest = 1024

// Table is what is known of a table's columns.
type Table struct {
	Rows    float64         // about, when they were looked at
	Columns map[int]*Column // by catalog.Column.ID
}

// Column is what is known of a column.
type Column struct {
	Type  types.T // of its values
	Nulls float64 // the part of rows that hold NULL
	Width int     // bytes of a value, on average
	// Distinct is the number of values; below 0, of a column whose values grow in number with the
	// rows, it is that number for each row, negated; 0 is not known.
	Distinct float64
	// Common are the values that come most often, the most frequent first, and Freqs the
	// part of all rows that each has.
	Common []types.Datum
	Freqs  []float64
	// Bounds cut the values that are not in Common into parts of as many rows each, in order.
	Bounds []types.Datum
	// Correlation is that of the order of the values with the order of the key, from -1 to 1; Ordered says
	// that it is known.
	Correlation float64
	Ordered     bool
}

// Values is how many values the column has in a table of so many rows, at least 1; 0 is not known.
func (c *Column) Values(rows float64) float64 {
	switch {
	case c.Distinct < 0:
		return max(-c.Distinct*rows, 1)
	case c.Distinct > 0:
		return max(min(c.Distinct, rows), 1)
	}
	return 0
}

// common is the part of rows that the common values have together.
func (c *Column) common() float64 {
	sum := 0.0
	for _, f := range c.Freqs {
		sum += f
	}
	return sum
}

// others is the part of rows whose values are neither NULL nor common.
func (c *Column) others() float64 { return max(1-c.Nulls-c.common(), 0) }

// Equal is the part of a table's rows that hold a value; ok is false where that is not known.
func (c *Column) Equal(v types.Datum, rows float64) (part float64, ok bool) {
	if v.Null {
		return 0, true
	}
	for i := range c.Common {
		if types.Equal(c.Type, c.Common[i], v) {
			return c.Freqs[i], true
		}
	}
	n := c.Values(rows)
	if n == 0 {
		return 0, false
	}
	part = c.others() / max(n-float64(len(c.Common)), 1)
	if len(c.Freqs) > 0 { // it would be among them
		part = min(part, c.Freqs[len(c.Freqs)-1])
	}
	return part, true
}

// EqualAny is Equal of a value that is not known yet.
func (c *Column) EqualAny(rows float64) (part float64, ok bool) {
	n := c.Values(rows)
	if n == 0 {
		return 0, false
	}
	return (1 - c.Nulls) / n, true
}

// Below is the part of rows whose values are less than v, or v itself with equal; ok is
// false where too little is known of the values.
func (c *Column) Below(v types.Datum, equal bool) (part float64, ok bool) {
	if v.Null {
		return 0, true
	}
	if len(c.Common) == 0 && len(c.Bounds) < 2 {
		return 0, false
	}
	for i := range c.Common {
		if d := types.Compare(c.Type, c.Common[i], v); d < 0 || d == 0 && equal {
			part += c.Freqs[i]
		}
	}
	if n := len(c.Bounds); n >= 2 {
		at := sort.Search(n, func(i int) bool {
			d := types.Compare(c.Type, c.Bounds[i], v)
			return d > 0 || d == 0 && !equal
		})
		switch {
		case at == n:
			part += c.others()
		case at > 0:
			in := between(c.Type, c.Bounds[at-1], c.Bounds[at], v)
			part += c.others() * (float64(at-1) + in) / float64(n-1)
		}
	}
	return min(part, 1), true
}

// Each calls let with values that stand for all: the common ones and the bounds, and sums up
// the part of the rows for which it says true. null is what it says of NULL. ok is false
// where too few values are known to say so.
func (c *Column) Each(null bool, let func(v types.Datum) bool) (part float64, ok bool) {
	others := c.others()
	if others > 0.01 && len(c.Bounds) < 10 {
		return 0, false
	}
	if null {
		part = c.Nulls
	}
	for i := range c.Common {
		if let(c.Common[i]) {
			part += c.Freqs[i]
		}
	}
	if n := len(c.Bounds); n > 0 {
		hit := 0
		for i := range c.Bounds {
			if let(c.Bounds[i]) {
				hit++
			}
		}
		// None of n does not mean that no row is let through.
		part += others * max(float64(hit)/float64(n), 0.5/float64(n))
	}
	return min(part, 1), true
}
