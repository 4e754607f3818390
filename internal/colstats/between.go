package colstats

import (
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/types"
)

// between says how far v lies between two bounds, from 0 to 1, as PostgreSQL's
// convert_to_scalar: numbers and times by their distance, text and bytes by the first
// bytes in which the bounds differ; half for what has no distance.
func between(t types.T, lo, hi, v types.Datum) float64 {
	var a, b, x float64
	switch t.Phys() {
	case types.PhysInt:
		a, b, x = float64(lo.Int), float64(hi.Int), float64(v.Int)
	case types.PhysFloat:
		a, b, x = lo.Float, hi.Float, v.Float
	case types.PhysDecimal:
		a, b, x = decimal(lo.Decimal), decimal(hi.Decimal), decimal(v.Decimal)
	case types.PhysBytes:
		n := 0
		for n < len(lo.Bytes) && n < len(hi.Bytes) && lo.Bytes[n] == hi.Bytes[n] {
			n++
		}
		a, b, x = fraction(lo.Bytes, n), fraction(hi.Bytes, n), fraction(v.Bytes, n)
	default:
		return 0.5
	}
	if p := (x - a) / (b - a); p >= 0 && p <= 1 { // also not NaN
		return p
	}
	return 0.5
}

// fraction reads up to 8 bytes behind the first n as a number to the base of 256.
func fraction(b []byte, n int) float64 {
	f, scale := 0.0, 1.0
	for i := n; i < n+8 && i < len(b); i++ {
		scale /= 256
		f += float64(b[i]) * scale
	}
	return f
}

func decimal(d *apd.Decimal) float64 {
	f, err := d.Float64()
	if err != nil { // beyond a double
		f, _ = strconv.ParseFloat(d.Text('e'), 64)
	}
	return f
}
