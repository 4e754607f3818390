package agg

import (
	"math"
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/timefunc"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// percentile is percentile_cont and percentile_disc. Values come in the order
// of WITHIN GROUP; the first argument is the fraction, or an array of them, the
// same in every row. Where it is known how many values will come, only those that
// the fractions name are kept.
type percentile struct {
	cont   bool
	res    types.T
	expect []int64 // values of each group; nil: not known
	groups []ranked
	held   int64
}

// ranked are a group's values.
type ranked struct {
	fraction types.Datum
	seen     int64
	at       []int64 // which values are kept, ascending; nil: all
	vals     []types.Datum
}

// Expecting is a State that keeps less where it knows how many values each group will
// get, not counting those whose last argument is NULL.
type Expecting interface {
	State
	Expect(values []int64)
}

func (s *percentile) Expect(values []int64) { s.expect = values }

func (s *percentile) Resize(n int) { s.groups = extend(s.groups, n) }

func (s *percentile) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	f, a := args[0], args[1]
	for _, i := range sel {
		if a.Nulls.Get(int(i)) {
			continue
		}
		g := &s.groups[groups[i]]
		if g.seen == 0 {
			g.fraction = f.Datum(int(i)).Clone(f.Type)
			if err := expr.CheckFractions(g.fraction); err != nil {
				return err
			}
			if s.expect != nil {
				s.choose(g, s.expect[groups[i]])
			}
		}
		if g.at == nil || len(g.vals) < len(g.at) && g.at[len(g.vals)] == g.seen {
			s.held += keepDatum(&g.vals, a, int(i))
		}
		g.seen++
	}
	return nil
}

// choose finds which of n values the fractions name.
func (s *percentile) choose(g *ranked, n int64) {
	g.at = []int64{}
	name := func(f types.Datum) {
		if !f.Null {
			lo, hi, _ := s.places(n, f.Float)
			g.at = append(g.at, lo, hi)
		}
	}
	if g.fraction.Array == nil {
		name(g.fraction)
	} else {
		for _, f := range g.fraction.Array.Elems {
			name(f)
		}
	}
	slices.Sort(g.at)
	g.at = slices.Compact(g.at)
	s.held += 8 * int64(cap(g.at))
}

// places gives the values between which fraction p of n values lies, and how far from the
// first.
func (s *percentile) places(n int64, p float64) (lo, hi int64, part float64) {
	if !s.cont {
		lo = int64(max(math.Ceil(p*float64(n)), 1)) - 1
		return lo, lo, 0
	}
	at := p * float64(n-1)
	return int64(math.Floor(at)), int64(math.Ceil(at)), at - math.Floor(at)
}

// Merge is only called before there are values: those of an ordered aggregate are
// given in one piece.
func (s *percentile) Merge(other State, from, to []uint32) error {
	o := other.(*percentile)
	for k, i := range from {
		if g := &o.groups[i]; g.seen > 0 {
			t := &s.groups[to[k]]
			t.vals, t.fraction, t.seen = append(t.vals, g.vals...), g.fraction, t.seen+g.seen
		}
	}
	s.held += o.held
	return nil
}

func (s *percentile) Final(lo, hi int, out *vec.Vec) error {
	out.Resize(hi - lo)
	for i := lo; i < hi; i++ {
		g := &s.groups[i]
		f := g.fraction
		if g.seen == 0 || f.Null {
			out.Nulls.Set(i - lo)
			continue
		}
		if f.Array == nil {
			d, err := s.value(g, f.Float)
			if err != nil {
				return err
			}
			out.Set(i-lo, d)
			continue
		}
		a := &types.ArrayValue{Elem: s.res.ElemType(), Dims: f.Array.Dims, Elems: make([]types.Datum, len(f.Array.Elems))}
		for k, e := range f.Array.Elems {
			a.Elems[k] = types.NullDatum
			if e.Null {
				continue
			}
			var err error
			if a.Elems[k], err = s.value(g, e.Float); err != nil {
				return err
			}
		}
		out.Set(i-lo, types.Datum{Array: a})
	}
	return nil
}

// value gives the value at fraction p of the sorted values.
func (s *percentile) value(g *ranked, p float64) (types.Datum, error) {
	first, second, part := s.places(g.seen, p)
	lo, hi := g.value(first), g.value(second)
	if first == second {
		return lo, nil
	}
	if s.res.Kind == types.Interval || s.res.Kind == types.Array && s.res.Elem == types.Interval {
		iv, err := timefunc.InterpolateInterval(lo.Interval, hi.Interval, part)
		return types.Datum{Interval: iv}, err
	}
	return types.NewFloat(lo.Float + part*(hi.Float-lo.Float)), nil
}

func (g *ranked) value(n int64) types.Datum {
	if g.at == nil {
		return g.vals[n]
	}
	i, _ := slices.BinarySearch(g.at, n)
	return g.vals[i]
}

func (s *percentile) Bytes() int64 { return s.held + int64(176*cap(s.groups)) }

// mode is the value that comes most often, the first of those in the order of
// WITHIN GROUP, in which the values come.
type mode struct {
	best, cur []types.Datum
	most, run []int64
	held      int64 // behind best and cur, about
}

func (s *mode) Resize(n int) {
	s.best, s.cur, s.most, s.run = extend(s.best, n), extend(s.cur, n), extend(s.most, n), extend(s.run, n)
}

func (s *mode) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a := args[0]
	for _, i := range sel {
		if a.Nulls.Get(int(i)) {
			continue
		}
		g, d := groups[i], a.Datum(int(i))
		if s.run[g] > 0 && types.Compare(a.Type, s.cur[g], d) == 0 {
			s.run[g]++
		} else {
			s.held -= s.cur[g].Behind()
			s.cur[g], s.run[g] = d.Clone(a.Type), 1
			s.held += s.cur[g].Behind()
		}
		if s.run[g] > s.most[g] {
			s.held += s.cur[g].Behind() - s.best[g].Behind()
			s.best[g], s.most[g] = s.cur[g], s.run[g]
		}
	}
	return nil
}

// Merge is only called before there are values, as percentile's.
func (s *mode) Merge(other State, from, to []uint32) error {
	o := other.(*mode)
	for k, i := range from {
		if g, n := to[k], o.most[i]; n > s.most[g] {
			s.best[g], s.most[g], s.cur[g], s.run[g] = o.best[i], n, o.cur[i], o.run[i]
		}
	}
	return nil
}

func (s *mode) Final(lo, hi int, out *vec.Vec) error {
	out.Resize(hi - lo)
	for g := lo; g < hi; g++ {
		if s.most[g] == 0 {
			out.Nulls.Set(g - lo)
			continue
		}
		out.Set(g-lo, s.best[g])
	}
	return nil
}

func (s *mode) Bytes() int64 { return int64(cap(s.best))*2*(types.DatumSize+16) + s.held }
