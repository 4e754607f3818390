package rowcodec

import (
	"bytes"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/storage"
)

// clip moves the cuts of an interval to the values that the form can hold; ok is false
// where there are none.
func (c *KeyColumn) clip(v bound.Interval) (_ bound.Interval, ok bool) {
	f := c.Form
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
	if b, point := v.Value(); point && f.Width == 0 {
		if part, fits := c.appendForm(nil, b); !fits || len(part) == 0 && len(f.Sep) == 0 && c.Type != Varchar && c.Type != Varbinary {
			return v, false
		}
	}
	if c.Type == Date { // of four digits
		if v.Lo.At < 0 {
			v.Lo = bound.Before(c.iso(minISO))
		}
		if v.Hi.At > 0 {
			v.Hi = bound.After(c.iso(maxISO))
		}
		v.Lo, v.Hi = clampCut(v.Lo, c.iso(minISO), c.iso(maxISO)), clampCut(v.Hi, c.iso(minISO), c.iso(maxISO))
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
func (c *KeyColumn) size() int {
	switch c.Type {
	case Varchar:
		return c.Form.Width
	case Varbinary:
		if c.Form.Kind == FormHex {
			return c.Form.Width / 2
		}
		return c.Form.Width
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

func (c *KeyColumn) clipNumber(x bound.Cut, lo, hi int64) bound.Cut {
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

// looseSpan holds the keys with the prefix whose next column, which is unordered (see
// UnorderedKey), lies in v, and others.
func (p *keyPrefix) looseSpan(c *KeyColumn, v bound.Interval) (sp storage.Span, ok bool) {
	sp = p.span()
	if c.numeric() {
		return sp, true
	}
	form := func(b []byte) []byte {
		part, _ := c.appendForm(bytes.Clone(p.buf), b)
		return part
	}
	if v.Lo.At == 0 {
		sp.Start = form(v.Lo.Bytes)
	}
	if v.Hi.At != 0 {
		return sp, true
	}
	hi, sep := v.Hi.Bytes, c.Form.Sep
	end := form(hi)
	for k := range len(hi) + 1 {
		if k == len(hi) && !v.Hi.After || bound.Before(hi[:k]).Compare(v.Lo) < 0 {
			continue
		}
		// The keys of a value that hi begins with, or of hi.
		next, ok := bound.Increment(append(form(hi[:k]), sep...))
		if !ok {
			return sp, true
		}
		if bytes.Compare(next, end) > 0 {
			end = next
		}
	}
	sp.End = end
	return sp, !sp.Empty()
}
