package bound

import (
	"bytes"
	"slices"
)

// Cut is a place before or after a value of a column, in the order of its ASC
// bytes (unescaped): before all values (at < 0), after all (at > 0), or at b.
type Cut struct {
	At    int8
	After bool
	Bytes []byte
}

var (
	Begin = Cut{At: -1}
	End   = Cut{At: 1}
)

// Before is the cut under b.
func Before(b []byte) Cut { return Cut{Bytes: b} }

// After is the cut over b.
func After(b []byte) Cut { return Cut{Bytes: b, After: true} }

// Compare orders cuts.
func (x Cut) Compare(y Cut) int {
	if x.At != y.At {
		return int(x.At) - int(y.At)
	}
	if c := bytes.Compare(x.Bytes, y.Bytes); c != 0 {
		return c
	}
	switch {
	case x.After == y.After:
		return 0
	case x.After:
		return 1
	}
	return -1
}

// Interval holds the values between two cuts. SQL ranges, open, half-open or
// closed, are all of this one shape.
type Interval struct{ Lo, Hi Cut }

// Empty says that nothing lies in v.
func (v Interval) Empty() bool { return v.Lo.Compare(v.Hi) >= 0 }

// Value gives the one value that v holds, if it is written as one.
func (v Interval) Value() ([]byte, bool) {
	ok := v.Lo.At == 0 && v.Hi.At == 0 && !v.Lo.After && v.Hi.After && bytes.Equal(v.Lo.Bytes, v.Hi.Bytes)
	return v.Lo.Bytes, ok
}

// Point holds b alone.
func Point(b []byte) Interval { return Interval{Before(b), After(b)} }

// Union sorts a union of intervals and joins those that overlap or touch.
func Union(vs []Interval) []Interval {
	vs = slices.DeleteFunc(vs, Interval.Empty)
	slices.SortFunc(vs, func(x, y Interval) int { return x.Lo.Compare(y.Lo) })
	out := vs[:0]
	for _, v := range vs {
		if n := len(out); n > 0 && v.Lo.Compare(out[n-1].Hi) <= 0 {
			if v.Hi.Compare(out[n-1].Hi) > 0 {
				out[n-1].Hi = v.Hi
			}
			continue
		}
		out = append(out, v)
	}
	return out
}

// Intersect gives what two normal unions have in common.
func Intersect(a, b []Interval) []Interval {
	out := []Interval{}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		v := Interval{a[i].Lo, a[i].Hi}
		if b[j].Lo.Compare(v.Lo) > 0 {
			v.Lo = b[j].Lo
		}
		if b[j].Hi.Compare(v.Hi) < 0 {
			v.Hi = b[j].Hi
		}
		if !v.Empty() {
			out = append(out, v)
		}
		if a[i].Hi.Compare(b[j].Hi) < 0 {
			i++
		} else {
			j++
		}
	}
	return out
}

// Join makes at most n intervals that cover vs.
func Join(vs []Interval, n int) []Interval {
	if len(vs) <= n {
		return vs
	}
	run := (len(vs) + n - 1) / n
	var out []Interval
	for i := 0; i < len(vs); i += run {
		out = append(out, Interval{vs[i].Lo, vs[min(i+run, len(vs))-1].Hi})
	}
	return out
}

// Increment gives the smallest bytes over all that begin with b; ok is false where there
// are none: b is empty or all FF.
func Increment(b []byte) (next []byte, ok bool) {
	next, ok = AppendIncrement(make([]byte, 0, len(b)), b)
	if !ok {
		return nil, false
	}
	return next, true
}

// AppendIncrement is increment into dst.
func AppendIncrement(dst, b []byte) ([]byte, bool) {
	n := len(b)
	for n > 0 && b[n-1] == 0xFF {
		n--
	}
	if n == 0 {
		return dst, false
	}
	dst = append(dst, b[:n]...)
	dst[len(dst)-1]++
	return dst, true
}
