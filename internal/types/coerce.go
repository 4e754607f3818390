package types

import (
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// CoerceTypmod applies t's modifier to a value of t's kind. Explicit casts
// truncate varchar(n) and char(n) in silence; otherwise 22001. numeric(p,s)
// rounds, then 22003 if the precision does not hold the value.
func CoerceTypmod(t T, d Datum, explicit bool) (Datum, error) {
	if d.Null || t.Typmod() < 0 {
		return d, nil
	}
	switch t.Kind {
	case Varchar, Bpchar:
		b, err := CoerceLength(t, d.Bytes, explicit)
		d.Bytes = b
		return d, err
	case Numeric:
		p, s, ok := t.Precision()
		if !ok {
			return d, nil
		}
		z := new(apd.Decimal).Set(d.Decimal)
		err := numeric.ApplyPrecision(z, p, s)
		return NewDecimal(z), err
	case Time, Timestamp, Timestamptz:
		d.Int = datetime.RoundMicros(d.Int, t.Typmod())
		return d, nil
	case Interval:
		v := t.IntervalFields().Keep(datetime.Span{Months: d.Interval.Months, Days: d.Interval.Days, Micros: d.Interval.Micros})
		if p := t.Typmod() & 0xffff; p <= MaxTimePrecision {
			v.Micros = datetime.RoundMicros(v.Micros, p)
		}
		d.Interval = IntervalValue{Months: v.Months, Days: v.Days, Micros: v.Micros}
		return d, nil
	case Array:
		a := *d.Array
		a.Elems = make([]Datum, len(d.Array.Elems))
		for i, e := range d.Array.Elems {
			c, err := CoerceTypmod(t.ElemType(), e, explicit)
			if err != nil {
				return NullDatum, err
			}
			a.Elems[i] = c
		}
		d.Array = &a
	}
	return d, nil
}

// CoerceLength holds text to varchar(n) or char(n). The result is a part of b.
func CoerceLength(t T, b []byte, explicit bool) ([]byte, error) {
	n, ok := t.Length()
	if !ok {
		return b, nil
	}
	if t.Kind == Bpchar {
		b = trimBlanks(b)
	}
	if len(b) <= n {
		return b, nil
	}
	cut, chars := 0, 0
	for cut < len(b) && chars < n {
		_, size := utf8.DecodeRune(b[cut:])
		cut += size
		chars++
	}
	if cut == len(b) {
		return b, nil
	}
	if !explicit && len(trimBlanks(b[cut:])) > 0 {
		return nil, sqlerr.New(sqlerr.StringDataRightTruncation, "value too long for type %s", t)
	}
	if t.Kind == Bpchar {
		return trimBlanks(b[:cut]), nil
	}
	return b[:cut], nil
}
