package agg

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Keeper is a State that keeps values it was not given in order. Who has no memory for
// them takes them out and sorts them instead.
type Keeper interface {
	State
	// Take gives each value kept to fn, with its group, in any order, and forgets them
	// all: nothing else may be called then.
	Take(fn func(group uint32, args []*vec.Vec, i int) error) error
}

var (
	_ Keeper = (*Distinct)(nil)
	_ Keeper = (*unsorted[int64])(nil)
)

// NewUnsorted makes the accumulator of a percentile that is given its values in any order,
// and looks for those that its fractions name, which must be the same for all groups; nil of
// those that must be given them in order. desc says that the call's order is descending.
func NewUnsorted(a *expr.Agg, desc bool) Keeper {
	if a.Name != "percentile_cont" && a.Name != "percentile_disc" || !expr.IsConst(a.Args[0]) {
		return nil
	}
	p := percentile{cont: a.Name == "percentile_cont", res: a.T}
	f, t := a.Args[0].Type(), a.Args[1].Type()
	switch t.Phys() {
	case types.PhysInt:
		return &unsorted[int64]{percentile: p, types: [2]types.T{f, t}, desc: desc,
			column: func(v *vec.Vec) []int64 { return v.Ints }, datum: types.NewInt}
	case types.PhysFloat:
		return &unsorted[float64]{percentile: p, types: [2]types.T{f, t}, desc: desc,
			column: func(v *vec.Vec) []float64 { return v.Floats }, datum: types.NewFloat}
	}
	return nil
}

// unsorted is a percentile over values of fixed size.
type unsorted[E int64 | float64] struct {
	percentile percentile
	types      [2]types.T
	desc       bool
	column     func(v *vec.Vec) []E
	datum      func(v E) types.Datum
	begun      bool
	fraction   types.Datum // the same in every row
	vals       [][]E
	held       int64
}

func (s *unsorted[E]) Resize(n int) { s.vals = extend(s.vals, n) }

func (s *unsorted[E]) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a := args[1]
	nulls := a.Nulls.Any()
	col := s.column(a)
	for _, i := range sel {
		if nulls && a.Nulls.Get(int(i)) {
			continue
		}
		if !s.begun {
			s.begun, s.fraction = true, args[0].Datum(int(i)).Clone(args[0].Type)
			if err := expr.CheckFractions(s.fraction); err != nil {
				return err
			}
		}
		if len(s.vals) == 1 && !nulls { // there is no GROUP BY
			s.takeAll(col, sel)
			return nil
		}
		v := &s.vals[groups[i]]
		before := cap(*v)
		*v = append(*v, col[i])
		s.held += 8 * int64(cap(*v)-before)
	}
	return nil
}

// takeAll takes the slots sel, none of them NULL, for the one group there is.
func (s *unsorted[E]) takeAll(col []E, sel []uint16) {
	v := s.vals[0]
	before, n := cap(v), len(v)
	v = slices.Grow(v, len(sel))[:n+len(sel)]
	for k, i := range sel {
		v[n+k] = col[i]
	}
	s.vals[0] = v
	s.held += 8 * int64(cap(v)-before)
}

func (s *unsorted[E]) Merge(other State, from, to []uint32) error {
	o := other.(*unsorted[E])
	if o.begun && !s.begun {
		s.begun, s.fraction = true, o.fraction
	}
	for k, i := range from {
		v, all := o.vals[i], &s.vals[to[k]]
		if len(*all) == 0 {
			*all = v
			s.held += 8 * int64(cap(v))
			continue
		}
		before := cap(*all)
		*all = append(*all, v...)
		s.held += 8 * int64(cap(*all)-before)
	}
	return nil
}

func (s *unsorted[E]) Final(lo, hi int, out *vec.Vec) error {
	p := s.percentile
	p.groups = make([]ranked, hi-lo)
	for i := range p.groups {
		vals := s.vals[lo+i]
		g := &p.groups[i]
		if g.fraction = s.fraction; len(vals) == 0 {
			continue
		}
		g.seen = int64(len(vals))
		p.choose(g, g.seen)
		ranks := slices.Clone(g.at)
		if s.desc { // the last rank is that of the least value
			for k, at := range g.at {
				ranks[len(ranks)-1-k] = g.seen - 1 - at
			}
		}
		selectRanks(vals, ranks)
		for _, at := range g.at {
			if s.desc {
				at = g.seen - 1 - at
			}
			g.vals = append(g.vals, s.datum(vals[at]))
		}
	}
	return p.Final(0, hi-lo, out)
}

func (s *unsorted[E]) Take(fn func(group uint32, args []*vec.Vec, i int) error) error {
	args := []*vec.Vec{vec.New(s.types[0]), vec.New(s.types[1])}
	args[0].Resize(vec.MaxRows)
	for i := range vec.MaxRows {
		args[0].Set(i, s.fraction)
	}
	for g, vals := range s.vals {
		for len(vals) > 0 {
			n := min(len(vals), vec.MaxRows)
			args[1].Resize(n)
			copy(s.column(args[1]), vals[:n])
			for i := range n {
				if err := fn(uint32(g), args, i); err != nil {
					return err
				}
			}
			vals = vals[n:]
		}
		s.vals[g] = nil
	}
	s.vals = nil
	return nil
}

func (s *unsorted[E]) Bytes() int64 { return s.held + int64(24*cap(s.vals)) }
