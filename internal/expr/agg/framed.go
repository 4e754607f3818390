package agg

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

// Framed is a State that a window's frames use: its groups are read while they grow, and
// emptied. All are, but those of DISTINCT and of WITHIN GROUP.
type Framed interface {
	State
	// Peek puts the result of group g, as it is now, into slot i of out; the group goes on.
	Peek(g int, out *vec.Vec, i int) error
	// Clear empties group g. What Peek gave stays.
	Clear(g int)
}

// Combined is a Framed whose groups are put together from others that stay as they are, so
// that a tree of partial results serves every frame.
type Combined interface {
	Framed
	// Take adds group i of from, a State of the same aggregate.
	Take(g uint32, from State, i int) error
}

// Inverse is a Framed that takes values out again, exactly.
type Inverse interface {
	Framed
	// Remove undoes an Update.
	Remove(groups []uint32, sel []uint16, args []*vec.Vec) error
}

// NewFramed makes the accumulator of a for frames; sliding says that values leave as
// well as come, so that an Inverse serves.
func NewFramed(a *expr.Agg, sliding bool) (Framed, error) {
	if sliding && (a.Name == "sum" || a.Name == "avg") && len(a.Args) == 1 && a.Args[0].Type().Kind == types.Numeric {
		return &slidingSum{avg: a.Name == "avg"}, nil
	}
	st, _, err := NewPlain(a)
	if err != nil {
		return nil, err
	}
	f, ok := st.(Framed)
	if !ok {
		return nil, unknown(a.Name + " over a window")
	}
	return f, nil
}

// finals is Final of a State that has Peek.
func finals(s Framed, lo, hi int, out *vec.Vec) error {
	out.Resize(hi - lo)
	for g := lo; g < hi; g++ {
		if err := s.Peek(g, out, g-lo); err != nil {
			return err
		}
	}
	return nil
}

func (c *count) Peek(g int, out *vec.Vec, i int) error { out.Ints[i] = c.n[g]; return nil }
func (c *count) Clear(g int)                           { c.n[g] = 0 }

func (c *count) Take(g uint32, from State, i int) error {
	c.n[g] += from.(*count).n[i]
	return nil
}

func (c *count) Remove(groups []uint32, sel []uint16, args []*vec.Vec) error {
	for _, i := range sel {
		if c.star || !args[0].Nulls.Get(int(i)) {
			c.n[groups[i]]--
		}
	}
	return nil
}

func (s *intSum) Clear(g int) { s.sum[g], s.n[g] = int128{}, 0 }

func (s *intSum) Take(g uint32, from State, i int) error {
	o := from.(*intSum)
	s.sum[g].addWide(o.sum[i])
	s.n[g] += o.n[i]
	return nil
}

func (s *intSum) Remove(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a := args[0]
	for _, i := range sel {
		if a.Nulls.Get(int(i)) {
			continue
		}
		g, v := groups[i], a.Ints[i]
		if v == math.MinInt64 { // it has no negative
			s.sum[g].add(math.MaxInt64)
			s.sum[g].add(1)
		} else {
			s.sum[g].add(-v)
		}
		s.n[g]--
	}
	return nil
}

func (s *floatSum) Clear(g int) {
	s.sum[g], s.n[g] = 0, 0
	if s.squares != nil {
		s.squares[g] = 0
	}
}

func (s *floatSum) Take(g uint32, from State, i int) error {
	return s.merge(g, from.(*floatSum), i)
}

func (s *numSum) Clear(g int) { s.sum[g].SetInt64(0); s.sum[g].Exponent, s.n[g] = 0, 0 }

func (s *numSum) Take(g uint32, from State, i int) error {
	o := from.(*numSum)
	if o.n[i] == 0 {
		return nil
	}
	s.n[g] += o.n[i]
	return numeric.Add(&s.sum[g], &s.sum[g], &o.sum[i])
}

func (s *intervalSum) Clear(g int) { s.sum[g], s.n[g] = types.IntervalValue{}, 0 }

func (s *intervalSum) Take(g uint32, from State, i int) error {
	o := from.(*intervalSum)
	s.n[g] += o.n[i]
	return s.add(g, o.sum[i])
}

func (s *intervalSum) Remove(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a := args[0]
	for _, i := range sel {
		if a.Nulls.Get(int(i)) {
			continue
		}
		g := groups[i]
		left, ok := datetime.SubSpans(datetime.Span(s.sum[g]), datetime.Span(a.Intervals[i]))
		if !ok {
			return datetime.IntervalOutOfRange()
		}
		s.sum[g] = types.IntervalValue(left)
		s.n[g]--
	}
	return nil
}

// Peek copies texts: the group's memory is written over by the next best one.
func (s *extreme) Peek(g int, out *vec.Vec, i int) error {
	if !s.seen[g] {
		out.Nulls.Set(i)
		return nil
	}
	vec.CopySlot(out, i, s.best, g)
	return nil
}

func (s *extreme) Clear(g int) {
	if s.seen[g] && s.best.Type.Phys() == types.PhysBytes {
		s.held -= int64(cap(s.best.Bytes[g]))
	}
	s.seen[g] = false
}

func (s *extreme) Take(g uint32, from State, i int) error {
	if o := from.(*extreme); o.seen[i] {
		s.offer(g, o.best, i)
	}
	return nil
}

func (s *boolean) Clear(g int) { s.v[g] = 0 }

func (s *boolean) Take(g uint32, from State, i int) error {
	if b := from.(*boolean).v[i]; b != 0 {
		s.add(g, b)
	}
	return nil
}

func (s *bit) Clear(g int) { s.v[g], s.seen[g] = 0, false }

func (s *bit) Take(g uint32, from State, i int) error {
	if o := from.(*bit); o.seen[i] {
		s.add(g, o.v[i])
	}
	return nil
}

func (s *concat) Clear(g int) {
	s.held -= int64(cap(s.v[g]))
	s.v[g], s.first[g] = nil, 0
}

func (s *collect) Clear(g int) {
	s.v[g] = nil
	if len(s.v) == 1 {
		s.held = 0
	}
}

func (s *object) Clear(g int) {
	s.held -= int64(cap(s.v[g]))
	s.v[g] = nil
}

func (s *floatVar) Clear(g int) { s.n[g], s.sx[g], s.sxx[g] = 0, 0, 0 }

func (s *floatVar) Take(g uint32, from State, i int) error {
	o := from.(*floatVar)
	return s.merge(g, o, i)
}

func (s *numVar) Clear(g int) {
	s.n[g] = 0
	s.sum[g], s.squares[g] = nil, nil
}

func (s *numVar) Take(g uint32, from State, i int) error {
	if o := from.(*numVar); o.n[i] > 0 {
		s.add(g, o.n[i], o.sum[i], o.squares[i])
	}
	return nil
}

func (s *regression) Clear(g int) { s.v[g] = pairSums{} }

func (s *regression) Take(g uint32, from State, i int) error {
	return s.v[g].merge(from.(*regression).v[i])
}

// slidingSum is sum and avg over numerics that leave again: how many there are of each
// scale and of what is not finite decides what the result looks like.
type slidingSum struct {
	avg    bool
	groups []slidingNumeric
	total  apd.Decimal // scratch
}

type slidingNumeric struct {
	sum              apd.Decimal
	n                int64
	nan, plus, minus int64
	scales           map[int32]int64 // of the finite values, by exponent
}

func (s *slidingSum) Resize(n int) {
	for len(s.groups) < n {
		s.groups = append(s.groups, slidingNumeric{scales: map[int32]int64{}})
	}
}

func (s *slidingSum) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	return s.change(groups, sel, args, 1)
}

func (s *slidingSum) Remove(groups []uint32, sel []uint16, args []*vec.Vec) error {
	return s.change(groups, sel, args, -1)
}

func (s *slidingSum) change(groups []uint32, sel []uint16, args []*vec.Vec, by int64) error {
	a := args[0]
	for _, i := range sel {
		if a.Nulls.Get(int(i)) {
			continue
		}
		if err := s.groups[groups[i]].change(&a.Decimals[i], by); err != nil {
			return err
		}
	}
	return nil
}

func (g *slidingNumeric) change(x *apd.Decimal, by int64) error {
	g.n += by
	switch {
	case numeric.IsNaN(x):
		g.nan += by
		return nil
	case !numeric.IsFinite(x) && x.Negative:
		g.minus += by
		return nil
	case !numeric.IsFinite(x):
		g.plus += by
		return nil
	}
	count := g.scales[x.Exponent] + by
	if count == 0 {
		delete(g.scales, x.Exponent)
	} else {
		g.scales[x.Exponent] = count
	}
	if by > 0 {
		return numeric.Add(&g.sum, &g.sum, x)
	}
	return numeric.Sub(&g.sum, &g.sum, x)
}

func (s *slidingSum) Peek(at int, out *vec.Vec, i int) error {
	g := &s.groups[at]
	if g.n == 0 {
		out.Nulls.Set(i)
		return nil
	}
	z := &out.Decimals[i]
	switch {
	case g.nan > 0 || g.plus > 0 && g.minus > 0:
		numeric.SetNaN(z)
		return nil
	case g.plus > 0 || g.minus > 0:
		numeric.SetInf(z, g.minus > 0)
		return nil
	}
	scale := 0
	for e := range g.scales {
		scale = max(scale, -int(e))
	}
	if err := numeric.Round(&s.total, &g.sum, scale); err != nil {
		return err
	}
	if !s.avg {
		z.Set(&s.total)
		return nil
	}
	return numeric.Div(z, &s.total, apd.New(g.n, 0))
}

func (s *slidingSum) Clear(g int) {
	clear(s.groups[g].scales)
	s.groups[g] = slidingNumeric{scales: s.groups[g].scales}
}

func (s *slidingSum) Merge(_ State, _, _ []uint32) error {
	return unknown("parts of a sum over a window")
}

func (s *slidingSum) Final(lo, hi int, out *vec.Vec) error { return finals(s, lo, hi, out) }

func (s *slidingSum) Bytes() int64 { return int64(len(s.groups)) * 256 }
