package types

import (
	"bytes"
	"cmp"
	"math"

	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/jsonval"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// Compare orders two values of type t as Postgres's btree operators do: NULL is
// greatest, NaN is greater than any number, text by bytes, trailing blanks of
// char(n) do not count. json has no order: it compares by bytes.
func Compare(t T, a, b Datum) int {
	if a.Null || b.Null {
		return cmpBool(a.Null, b.Null)
	}
	switch t.Phys() {
	case PhysBool:
		return cmpBool(a.Bool, b.Bool)
	case PhysInt:
		return cmp.Compare(a.Int, b.Int)
	case PhysFloat:
		return CompareFloat(a.Float, b.Float)
	case PhysDecimal:
		return numeric.Cmp(a.Decimal, b.Decimal)
	case PhysInterval:
		return CompareInterval(a.Interval, b.Interval)
	case PhysArray:
		return compareArray(t, a.Array, b.Array)
	}
	return CompareBytes(t.Kind, a.Bytes, b.Bytes)
}

// Equal says that Compare calls a and b equal.
func Equal(t T, a, b Datum) bool { return Compare(t, a, b) == 0 }

// CompareBytes orders values of a kind that is stored as bytes.
func CompareBytes(k Kind, a, b []byte) int {
	switch k {
	case Bpchar:
		return bytes.Compare(trimBlanks(a), trimBlanks(b))
	case Inet:
		return compareInet(a, b)
	case JSONB:
		if bytes.Equal(a, b) {
			return 0
		}
		x, err1 := jsonval.Parse(string(a))
		y, err2 := jsonval.Parse(string(b))
		if err1 == nil && err2 == nil {
			return jsonval.Compare(x, y)
		}
	}
	return bytes.Compare(a, b)
}

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// CompareFloat orders floats; NaN is greatest and equal to itself.
func CompareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return cmpBool(math.IsNaN(a), math.IsNaN(b))
}

// span takes an interval for comparison: days of 24 hours in months of 30 days.
func (v IntervalValue) span() (days, micros int64) {
	days = int64(v.Months)*30 + int64(v.Days)
	d := v.Micros / datetime.MicrosPerDay
	r := v.Micros % datetime.MicrosPerDay
	if r < 0 {
		r += datetime.MicrosPerDay
		d--
	}
	return days + d, r
}

// CompareInterval orders intervals: a month is 30 days, a day 24 hours.
func CompareInterval(a, b IntervalValue) int {
	ad, am := a.span()
	bd, bm := b.span()
	return cmp.Or(cmp.Compare(ad, bd), cmp.Compare(am, bm))
}

func compareArray(t T, a, b *ArrayValue) int {
	if t.Elem == Oidvector { // the shorter one is less
		if c := cmp.Compare(len(a.Elems), len(b.Elems)); c != 0 {
			return c
		}
	}
	for i := range min(len(a.Elems), len(b.Elems)) {
		et := a.elemType(t, i)
		if k := b.elemType(t, i).Kind; k != et.Kind { // of records of two shapes
			return cmp.Compare(et.Kind, k)
		}
		if c := Compare(et, a.Elems[i], b.Elems[i]); c != 0 {
			return c
		}
	}
	if c := cmp.Compare(len(a.Elems), len(b.Elems)); c != 0 {
		return c
	}
	if c := cmp.Compare(len(a.Dims), len(b.Dims)); c != 0 {
		return c
	}
	for i := range a.Dims {
		if c := cmp.Compare(a.Dims[i], b.Dims[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.Low, b.Low)
}
