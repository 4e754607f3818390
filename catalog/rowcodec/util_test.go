package rowcodec

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/types"
)

// compareSQL orders two values that are not NULL as Postgres does: an
// independent judge of the key order.
func compareSQL(t types.T, a, b types.Datum) int {
	switch t.Phys() {
	case types.PhysBool:
		return cmp.Compare(b2i(a.Bool), b2i(b.Bool))
	case types.PhysInt:
		return cmp.Compare(a.Int, b.Int)
	case types.PhysFloat:
		switch an, bn := math.IsNaN(a.Float), math.IsNaN(b.Float); {
		case an || bn:
			return cmp.Compare(b2i(an), b2i(bn))
		case a.Float == b.Float:
			return 0
		}
		return cmp.Compare(a.Float, b.Float)
	case types.PhysDecimal:
		return compareDecimal(a.Decimal, b.Decimal)
	case types.PhysInterval: // as they are kept
		a, b := a.Interval, b.Interval
		return cmp.Or(cmp.Compare(a.Months, b.Months), cmp.Compare(a.Days, b.Days), cmp.Compare(a.Micros, b.Micros))
	}
	return bytes.Compare(a.Bytes, b.Bytes)
}

func compareDecimal(a, b *apd.Decimal) int {
	rank := func(d *apd.Decimal) int {
		switch {
		case d.Form == apd.NaN || d.Form == apd.NaNSignaling:
			return 2
		case d.Form == apd.Infinite && d.Negative:
			return -1
		case d.Form == apd.Infinite:
			return 1
		}
		return 0
	}
	if c := cmp.Compare(rank(a), rank(b)); c != 0 || rank(a) != 0 {
		return c
	}
	return a.Cmp(b)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func formatDatum(d types.Datum) string {
	switch {
	case d.Null:
		return "NULL"
	case d.Array != nil:
		var s []string
		for _, e := range d.Array.Elems {
			s = append(s, formatDatum(e))
		}
		return fmt.Sprintf("%v+%d[%s]", d.Array.Dims, d.Array.Low, strings.Join(s, " "))
	case d.Interval != types.IntervalValue{}:
		return fmt.Sprintf("%+v", d.Interval)
	case d.Decimal != nil:
		return d.Decimal.Text('f')
	case d.Bytes != nil:
		return fmt.Sprintf("%q", d.Bytes)
	case d.Float != 0:
		return fmt.Sprint(d.Float)
	case d.Bool:
		return "true"
	}
	return fmt.Sprint(d.Int)
}
