package keyform

import (
	"bytes"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
)

// Clip moves the cuts of an interval to the values that the form can hold; ok is false
// where there are none.
func (c *Column) Clip(v bound.Interval) (_ bound.Interval, ok bool) {
	if c.numeric() {
		lo, hi := c.numbers()
		if lo > hi {
			return v, false
		}
		v.Lo, v.Hi = c.clipNumber(v.Lo, lo, hi), c.clipNumber(v.Hi, lo, hi)
		return v, !v.Empty()
	}
	if size := c.size(); size > 0 {
		v.Lo, v.Hi = clipSize(v.Lo, size), clipSize(v.Hi, size)
		return v, !v.Empty()
	}
	if b, point := v.Value(); point && c.Width == 0 {
		if part, fits := c.Append(nil, b); !fits || len(part) == 0 && len(c.Sep) == 0 && c.Class != Text && c.Class != Bytes {
			return v, false
		}
	}
	if c.Class == Millis { // of four digits
		if v.Lo.At < 0 {
			v.Lo = bound.Before(iso(minISO))
		}
		if v.Hi.At > 0 {
			v.Hi = bound.After(iso(maxISO))
		}
		v.Lo, v.Hi = clampCut(v.Lo, iso(minISO), iso(maxISO)), clampCut(v.Hi, iso(minISO), iso(maxISO))
	}
	return v, !v.Empty()
}

// clampCut moves a cut between the values lo and hi.
func clampCut(x bound.Cut, lo, hi []byte) bound.Cut {
	if x.At == 0 && bytes.Compare(x.Bytes, lo) < 0 {
		return bound.Before(lo)
	}
	if x.At == 0 && bytes.Compare(x.Bytes, hi) > 0 {
		return bound.After(hi)
	}
	return x
}

// size is how many bytes each value has, before it is written as hexadecimal digits; 0
// where that varies or goes without saying.
func (c *Column) size() int {
	switch c.Class {
	case Text:
		return c.Width
	case Bytes:
		if c.Kind == AsHex {
			return c.Width / 2
		}
		return c.Width
	}
	return 0
}

func clipSize(x bound.Cut, size int) bound.Cut {
	switch {
	case x.At != 0 || len(x.Bytes) == size:
		return x
	case len(x.Bytes) > size:
		return bound.After(x.Bytes[:size:size])
	}
	return bound.Before(x.Bytes)
}

func (c *Column) clipNumber(x bound.Cut, lo, hi int64) bound.Cut {
	edge := func(n int64, after bool) bound.Cut {
		b, _ := c.appendEpoch(nil, n)
		return bound.Cut{Bytes: b, After: after}
	}
	switch {
	case x.At < 0:
		return edge(lo, false)
	case x.At > 0:
		return edge(hi, true)
	}
	n, whole := c.epoch(x.Bytes)
	switch {
	case n < lo:
		return edge(lo, false)
	case n > hi || n == hi && !whole:
		return edge(hi, true)
	case !whole:
		return edge(n+1, false)
	}
	return x
}

// Loose gives bounds of the keys that begin with prefix and whose next column, which is
// Unordered, lies in v; others are between them too. nil is where the prefix begins or ends.
func (c *Column) Loose(prefix []byte, v bound.Interval) (start, end []byte) {
	if c.numeric() {
		return nil, nil
	}
	form := func(b []byte) []byte {
		part, _ := c.Append(bytes.Clone(prefix), b)
		return part
	}
	if v.Lo.At == 0 {
		start = form(v.Lo.Bytes)
	}
	if v.Hi.At != 0 {
		return start, nil
	}
	hi := v.Hi.Bytes
	end = form(hi)
	for k := range len(hi) + 1 {
		if k == len(hi) && !v.Hi.After || bound.Before(hi[:k]).Compare(v.Lo) < 0 {
			continue
		}
		// The keys of a value that hi begins with, or of hi.
		next, ok := bound.Increment(append(form(hi[:k]), c.Sep...))
		if !ok {
			return start, nil
		}
		if bytes.Compare(next, end) > 0 {
			end = next
		}
	}
	return start, end
}
