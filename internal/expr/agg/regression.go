package agg

import (
	"math"

	"github.com/saltsql/saltsql/internal/vec"
)

// regression is corr, covar_… and regr_…: sums over the pairs (Y, X) without
// NULL, by Youngs and Cramer's method.
type regression struct {
	name string
	v    []pairSums
}

type pairSums struct{ n, sx, sxx, sy, syy, sxy float64 }

func (s *regression) Resize(n int) { s.v = extend(s.v, n) }

func (s *regression) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	ys, xs := args[0], args[1]
	for _, i := range sel {
		if ys.Nulls.Get(int(i)) || xs.Nulls.Get(int(i)) {
			continue
		}
		if s.name == "regr_count" {
			s.v[groups[i]].n++
			continue
		}
		if err := s.v[groups[i]].add(xs.Floats[i], ys.Floats[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *pairSums) add(x, y float64) error {
	was := *p
	p.n++
	p.sx += x
	p.sy += y
	if was.n == 0 {
		if !finite(x) {
			p.sxx, p.sxy = math.NaN(), math.NaN()
		}
		if !finite(y) {
			p.syy, p.sxy = math.NaN(), math.NaN()
		}
		return nil
	}
	dx, dy := x*p.n-p.sx, y*p.n-p.sy
	scale := 1 / (p.n * was.n)
	p.sxx += dx * dx * scale
	p.syy += dy * dy * scale
	p.sxy += dx * dy * scale
	inf := func(f float64) bool { return math.IsInf(f, 0) }
	infX, infY := inf(p.sx) || inf(p.sxx), inf(p.sy) || inf(p.syy)
	if !infX && !infY && !inf(p.sxy) {
		return nil
	}
	// Infinity of finite values is an overflow; of infinite ones it is not a number.
	fineX, fineY := !inf(was.sx) && !inf(x), !inf(was.sy) && !inf(y)
	if infX && fineX || infY && fineY || inf(p.sxy) && fineX && fineY {
		return overflow()
	}
	for _, f := range []*float64{&p.sxx, &p.syy, &p.sxy} {
		if inf(*f) {
			*f = math.NaN()
		}
	}
	return nil
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func (s *regression) Merge(other State, from, to []uint32) error {
	o := other.(*regression)
	for k, i := range from {
		if err := s.v[to[k]].merge(o.v[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *pairSums) merge(o pairSums) error {
	if o.n == 0 {
		return nil
	}
	if p.n == 0 {
		*p = o
		return nil
	}
	sx, err := mergeSums(p.sx, o.sx, false)
	if err != nil {
		return err
	}
	sy, err := mergeSums(p.sy, o.sy, false)
	if err != nil {
		return err
	}
	sxx, err := mergeSquares(p.sxx, o.sxx, p.n, o.n, p.sx, o.sx)
	if err != nil {
		return err
	}
	syy, err := mergeSquares(p.syy, o.syy, p.n, o.n, p.sy, o.sy)
	if err != nil {
		return err
	}
	n := p.n + o.n
	dx, dy := p.sx/p.n-o.sx/o.n, p.sy/p.n-o.sy/o.n
	sxy, err := mergeSums(p.sxy, o.sxy+p.n*o.n*dx*dy/n, false)
	if err != nil {
		return err
	}
	*p = pairSums{n, sx, sxx, sy, syy, sxy}
	return nil
}

func (s *regression) Final(lo, hi int, out *vec.Vec) error {
	return finals(s, lo, hi, out)
}

func (s *regression) Peek(g int, out *vec.Vec, i int) error {
	if s.name == "regr_count" {
		out.Ints[i] = int64(s.v[g].n)
		return nil
	}
	v, ok := s.v[g].result(s.name)
	if !ok {
		out.Nulls.Set(i)
	}
	out.Floats[i] = v
	return nil
}

// result is NULL, ok false, where there are too few pairs or X does not vary.
func (p *pairSums) result(name string) (v float64, ok bool) {
	if p.n < 1 {
		return 0, false
	}
	switch name {
	case "regr_sxx":
		return p.sxx, true
	case "regr_syy":
		return p.syy, true
	case "regr_sxy":
		return p.sxy, true
	case "regr_avgx":
		return p.sx / p.n, true
	case "regr_avgy":
		return p.sy / p.n, true
	case "covar_pop":
		return p.sxy / p.n, true
	case "covar_samp":
		return p.sxy / (p.n - 1), p.n > 1
	case "corr":
		return p.sxy / math.Sqrt(p.sxx*p.syy), p.sxx != 0 && p.syy != 0
	case "regr_r2":
		if p.syy == 0 {
			return 1, p.sxx != 0
		}
		return p.sxy * p.sxy / (p.sxx * p.syy), p.sxx != 0
	case "regr_slope":
		return p.sxy / p.sxx, p.sxx != 0
	}
	return (p.sy - p.sx*p.sxy/p.sxx) / p.n, p.sxx != 0 // regr_intercept
}

func (s *regression) Bytes() int64 { return int64(48 * cap(s.v)) }
