package agg

import (
	"math"
	"math/bits"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

// Long because sums of each type are alike, and are compared best side by side.

func newSum(avg bool, t, res types.T) (State, error) {
	switch t.Phys() {
	case types.PhysInt:
		return &intSum{avg: avg, wide: res.Kind == types.Numeric}, nil
	case types.PhysFloat:
		return &floatSum{avg: avg, single: res.Kind == types.Float4}, nil
	case types.PhysDecimal:
		return &numSum{avg: avg}, nil
	case types.PhysInterval:
		return &intervalSum{avg: avg}, nil
	}
	return nil, unknown("sum")
}

// int128 is a sum of 64-bit integers: 2^63 of them cannot overflow it.
type int128 struct {
	hi int64
	lo uint64
}

func (s *int128) add(v int64) {
	lo, carry := bits.Add64(s.lo, uint64(v), 0)
	s.lo = lo
	s.hi += v>>63 + int64(carry)
}

func (s *int128) addWide(v int128) {
	lo, carry := bits.Add64(s.lo, v.lo, 0)
	s.lo = lo
	s.hi += v.hi + int64(carry)
}

func (s int128) fits64() bool { return s.hi == int64(s.lo)>>63 }

// numeric puts the sum into z.
func (s int128) numeric(z *apd.Decimal) {
	if s.fits64() {
		numeric.SetInt64(z, int64(s.lo))
		return
	}
	neg := s.hi < 0
	if neg {
		lo, carry := bits.Add64(^s.lo, 1, 0)
		s.lo, s.hi = lo, int64(uint64(^s.hi)+carry)
	}
	z.Form, z.Exponent, z.Negative = apd.Finite, 0, neg
	var lo apd.BigInt
	lo.SetUint64(s.lo)
	z.Coeff.SetUint64(uint64(s.hi))
	z.Coeff.Lsh(&z.Coeff, 64)
	z.Coeff.Add(&z.Coeff, &lo)
}

// intSum is sum and avg over integers.
type intSum struct {
	avg  bool
	wide bool // the result is numeric
	sum  []int128
	n    []int64
}

func (s *intSum) Resize(n int) { s.sum, s.n = extend(s.sum, n), extend(s.n, n) }

func (s *intSum) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a := args[0]
	nulls := a.Nulls.Any()
	for _, i := range sel {
		if nulls && a.Nulls.Get(int(i)) {
			continue
		}
		g := groups[i]
		s.sum[g].add(a.Ints[i])
		s.n[g]++
	}
	return nil
}

func (s *intSum) Merge(other State, groups []uint32) error {
	o := other.(*intSum)
	for i, g := range groups[:len(o.n)] {
		s.sum[g].addWide(o.sum[i])
		s.n[g] += o.n[i]
	}
	return nil
}

func (s *intSum) Final(lo, hi int, out *vec.Vec) error {
	return finals(s, lo, hi, out)
}

func (s *intSum) Peek(g int, out *vec.Vec, i int) error {
	switch {
	case s.n[g] == 0:
		out.Nulls.Set(i)
	case s.avg:
		var total apd.Decimal
		s.sum[g].numeric(&total)
		return numeric.Div(&out.Decimals[i], &total, apd.New(s.n[g], 0))
	case s.wide:
		s.sum[g].numeric(&out.Decimals[i])
	case !s.sum[g].fits64():
		return sqlerr.New(sqlerr.NumericValueOutOfRange, "bigint out of range")
	default:
		out.Ints[i] = int64(s.sum[g].lo)
	}
	return nil
}

func (s *intSum) Bytes() int64 { return int64(16*cap(s.sum) + 8*cap(s.n)) }

// floatSum is sum and avg over floats; single rounds to float4 at every step. A sum of
// finite values that is infinite is refused. An average is refused, as in PostgreSQL,
// where the squares of the distances from it overflow too.
type floatSum struct {
	avg, single bool
	sum         []float64
	n           []int64
	// squares are the summed squares of the distances from the average. nil until a sum
	// reaches largeSum: what smaller values add is below the precision of what overflows.
	squares []float64
}

// largeSum is far below the root of the largest float: the squares of 2^53 distances
// between values whose sums stay below it do not overflow.
const largeSum = 1e130

func (s *floatSum) Resize(n int) {
	s.sum, s.n = extend(s.sum, n), extend(s.n, n)
	if s.squares != nil {
		s.squares = extend(s.squares, n)
	}
}

func (s *floatSum) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a := args[0]
	nulls := a.Nulls.Any()
	for _, i := range sel {
		if nulls && a.Nulls.Get(int(i)) {
			continue
		}
		g, v := groups[i], a.Floats[i]
		sum := s.sum[g] + v
		if s.single {
			sum = float64(float32(sum))
		}
		if !(math.Abs(sum) < largeSum) || s.squares != nil {
			if err := s.addLarge(g, v, sum); err != nil {
				return err
			}
		}
		s.sum[g] = sum
		s.n[g]++
	}
	return nil
}

// addLarge checks the value v that makes the sum of group g become sum.
func (s *floatSum) addLarge(g uint32, v, sum float64) error {
	was, n := s.sum[g], float64(s.n[g])
	if math.IsInf(sum, 0) && !math.IsInf(was, 0) && !math.IsInf(v, 0) {
		return overflow()
	}
	if !s.avg {
		return nil
	}
	if s.squares == nil {
		s.squares = make([]float64, len(s.sum), cap(s.sum))
	}
	if n == 0 {
		if !finite(v) {
			s.squares[g] = math.NaN()
		}
		return nil
	}
	d := v*(n+1) - sum
	s.squares[g] += d * d / (n * (n + 1))
	if math.IsInf(sum, 0) || math.IsInf(s.squares[g], 0) {
		if !math.IsInf(was, 0) && !math.IsInf(v, 0) {
			return overflow()
		}
		s.squares[g] = math.NaN()
	}
	return nil
}

func (s *floatSum) Merge(other State, groups []uint32) error {
	o := other.(*floatSum)
	for i, g := range groups[:len(o.n)] {
		if err := s.merge(g, o, i); err != nil {
			return err
		}
	}
	return nil
}

// merge adds group i of o to group g.
func (s *floatSum) merge(g uint32, o *floatSum, i int) error {
	if o.n[i] == 0 {
		return nil
	}
	if s.n[g] == 0 {
		s.sum[g], s.n[g] = o.sum[i], o.n[i]
		if o.squares != nil {
			s.setSquares(g, o.squares[i])
		}
		return nil
	}
	sum, err := mergeSums(s.sum[g], o.sum[i], s.single)
	if err != nil {
		return err
	}
	if s.avg && (!(math.Abs(sum) < largeSum) || s.squares != nil || o.squares != nil) {
		var x, y float64
		if s.squares != nil {
			x = s.squares[g]
		}
		if o.squares != nil {
			y = o.squares[i]
		}
		z, err := mergeSquares(x, y, float64(s.n[g]), float64(o.n[i]), s.sum[g], o.sum[i])
		if err != nil {
			return err
		}
		s.setSquares(g, z)
	}
	s.sum[g] = sum
	s.n[g] += o.n[i]
	return nil
}

func (s *floatSum) setSquares(g uint32, v float64) {
	if s.squares == nil {
		s.squares = make([]float64, len(s.sum), cap(s.sum))
	}
	s.squares[g] = v
}

// mergeSquares gives the summed squares of the distances from the average of two parts,
// of n1 and n2 values with the sums s1 and s2, put together.
func mergeSquares(x, y, n1, n2, s1, s2 float64) (float64, error) {
	d := s1/n1 - s2/n2
	z := x + y + n1*n2*d*d/(n1+n2)
	if math.IsInf(z, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		return 0, overflow()
	}
	return z, nil
}

// mergeSums adds the sums of two parts, as float4 where single.
func mergeSums(x, y float64, single bool) (float64, error) {
	z := x + y
	if single {
		z = float64(float32(z))
	}
	if math.IsInf(z, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		return 0, overflow()
	}
	return z, nil
}

func overflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value out of range: overflow")
}

func (s *floatSum) Final(lo, hi int, out *vec.Vec) error {
	return finals(s, lo, hi, out)
}

func (s *floatSum) Peek(g int, out *vec.Vec, i int) error {
	if s.n[g] == 0 {
		out.Nulls.Set(i)
		return nil
	}
	v := s.sum[g]
	if s.avg {
		v /= float64(s.n[g])
	}
	out.Floats[i] = v
	return nil
}

func (s *floatSum) Bytes() int64 { return int64(16*cap(s.sum) + 8*cap(s.squares)) }

// numSum is sum and avg over numerics.
type numSum struct {
	avg bool
	sum []apd.Decimal
	n   []int64
}

func (s *numSum) Resize(n int) {
	if n > cap(s.sum) {
		grown := make([]apd.Decimal, n, max(n, 2*cap(s.sum)))
		for i := range s.sum {
			grown[i].Set(&s.sum[i])
		}
		s.sum = grown
	}
	s.sum = s.sum[:max(n, len(s.sum))]
	s.n = extend(s.n, n)
}

func (s *numSum) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a := args[0]
	for _, i := range sel {
		if a.Nulls.Get(int(i)) {
			continue
		}
		g := groups[i]
		if err := numeric.Add(&s.sum[g], &s.sum[g], &a.Decimals[i]); err != nil {
			return err
		}
		s.n[g]++
	}
	return nil
}

func (s *numSum) Merge(other State, groups []uint32) error {
	o := other.(*numSum)
	for i, g := range groups[:len(o.n)] {
		if o.n[i] == 0 {
			continue
		}
		if err := numeric.Add(&s.sum[g], &s.sum[g], &o.sum[i]); err != nil {
			return err
		}
		s.n[g] += o.n[i]
	}
	return nil
}

func (s *numSum) Final(lo, hi int, out *vec.Vec) error {
	return finals(s, lo, hi, out)
}

func (s *numSum) Peek(g int, out *vec.Vec, i int) error {
	switch {
	case s.n[g] == 0:
		out.Nulls.Set(i)
	case s.avg:
		return numeric.Div(&out.Decimals[i], &s.sum[g], apd.New(s.n[g], 0))
	default:
		out.Decimals[i].Set(&s.sum[g])
	}
	return nil
}

func (s *numSum) Bytes() int64 { return int64(56 * cap(s.sum)) }

// intervalSum is sum and avg over intervals.
type intervalSum struct {
	avg bool
	sum []types.IntervalValue
	n   []int64
}

func (s *intervalSum) Resize(n int) { s.sum, s.n = extend(s.sum, n), extend(s.n, n) }

func (s *intervalSum) add(g uint32, v types.IntervalValue) error {
	sum, ok := datetime.AddSpans(datetime.Span(s.sum[g]), datetime.Span(v))
	if !ok {
		return datetime.IntervalOutOfRange()
	}
	s.sum[g] = types.IntervalValue(sum)
	return nil
}

func (s *intervalSum) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	a := args[0]
	for _, i := range sel {
		if a.Nulls.Get(int(i)) {
			continue
		}
		if err := s.add(groups[i], a.Intervals[i]); err != nil {
			return err
		}
		s.n[groups[i]]++
	}
	return nil
}

func (s *intervalSum) Merge(other State, groups []uint32) error {
	o := other.(*intervalSum)
	for i, g := range groups[:len(o.n)] {
		if err := s.add(g, o.sum[i]); err != nil {
			return err
		}
		s.n[g] += o.n[i]
	}
	return nil
}

func (s *intervalSum) Final(lo, hi int, out *vec.Vec) error {
	return finals(s, lo, hi, out)
}

func (s *intervalSum) Peek(g int, out *vec.Vec, i int) error {
	if s.n[g] == 0 {
		out.Nulls.Set(i)
		return nil
	}
	v := s.sum[g]
	if s.avg {
		q, err := datetime.DivSpan(datetime.Span(v), float64(s.n[g]))
		if err != nil {
			return err
		}
		v = types.IntervalValue(q)
	}
	out.Intervals[i] = v
	return nil
}

func (s *intervalSum) Bytes() int64 { return int64(24 * cap(s.sum)) }
