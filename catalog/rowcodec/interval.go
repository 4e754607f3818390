package rowcodec

import (
	"bytes"
	"slices"
)

// cut is a place before or after a value of a column, in the order of its ASC
// bytes (unescaped): before all values (at < 0), after all (at > 0), or at b.
type cut struct {
	at    int8
	after bool
	b     []byte
}

var (
	cutBegin = cut{at: -1}
	cutEnd   = cut{at: 1}
)

func before(b []byte) cut { return cut{b: b} }

func after(b []byte) cut { return cut{b: b, after: true} }

func (x cut) compare(y cut) int {
	if x.at != y.at {
		return int(x.at) - int(y.at)
	}
	if c := bytes.Compare(x.b, y.b); c != 0 {
		return c
	}
	switch {
	case x.after == y.after:
		return 0
	case x.after:
		return 1
	}
	return -1
}

// interval holds the values between two cuts. SQL ranges, open, half-open or
// closed, are all of this one shape.
type interval struct{ lo, hi cut }

func (v interval) empty() bool { return v.lo.compare(v.hi) >= 0 }

// point gives the one value that v holds, if it is written as one.
func (v interval) point() ([]byte, bool) {
	ok := v.lo.at == 0 && v.hi.at == 0 && !v.lo.after && v.hi.after && bytes.Equal(v.lo.b, v.hi.b)
	return v.lo.b, ok
}

func pointInterval(b []byte) interval { return interval{before(b), after(b)} }

// normalize sorts a union of intervals and joins those that overlap or touch.
func normalize(vs []interval) []interval {
	vs = slices.DeleteFunc(vs, interval.empty)
	slices.SortFunc(vs, func(x, y interval) int { return x.lo.compare(y.lo) })
	out := vs[:0]
	for _, v := range vs {
		if n := len(out); n > 0 && v.lo.compare(out[n-1].hi) <= 0 {
			if v.hi.compare(out[n-1].hi) > 0 {
				out[n-1].hi = v.hi
			}
			continue
		}
		out = append(out, v)
	}
	return out
}

// intersect gives what two normal unions have in common.
func intersect(a, b []interval) []interval {
	out := []interval{}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		v := interval{a[i].lo, a[i].hi}
		if b[j].lo.compare(v.lo) > 0 {
			v.lo = b[j].lo
		}
		if b[j].hi.compare(v.hi) < 0 {
			v.hi = b[j].hi
		}
		if !v.empty() {
			out = append(out, v)
		}
		if a[i].hi.compare(b[j].hi) < 0 {
			i++
		} else {
			j++
		}
	}
	return out
}

// joinNeighbours makes at most n intervals that cover vs.
func joinNeighbours(vs []interval, n int) []interval {
	if len(vs) <= n {
		return vs
	}
	run := (len(vs) + n - 1) / n
	var out []interval
	for i := 0; i < len(vs); i += run {
		out = append(out, interval{vs[i].lo, vs[min(i+run, len(vs))-1].hi})
	}
	return out
}

// increment gives the smallest bytes over all that begin with b; ok is false where there
// are none: b is empty or all FF.
func increment(b []byte) (next []byte, ok bool) {
	next, ok = appendIncrement(make([]byte, 0, len(b)), b)
	if !ok {
		return nil, false
	}
	return next, true
}

// appendIncrement is increment into dst.
func appendIncrement(dst, b []byte) ([]byte, bool) {
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
