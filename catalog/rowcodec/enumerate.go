package rowcodec

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/internal/types"
)

// Limits of turning small ranges of integers, dates and booleans into values.
const (
	maxEnumPoints  = 1000 // full keys of one disjunct
	maxBridge      = 32   // values of one column, to get at a bound on a later one
	maxBridgeScans = 4096 // spans x buckets that come of that
)

// Limits of leaving out single values (<>, NOT IN): a hole in a range makes one more
// span of it in every bucket, to spare the rows of one value. Over a limit the holes are
// left to the filter.
const (
	MaxSplitSpans = 64   // spans of one bucket
	MaxSplitScans = 4096 // spans x buckets
)

// enumerate replaces ranges of d by their values where that reads less:
//
//   - a range of one value always;
//   - ranges that bind the whole key, when there are fewer keys than scans
//     (spans x buckets);
//   - ranges over the columns that SALT_COLUMNS hash, when their values are
//     fewer than the buckets;
//   - a range of few values that keeps a bound on the next column from being used.
func (s *KeySchema) enumerate(d *disjunct, opt SpanOptions) {
	lists := make([][]bound.Interval, len(d.sets)) // as points, nil where not discrete or too many
	most := d.worthListing(s.Buckets)
	last := -1
	for i := range d.sets {
		set := &d.sets[i]
		vs := set.vs
		if set.free {
			if s.Columns[i].Type != Boolean || s.Columns[i].Nullable {
				continue
			}
			vs = []bound.Interval{{Lo: bound.Begin, Hi: bound.End}}
		} else {
			last = i
		}
		lists[i] = s.Columns[i].pointsOf(vs, s.Adopted, max(most, len(vs)))
		if n := len(lists[i]); n > 0 && n <= len(vs) && !set.free {
			set.vs = lists[i]
		}
	}
	use := func(i int) {
		d.sets[i] = colSet{vs: lists[i], null: d.sets[i].null}
	}
	if s.Buckets > 0 && !opt.NoPrune {
		all := make([]int, len(s.Columns))
		for i := range all {
			all[i] = i
		}
		if n, ok := d.product(lists, all, maxEnumPoints); ok && last >= 0 && n < d.spanCount()*s.Buckets {
			for i := range d.sets {
				use(i)
			}
			return
		}
		if n, ok := d.product(lists, s.SaltColumns, s.Buckets-1); ok && len(s.SaltColumns) > 0 && n > 0 {
			for _, i := range s.SaltColumns {
				use(i)
			}
		}
	}
	prefixes, fan := 1, s.fanOut(d)
	for i := range last {
		if d.sets[i].points() {
			prefixes *= max(d.sets[i].size(), 1)
			continue
		}
		prefixes *= len(lists[i]) + b2n(d.sets[i].null)
		if lists[i] == nil || len(lists[i]) > maxBridge || prefixes*fan > maxBridgeScans || !d.sets[i+1].narrows() {
			return
		}
		use(i)
	}
}

// worthListing is how many values of a column may be of use, since there are to be fewer
// keys than scans: what is over it need not be listed.
func (d *disjunct) worthListing(buckets int) int {
	n := max(buckets, 1)
	for i := range d.sets {
		if n *= max(d.sets[i].size(), 1); n > maxEnumPoints {
			return maxEnumPoints
		}
	}
	return max(n, maxBridge)
}

// fanOut is about how many buckets a span of d is read in.
func (s *KeySchema) fanOut(d *disjunct) int {
	if s.Buckets == 0 || s.SaltColumns == nil {
		return max(s.Buckets, 1)
	}
	n := 1
	for _, i := range s.SaltColumns {
		if !d.sets[i].points() {
			return s.Buckets
		}
		n = min(n*max(d.sets[i].size(), 1), s.Buckets)
	}
	return n
}

// narrows says that c leaves out more than single values.
func (c *colSet) narrows() bool {
	if c.free {
		return false
	}
	vs := fillHoles(c.vs)
	return len(vs) != 1 || vs[0].Lo.Compare(bound.After(nil)) > 0 || vs[0].Hi.At <= 0
}

// fillHoles joins the neighbours among vs that one value parts.
func fillHoles(vs []bound.Interval) []bound.Interval {
	first := 1
	for first < len(vs) && !isHole(vs[first-1].Hi, vs[first].Lo) {
		first++
	}
	if first >= len(vs) {
		return vs
	}
	out := slices.Clone(vs[:first])
	for _, v := range vs[first:] {
		if last := &out[len(out)-1]; isHole(last.Hi, v.Lo) {
			last.Hi = v.Hi
		} else {
			out = append(out, v)
		}
	}
	return out
}

// isHole says that one value alone lies between two cuts.
func isHole(x, y bound.Cut) bool {
	return x.At == 0 && y.At == 0 && !x.After && y.After && bytes.Equal(x.Bytes, y.Bytes)
}

// product counts the combinations of d's values, where they are those of lists; ok is
// false over limit, or where a list is nil.
func (d *disjunct) product(lists [][]bound.Interval, cols []int, limit int) (n int, ok bool) {
	n = 1
	for _, i := range cols {
		if lists[i] == nil {
			return 0, false
		}
		if n *= len(lists[i]) + b2n(d.sets[i].null); n > limit {
			return 0, false
		}
	}
	return n, true
}

// spanCount is how many spans d makes as it is.
func (d *disjunct) spanCount() int {
	n := 1
	for i := range d.sets {
		if d.sets[i].free {
			return n
		}
		if n *= d.sets[i].size(); n > maxEnumPoints || !d.sets[i].points() {
			return n
		}
	}
	return n
}

// pointsOf lists the values in vs, nil where there are more than limit or the
// column is not discrete. Points of any type are themselves.
func (c *KeyColumn) pointsOf(vs []bound.Interval, adopted bool, limit int) []bound.Interval {
	if len(vs) > limit {
		return nil
	}
	out := make([]bound.Interval, 0, len(vs))
	for _, v := range vs {
		if len(out) >= limit {
			return nil
		}
		if _, ok := v.Value(); ok {
			out = append(out, v)
			continue
		}
		lo, hi, step, ok := c.steps(v, adopted)
		if !ok {
			return nil
		}
		if lo > hi {
			continue
		}
		if (hi-lo)/step >= uint64(limit-len(out)) {
			return nil
		}
		block := make([]byte, 0, (int((hi-lo)/step)+1)*c.Column.FixedWidth())
		for u := lo; ; u += step {
			from := len(block)
			block = appendUint(block, u, c.Column.FixedWidth())
			out = append(out, bound.Point(block[from:len(block):len(block)]))
			if hi-u < step {
				break
			}
		}
	}
	return slices.Clip(out)
}

// steps gives the encodings in v as lo, lo+step, … up to hi (none if lo > hi).
func (c *KeyColumn) steps(v bound.Interval, adopted bool) (lo, hi, step uint64, ok bool) {
	most := uint64(math.MaxUint64)
	step = 1
	switch c.Type {
	case Boolean:
		most = 1
	case TinyInt, UnsignedTinyInt, SmallInt, UnsignedSmallInt, Integer, UnsignedInt, BigInt, UnsignedLong:
		most >>= 64 - 8*c.Column.FixedWidth()
	case Float, Double: // both zeros of an adopted table, and neighbours
		most >>= 64 - 8*c.Column.FixedWidth()
	case Date, UnsignedDate:
		if c.SQL.Kind != types.Date || adopted || v.Lo.At != 0 || v.Hi.At != 0 {
			return 0, 0, 0, false
		}
		step = msPerDay
	default:
		return 0, 0, 0, false
	}
	number := func(b []byte) (u uint64) {
		if len(b) == 8 {
			return binary.BigEndian.Uint64(b)
		}
		for _, x := range b {
			u = u<<8 | uint64(x)
		}
		return u
	}
	hi = most
	if v.Lo.At == 0 {
		if lo = number(v.Lo.Bytes); v.Lo.After {
			if lo == most {
				return 1, 0, 1, true
			}
			lo++
		}
	}
	if v.Hi.At == 0 {
		if hi = number(v.Hi.Bytes); !v.Hi.After {
			if hi == 0 {
				return 1, 0, 1, true
			}
			hi--
		}
	}
	if lo > hi {
		return 1, 0, 1, true
	}
	if (c.Type == Float || c.Type == Double) && hi-lo > 1 {
		return 0, 0, 0, false
	}
	if step > 1 { // round lo up to a midnight
		ms := int64(lo ^ c.Type.signBit())
		if up := -floorDiv(-ms, msPerDay) * msPerDay; ms != math.MinInt64 && up >= ms {
			lo += uint64(up - ms)
		} else {
			return 0, 0, 0, false
		}
	}
	return lo, hi, step, true
}
