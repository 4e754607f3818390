package rowcodec

import (
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// maxDisjuncts bounds what tuple bounds are expanded to; further ones are
// loosened to a bound on their first column.
const maxDisjuncts = 256

// disjunct is a conjunction of one union of intervals per key column.
type disjunct struct {
	sets  []colSet
	exact bool
}

// colSet is what a column may be; free admits all, NULL too.
type colSet struct {
	free bool
	null bool // NULL, beside vs
	vs   []bound.Interval
}

// none says that nothing satisfies the set.
func (c *colSet) none() bool { return !c.free && !c.null && len(c.vs) == 0 }

// size counts the intervals, NULL as one.
func (c *colSet) size() int { return len(c.vs) + b2n(c.null) }

// points says that the set is a list of single values.
func (c *colSet) points() bool {
	if c.free {
		return false
	}
	for _, v := range c.vs {
		if _, ok := v.Value(); !ok {
			return false
		}
	}
	return true
}

// disjuncts writes a Conj as a union without tuple bounds:
//
//	(a, b) > (1, 2)   a > 1  or  a = 1 and b > 2
func (s *KeySchema) disjuncts(c *Conj) ([]disjunct, error) {
	if len(c.Columns) > len(s.Columns) {
		return nil, sqlerr.Internal(nil, "a condition on %d columns of a key of %d", len(c.Columns), len(s.Columns))
	}
	d := disjunct{sets: make([]colSet, len(s.Columns)), exact: true}
	for i := range d.sets {
		d.sets[i].free = true
	}
	for i, rs := range c.Columns {
		if rs != nil {
			d = s.constrain(d, i, rs)
		}
	}
	out := []disjunct{d}
	for i := range c.Tuples {
		t := &c.Tuples[i]
		if err := s.checkTuple(t); err != nil {
			return nil, err
		}
		pieces, exact := tuplePieces(t), true
		if len(out)*len(pieces) > maxDisjuncts {
			pieces, exact = pieces[:0], false
			if !t.Values[0].Null {
				pieces = append(pieces, []Range{tupleRange(t, t.Values[:1], true)})
			}
		}
		var next []disjunct
		for _, d := range out {
			for _, piece := range pieces {
				e := disjunct{sets: slices.Clone(d.sets), exact: d.exact && exact}
				for k, r := range piece {
					e = s.constrain(e, t.Columns[k], []Range{r})
				}
				next = append(next, e)
			}
		}
		out = next
	}
	return slices.DeleteFunc(out, func(d disjunct) bool {
		return slices.ContainsFunc(d.sets, func(c colSet) bool { return c.none() })
	}), nil
}

func (s *KeySchema) checkTuple(t *TupleBound) error {
	ok := len(t.Columns) > 0 && len(t.Columns) == len(t.Values) && slices.Contains([]string{"<", "<=", ">", ">="}, t.Op)
	for _, c := range t.Columns {
		ok = ok && c >= 0 && c < len(s.Columns)
	}
	if !ok {
		return sqlerr.Internal(nil, "a tuple bound %s of %d columns and %d values", t.Op, len(t.Columns), len(t.Values))
	}
	return nil
}

// tuplePieces lists, for each disjunct of a tuple bound, the ranges of its columns. A
// NULL decides what is left of the comparison: it is never true.
func tuplePieces(t *TupleBound) [][]Range {
	var out [][]Range
	for n := range t.Values {
		if t.Values[n].Null {
			break
		}
		var piece []Range
		for k := range n {
			v := &t.Values[k]
			piece = append(piece, Range{Lo: v, Hi: v, LoIncl: true, HiIncl: true})
		}
		last := n == len(t.Values)-1
		out = append(out, append(piece, tupleRange(t, t.Values[:n+1], last && len(t.Op) == 2)))
	}
	return out
}

func tupleRange(t *TupleBound, vals []types.Datum, incl bool) Range {
	v := &vals[len(vals)-1]
	if t.Op[0] == '>' {
		return Range{Lo: v, LoIncl: incl}
	}
	return Range{Hi: v, HiIncl: incl}
}

// constrain adds to d that column i lies in one of rs.
func (s *KeySchema) constrain(d disjunct, i int, rs []Range) disjunct {
	c := &s.Columns[i]
	vs := make([]bound.Interval, 0, len(rs))
	null := false
	for _, r := range rs {
		if r.Null {
			null = null || c.Nullable
			continue
		}
		v, exact := s.interval(c, r)
		d.exact = d.exact && exact
		vs = append(vs, v)
	}
	vs = bound.Union(vs)
	if c.Form != nil && (len(vs) != 1 || vs[0].Lo.At == 0 || vs[0].Hi.At == 0) {
		kept := vs[:0]
		for _, v := range vs {
			if v, ok := c.Form.Clip(v); ok {
				kept = append(kept, v)
			}
		}
		vs = bound.Union(kept)
	}
	switch { // NULL is in no range
	case !c.Nullable || c.FixedWidth() > 0:
	case c.Desc: // NULL begins with 00, where no value begins with FF
		vs = bound.Intersect(vs, []bound.Interval{{Lo: bound.Begin, Hi: bound.Before([]byte{0xFF})}})
	default: // the empty value reads as NULL, or is not written so
		vs = bound.Intersect(vs, []bound.Interval{{Lo: bound.After(nil), Hi: bound.End}})
	}
	if !c.Nullable && len(vs) == 1 && vs[0].Lo.At < 0 && vs[0].Hi.At > 0 {
		return d // every value
	}
	if have := &d.sets[i]; !have.free {
		vs, null = bound.Intersect(have.vs, vs), null && have.null
	}
	d.sets[i] = colSet{vs: vs, null: null}
	return d
}

func (s *KeySchema) interval(c *KeyColumn, r Range) (v bound.Interval, exact bool) {
	v, exact = bound.Interval{Lo: bound.Begin, Hi: bound.End}, true
	if r.Lo != nil {
		if r.Lo.Null {
			return bound.Interval{Lo: bound.End, Hi: bound.Begin}, true
		}
		p := c.locatePart(*r.Lo, s.Adopted)
		v.Lo, exact = p.Lower(r.LoIncl), !p.Loose
	}
	if r.Hi != nil {
		if r.Hi.Null {
			return bound.Interval{Lo: bound.End, Hi: bound.Begin}, true
		}
		p := c.locatePart(*r.Hi, s.Adopted)
		v.Hi, exact = p.Upper(r.HiIncl), exact && !p.Loose
	}
	return v, exact
}
