package agg

import (
	"math"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Long because it is a list: each aggregate here is short and stands alone.

// extreme is min and max.
type extreme struct {
	max  bool
	best *vec.Vec
	seen []bool
	held int64 // bytes behind best.Bytes
}

func (s *extreme) Resize(n int) {
	if n <= len(s.seen) {
		return
	}
	s.best.Extend(n)
	s.seen = extend(s.seen, n)
}

func (s *extreme) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a := args[0]
	nulls := a.Nulls.Any()
	if a.Type.Phys() == types.PhysInt {
		for _, i := range sel {
			if nulls && a.Nulls.Get(int(i)) {
				continue
			}
			g, v := groups[i], a.Ints[i]
			if !s.seen[g] || (v > s.best.Ints[g]) == s.max && v != s.best.Ints[g] {
				s.seen[g], s.best.Ints[g] = true, v
			}
		}
		return nil
	}
	for _, i := range sel {
		if !nulls || !a.Nulls.Get(int(i)) {
			s.offer(groups[i], a, int(i))
		}
	}
	return nil
}

func (s *extreme) offer(g uint32, a *vec.Vec, i int) {
	if s.seen[g] {
		// Of equal values that look different (1.0, 1.00) the last one stays, as
		// in Postgres.
		c := vec.Compare(a, i, s.best, int(g))
		if c == 0 && a.Type.Phys() == types.PhysBytes && a.Type.Kind != types.Bpchar || c != 0 && (c > 0) != s.max {
			return
		}
	}
	if s.best.Type.Phys() == types.PhysBytes {
		old := s.best.Bytes[g]
		if !s.seen[g] {
			old = nil
		}
		s.held -= int64(cap(old))
		s.best.Bytes[g] = append(old[:0], a.Bytes[i]...)
		s.held += int64(cap(s.best.Bytes[g]))
	} else {
		s.best.Set(int(g), a.Datum(i))
	}
	s.seen[g] = true
}

func (s *extreme) Merge(other State, from, to []uint32) error {
	o := other.(*extreme)
	for k, i := range from {
		if o.seen[i] {
			s.offer(to[k], o.best, int(i))
		}
	}
	return nil
}

func (s *extreme) Final(lo, hi int, out *vec.Vec) error {
	out.Resize(hi - lo)
	for g := lo; g < hi; g++ {
		if !s.seen[g] {
			out.Nulls.Set(g - lo)
		} else {
			out.Set(g-lo, s.best.Datum(g))
		}
	}
	return nil
}

func (s *extreme) Bytes() int64 { return s.best.Size() + s.held + int64(cap(s.seen)) }

// boolean is bool_and and bool_or: 0 no value, 1 false, 2 true.
type boolean struct {
	and bool
	v   []uint8
}

func (s *boolean) Resize(n int) { s.v = extend(s.v, n) }

func (s *boolean) add(g uint32, b uint8) {
	if s.v[g] == 0 || (b < s.v[g]) == s.and {
		s.v[g] = b
	}
}

func (s *boolean) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a := args[0]
	for _, i := range sel {
		if a.Nulls.Get(int(i)) {
			continue
		}
		b := uint8(1)
		if a.Bools[i] {
			b = 2
		}
		s.add(groups[i], b)
	}
	return nil
}

func (s *boolean) Merge(other State, from, to []uint32) error {
	o := other.(*boolean)
	for k, i := range from {
		if b := o.v[i]; b != 0 {
			s.add(to[k], b)
		}
	}
	return nil
}

func (s *boolean) Final(lo, hi int, out *vec.Vec) error {
	return finals(s, lo, hi, out)
}

func (s *boolean) Peek(g int, out *vec.Vec, i int) error {
	if s.v[g] == 0 {
		out.Nulls.Set(i)
	}
	out.Bools[i] = s.v[g] == 2
	return nil
}

func (s *boolean) Bytes() int64 { return int64(cap(s.v)) }

// bit is bit_and, bit_or and bit_xor.
type bit struct {
	op   string
	v    []int64
	seen []bool
}

func (s *bit) Resize(n int) { s.v, s.seen = extend(s.v, n), extend(s.seen, n) }

func (s *bit) add(g uint32, v int64) {
	switch {
	case !s.seen[g]:
		s.v[g], s.seen[g] = v, true
	case s.op == "bit_and":
		s.v[g] &= v
	case s.op == "bit_or":
		s.v[g] |= v
	default:
		s.v[g] ^= v
	}
}

func (s *bit) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	for _, i := range sel {
		if !args[0].Nulls.Get(int(i)) {
			s.add(groups[i], args[0].Ints[i])
		}
	}
	return nil
}

func (s *bit) Merge(other State, from, to []uint32) error {
	o := other.(*bit)
	for k, i := range from {
		if o.seen[i] {
			s.add(to[k], o.v[i])
		}
	}
	return nil
}

func (s *bit) Final(lo, hi int, out *vec.Vec) error {
	return finals(s, lo, hi, out)
}

func (s *bit) Peek(g int, out *vec.Vec, i int) error {
	out.Ints[i] = s.v[g]
	if !s.seen[g] {
		out.Nulls.Set(i)
	}
	return nil
}

func (s *bit) Bytes() int64 { return int64(9 * cap(s.v)) }

// concat is string_agg: the delimiter of the first value is dropped.
type concat struct {
	v     [][]byte
	first []int // length of the first delimiter, +1; 0: no value
	held  int64
}

func (s *concat) Resize(n int) { s.v, s.first = extend(s.v, n), extend(s.first, n) }

func (s *concat) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a, d := args[0], args[1]
	for _, i := range sel {
		if a.Nulls.Get(int(i)) {
			continue
		}
		var delim []byte
		if !d.Nulls.Get(int(i)) {
			delim = d.Bytes[i]
		}
		g := groups[i]
		s.held -= int64(cap(s.v[g]))
		if s.first[g] == 0 {
			s.first[g] = len(delim) + 1
		}
		if more := len(delim) + len(a.Bytes[i]); len(s.v[g])+more > expr.MaxText {
			return expr.TooLarge(len(s.v[g]), more)
		}
		s.v[g] = append(append(s.v[g], delim...), a.Bytes[i]...)
		s.held += int64(cap(s.v[g]))
	}
	return nil
}

func (s *concat) Merge(other State, from, to []uint32) error {
	o := other.(*concat)
	for k, i := range from {
		g, f := to[k], o.first[i]
		switch {
		case f == 0:
			continue
		case s.first[g] == 0:
			s.first[g], s.v[g] = f, o.v[i]
		case len(s.v[g])+len(o.v[i]) > expr.MaxText:
			return expr.TooLarge(len(s.v[g]), len(o.v[i]))
		default:
			s.v[g] = append(s.v[g], o.v[i]...)
		}
		s.held += int64(cap(o.v[i]))
	}
	return nil
}

func (s *concat) Final(lo, hi int, out *vec.Vec) error {
	return finals(s, lo, hi, out)
}

// Peek shares the group's bytes: what comes later is appended.
func (s *concat) Peek(g int, out *vec.Vec, i int) error {
	if s.first[g] == 0 {
		out.Nulls.Set(i)
	} else {
		out.Bytes[i] = s.v[g][s.first[g]-1 : len(s.v[g]) : len(s.v[g])]
	}
	return nil
}

func (s *concat) Bytes() int64 { return s.held + int64(32*cap(s.v)) }

// collect is array_agg, json_agg and jsonb_agg; NULLs are elements too.
type collect struct {
	t, elem types.T
	json    types.Kind // 0: an array
	lines   bool       // see expr.Agg
	v       [][]types.Datum
	held    int64
}

func (s *collect) Resize(n int) { s.v = extend(s.v, n) }

func (s *collect) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a := args[0]
	for _, i := range sel {
		s.held += keepDatum(&s.v[groups[i]], a, int(i))
	}
	return nil
}

// keepDatum appends slot i of a to a group's values and gives the bytes it took.
func keepDatum(to *[]types.Datum, a *vec.Vec, i int) int64 {
	before := cap(*to)
	d := a.Datum(i).Clone(a.Type)
	*to = append(*to, d)
	return int64(cap(*to)-before)*types.DatumSize + d.Behind()
}

func (s *collect) Merge(other State, from, to []uint32) error {
	o := other.(*collect)
	for k, i := range from {
		g, v := to[k], o.v[i]
		before := cap(s.v[g])
		s.v[g] = append(s.v[g], v...)
		s.held += int64(cap(s.v[g])-before) * types.DatumSize
		for j := range v {
			s.held += v[j].Behind()
		}
	}
	return nil
}

func (s *collect) Final(lo, hi int, out *vec.Vec) error {
	return finals(s, lo, hi, out)
}

// Peek shares the group's values: what comes later is appended.
func (s *collect) Peek(g int, out *vec.Vec, i int) error {
	if len(s.v[g]) == 0 {
		out.Nulls.Set(i)
		return nil
	}
	vals := s.v[g][:len(s.v[g]):len(s.v[g])]
	var d types.Datum
	var err error
	switch {
	case s.json != 0:
		d, err = jsonfunc.MakeArray(s.json, vals, s.lines)
	case s.elem.Kind == types.Array:
		d, err = eval.StackArrays(s.t, vals)
	default:
		d = types.NewArray(s.elem.Base(), vals)
	}
	if err == nil {
		out.Set(i, d)
	}
	return err
}

func (s *collect) Bytes() int64 { return s.held + int64(24*cap(s.v)) }

// floatVar is the variance family over floats, by Youngs and Cramer's method.
type floatVar struct {
	sample, dev bool
	n, sx, sxx  []float64
}

func (s *floatVar) Resize(n int) {
	s.n, s.sx, s.sxx = extend(s.n, n), extend(s.sx, n), extend(s.sxx, n)
}

func (s *floatVar) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a := args[0]
	for _, i := range sel {
		if a.Nulls.Get(int(i)) {
			continue
		}
		g, v := groups[i], a.Floats[i]
		was := s.sx[g]
		s.n[g]++
		s.sx[g] += v
		if n := s.n[g]; n > 1 {
			t := v*n - s.sx[g]
			s.sxx[g] += t * t / (n * (n - 1))
			if math.IsInf(s.sx[g], 0) || math.IsInf(s.sxx[g], 0) {
				if !math.IsInf(was, 0) && !math.IsInf(v, 0) {
					return overflow()
				}
				s.sxx[g] = math.NaN()
			}
		} else if math.IsNaN(v) || math.IsInf(v, 0) {
			s.sxx[g] = math.NaN()
		}
	}
	return nil
}

func (s *floatVar) Merge(other State, from, to []uint32) error {
	o := other.(*floatVar)
	for k, i := range from {
		if err := s.merge(to[k], o, int(i)); err != nil {
			return err
		}
	}
	return nil
}

func (s *floatVar) merge(g uint32, o *floatVar, i int) error {
	switch {
	case o.n[i] == 0:
	case s.n[g] == 0:
		s.n[g], s.sx[g], s.sxx[g] = o.n[i], o.sx[i], o.sxx[i]
	default:
		sx, err := mergeSums(s.sx[g], o.sx[i], false)
		if err != nil {
			return err
		}
		sxx, err := mergeSquares(s.sxx[g], o.sxx[i], s.n[g], o.n[i], s.sx[g], o.sx[i])
		if err != nil {
			return err
		}
		s.n[g], s.sx[g], s.sxx[g] = s.n[g]+o.n[i], sx, sxx
	}
	return nil
}

func (s *floatVar) Final(lo, hi int, out *vec.Vec) error {
	return finals(s, lo, hi, out)
}

func (s *floatVar) Peek(g int, out *vec.Vec, i int) error {
	n := s.n[g]
	if s.sample {
		n--
	}
	if n <= 0 {
		out.Nulls.Set(i)
		return nil
	}
	v := s.sxx[g] / n
	if s.dev {
		v = math.Sqrt(v)
	}
	out.Floats[i] = v
	return nil
}

func (s *floatVar) Bytes() int64 { return int64(24 * cap(s.n)) }
