package agg

import (
	"math"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// percentile is percentile_cont and percentile_disc. Values come in the order
// of WITHIN GROUP; the first argument is the fraction, or an array of them, the
// same in every row.
type percentile struct {
	cont     bool
	res      types.T
	vals     [][]types.Datum
	fraction []types.Datum
	held     int64
}

func (s *percentile) Resize(n int) {
	s.vals, s.fraction = extend(s.vals, n), extend(s.fraction, n)
}

func (s *percentile) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	f, a := args[0], args[1]
	for _, i := range sel {
		if a.Nulls.Get(int(i)) {
			continue
		}
		g := groups[i]
		if len(s.vals[g]) == 0 {
			s.fraction[g] = f.Datum(int(i)).Clone(f.Type)
			if err := expr.CheckFractions(s.fraction[g]); err != nil {
				return err
			}
		}
		s.held += keepDatum(&s.vals[g], a, int(i))
	}
	return nil
}

// Merge is only called before there are values: those of an ordered aggregate are
// given in one piece.
func (s *percentile) Merge(other State, groups []uint32) error {
	o := other.(*percentile)
	for i, v := range o.vals {
		if len(v) > 0 {
			g := groups[i]
			s.vals[g], s.fraction[g] = append(s.vals[g], v...), o.fraction[i]
		}
	}
	s.held += o.held
	return nil
}

func (s *percentile) Final(lo, hi int, out *vec.Vec) error {
	out.Resize(hi - lo)
	for g := lo; g < hi; g++ {
		f, vals := s.fraction[g], s.vals[g]
		if len(vals) == 0 || f.Null {
			out.Nulls.Set(g - lo)
			continue
		}
		if f.Array == nil {
			d, err := s.at(vals, f.Float)
			if err != nil {
				return err
			}
			out.Set(g-lo, d)
			continue
		}
		a := &types.ArrayValue{Elem: s.res.ElemType(), Dims: f.Array.Dims, Elems: make([]types.Datum, len(f.Array.Elems))}
		for i, e := range f.Array.Elems {
			a.Elems[i] = types.NullDatum
			if e.Null {
				continue
			}
			var err error
			if a.Elems[i], err = s.at(vals, e.Float); err != nil {
				return err
			}
		}
		out.Set(g-lo, types.Datum{Array: a})
	}
	return nil
}

// at gives the value at fraction p of the sorted values.
func (s *percentile) at(vals []types.Datum, p float64) (types.Datum, error) {
	n := float64(len(vals))
	if !s.cont {
		return vals[int(max(math.Ceil(p*n), 1))-1], nil
	}
	first, second := math.Floor(p*(n-1)), math.Ceil(p*(n-1))
	lo, hi := vals[int(first)], vals[int(second)]
	if first == second {
		return lo, nil
	}
	part := p*(n-1) - first
	if s.res.Kind == types.Interval || s.res.Kind == types.Array && s.res.Elem == types.Interval {
		iv, err := expr.InterpolateInterval(lo.Interval, hi.Interval, part)
		return types.Datum{Interval: iv}, err
	}
	return types.NewFloat(lo.Float + part*(hi.Float-lo.Float)), nil
}

func (s *percentile) Bytes() int64 { return s.held + int64(128*cap(s.vals)) }

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
func (s *mode) Merge(other State, groups []uint32) error {
	o := other.(*mode)
	for i, n := range o.most {
		if g := groups[i]; n > s.most[g] {
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
