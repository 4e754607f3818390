package agg

import (
	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

// numVar is the variance family over integers and numerics: exact sums.
type numVar struct {
	sample, dev, ints bool
	n                 []int64
	sum, squares      []*apd.Decimal
}

func (s *numVar) Resize(n int) {
	s.n, s.sum, s.squares = extend(s.n, n), extend(s.sum, n), extend(s.squares, n)
}

func (s *numVar) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a := args[0]
	var v, sq apd.Decimal
	for _, i := range sel {
		if a.Nulls.Get(int(i)) {
			continue
		}
		if s.ints {
			numeric.SetInt64(&v, a.Ints[i])
		} else {
			v.Set(&a.Decimals[i])
		}
		numeric.MulWide(&sq, &v, &v)
		s.add(groups[i], 1, &v, &sq)
	}
	return nil
}

func (s *numVar) add(g uint32, n int64, sum, squares *apd.Decimal) {
	if s.sum[g] == nil {
		s.sum[g], s.squares[g] = new(apd.Decimal), new(apd.Decimal)
	}
	s.n[g] += n
	numeric.AddWide(s.sum[g], s.sum[g], sum)
	numeric.AddWide(s.squares[g], s.squares[g], squares)
}

func (s *numVar) Merge(other State, from, to []uint32) error {
	o := other.(*numVar)
	for k, i := range from {
		if n := o.n[i]; n > 0 {
			s.add(to[k], n, o.sum[i], o.squares[i])
		}
	}
	return nil
}

func (s *numVar) Final(lo, hi int, out *vec.Vec) error {
	return finals(s, lo, hi, out)
}

func (s *numVar) Peek(g int, out *vec.Vec, i int) error {
	if s.n[g] == 0 || s.sample && s.n[g] == 1 {
		out.Nulls.Set(i)
		return nil
	}
	return numeric.Variance(&out.Decimals[i], s.n[g], s.sum[g], s.squares[g], s.sample, s.dev)
}

func (s *numVar) Bytes() int64 { return int64(136 * cap(s.n)) }
