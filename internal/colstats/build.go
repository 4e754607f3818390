package colstats

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Builder takes the values of one column and says what is known of it then. It keeps
// copies of them, but for values over 1 kB.
type Builder struct {
	typ     types.T
	ordered bool
	values  []value
	seen    int // rows
	nulls   int
	wide    int // values over widest
	bytes   int64
}

type value struct {
	d   types.Datum
	row int // the first row is 0
}

// NewBuilder begins with a column of a type; ordered says that its values can be compared.
func NewBuilder(t types.T, ordered bool) *Builder { return &Builder{typ: t, ordered: ordered} }

// Add takes n values from a vector.
func (b *Builder) Add(v *vec.Vec, n int) {
	for i := range n {
		b.seen++
		if v.Null(i) {
			b.nulls++
			continue
		}
		d := v.Datum(i)
		size := len(d.Bytes)
		b.bytes += int64(storedSize(b.typ, size))
		switch {
		case !b.ordered:
		case size > widest:
			b.wide++
		default:
			b.values = append(b.values, value{d.Clone(b.typ), b.seen - 1})
		}
	}
}

// storedSize is what a value of so many bytes takes as PostgreSQL stores it; that of types
// which have no bytes here is what their smallest values take.
func storedSize(t types.T, bytes int) int {
	if n := t.Kind.Info().Len; n > 0 {
		return int(n)
	}
	switch t.Phys() {
	case types.PhysDecimal:
		return 8
	case types.PhysArray:
		return 24
	}
	if bytes < 127 {
		return bytes + 1
	}
	return bytes + 4
}

// group is one value of the sample.
type group struct {
	first int // of its rows, in the sorted values
	rows  int
}

// Column says what is known of the column in a table of so many rows. rank gives the place
// of each row that was added in the order of the key; nil is the order in which they came.
// It gives nil where no row was seen.
func (b *Builder) Column(rows float64, rank []int) *Column {
	if b.seen == 0 {
		return nil
	}
	c := &Column{Type: b.typ, Nulls: float64(b.nulls) / float64(b.seen)}
	if n := b.seen - b.nulls; n > 0 {
		c.Width = int(math.Round(float64(b.bytes) / float64(n)))
	}
	rows = max(rows, float64(b.seen))
	if len(b.values) == 0 {
		if b.wide > 0 {
			c.Distinct = c.Nulls - 1 // each wide value is taken for one of its own
		}
		return c
	}
	if rank != nil {
		for i := range b.values {
			b.values[i].row = rank[b.values[i].row]
		}
		slices.SortFunc(b.values, func(x, y value) int { return cmp.Compare(x.row, y.row) })
	}
	slices.SortStableFunc(b.values, func(x, y value) int { return types.Compare(b.typ, x.d, y.d) })
	groups := b.group()
	repeated := 0
	for _, g := range groups {
		if g.rows > 1 {
			repeated++
		}
	}
	c.Distinct = b.distinct(len(groups), repeated, rows, c.Nulls)
	c.Correlation, c.Ordered = b.correlation()
	common := b.commonest(groups, repeated, c, rows)
	for _, i := range common {
		c.Common = append(c.Common, b.values[groups[i].first].d)
		c.Freqs = append(c.Freqs, float64(groups[i].rows)/float64(b.seen))
	}
	c.Bounds = b.bounds(groups, common)
	b.values = nil
	return c
}

// group gives the values of the sorted sample.
func (b *Builder) group() []group {
	var out []group
	for i := range b.values {
		if i == 0 || !types.Equal(b.typ, b.values[i-1].d, b.values[i].d) {
			out = append(out, group{first: i})
		}
		out[len(out)-1].rows++
	}
	return out
}

// distinct guesses the number of values in the whole table, in the form of Column.Distinct:
// by Haas and Stokes's Duj1, n*d / (n - f1 + f1*n/N), where f1 values of d came once in n rows of N.
func (b *Builder) distinct(groups, repeated int, rows, nulls float64) float64 {
	notNull := rows * (1 - nulls)
	found := float64(groups + b.wide)
	switch {
	case repeated == 0:
		return -(1 - nulls) // every value is another
	case groups == repeated && b.wide == 0: // every value came again: there are no others
	default:
		n := float64(b.seen - b.nulls)
		once := found - float64(repeated)
		all := n * found / (n - once + once*n/max(notNull, n))
		found = math.Floor(min(max(all, found), notNull) + 0.5)
	}
	if found > 0.1*rows {
		return -found / rows // it grows with the table
	}
	return found
}

// correlation is Pearson's, of the order of the values and the order of the key; ok is false
// of fewer than two values.
func (b *Builder) correlation() (r float64, ok bool) {
	n := float64(len(b.values))
	if n < 2 {
		return 0, false
	}
	var x, y, xx, yy, xy float64
	for i := range b.values {
		p, q := float64(i), float64(b.values[i].row)
		x, y, xx, yy, xy = x+p, y+q, xx+p*p, yy+q*q, xy+p*q
	}
	return (n*xy - x*y) / math.Sqrt((n*xx-x*x)*(n*yy-y*y)), true
}

// commonest chooses the common values: all of them where there are few, else those that
// come significantly more often than the rest would on average (analyze_mcv_list).
func (b *Builder) commonest(groups []group, repeated int, c *Column, rows float64) []int {
	track := make([]int, 0, len(groups))
	for i := range groups {
		if groups[i].rows > 1 {
			track = append(track, i)
		}
	}
	sort.SliceStable(track, func(x, y int) bool { return groups[track[x]].rows > groups[track[y]].rows })
	if len(groups) == repeated && b.wide == 0 && c.Distinct > 0 && len(groups) <= Target {
		return track
	}
	track = track[:min(len(track), Target)]
	n, all := float64(b.seen), rows
	if n >= all {
		return track
	}
	values := c.Values(rows)
	sum := 0.0
	for _, i := range track[:max(len(track)-1, 0)] {
		sum += float64(groups[i].rows)
	}
	for len(track) > 0 {
		last := len(track) - 1
		rest := max(min(1-sum/n-c.Nulls, 1), 0)
		if more := values - float64(last); more > 1 {
			rest /= more
		}
		k := float64(groups[track[last]].rows)
		drawn := n * k * all / n // K of the hypergeometric distribution
		variance := n * (drawn / n) * (all - drawn/n) * (all - n) / (all * all * (all - 1))
		if k > rest*n+2*math.Sqrt(max(variance, 0))+0.5 {
			break
		}
		if track = track[:last]; last > 0 {
			sum -= float64(groups[track[last-1]].rows)
		}
	}
	return track
}

// bounds cut the values without the common ones into parts of as many rows.
func (b *Builder) bounds(groups []group, common []int) []types.Datum {
	left := len(groups) - len(common)
	if left < 2 {
		return nil
	}
	skip := make(map[int]bool, len(common))
	for _, i := range common {
		skip[groups[i].first] = true
	}
	var rest []types.Datum
	for _, g := range groups {
		if !skip[g.first] {
			for i := range g.rows {
				rest = append(rest, b.values[g.first+i].d)
			}
		}
	}
	n := min(left, Target+1)
	out := make([]types.Datum, n)
	for i := range out {
		out[i] = rest[i*(len(rest)-1)/(n-1)]
	}
	return out
}
