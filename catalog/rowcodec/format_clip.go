package rowcodec

import (
	"bytes"

	"github.com/saltsql/saltsql/storage"
)

// clip moves the cuts of an interval to the values that the form can hold; ok is false
// where there are none.
func (c *KeyColumn) clip(v interval) (_ interval, ok bool) {
	f := c.Form
	if c.numeric() {
		lo, hi := c.numbers()
		if lo > hi {
			return v, false
		}
		v.lo, v.hi = c.clipNumber(v.lo, lo, hi), c.clipNumber(v.hi, lo, hi)
		return v, !v.empty()
	}
	if size := c.size(); size > 0 {
		v.lo, v.hi = clipSize(v.lo, size), clipSize(v.hi, size)
		return v, !v.empty()
	}
	if b, point := v.point(); point && f.Width == 0 {
		if part, fits := c.appendForm(nil, b); !fits || len(part) == 0 && len(f.Sep) == 0 && c.Type != Varchar && c.Type != Varbinary {
			return v, false
		}
	}
	if c.Type == Date { // of four digits
		if v.lo.at < 0 {
			v.lo = before(c.iso(minISO))
		}
		if v.hi.at > 0 {
			v.hi = after(c.iso(maxISO))
		}
		v.lo, v.hi = clampCut(v.lo, c.iso(minISO), c.iso(maxISO)), clampCut(v.hi, c.iso(minISO), c.iso(maxISO))
	}
	return v, !v.empty()
}

// clampCut moves a cut between the values lo and hi.
func clampCut(x cut, lo, hi []byte) cut {
	if x.at == 0 && bytes.Compare(x.b, lo) < 0 {
		return before(lo)
	}
	if x.at == 0 && bytes.Compare(x.b, hi) > 0 {
		return after(hi)
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

func clipSize(x cut, size int) cut {
	switch {
	case x.at != 0 || len(x.b) == size:
		return x
	case len(x.b) > size:
		return after(x.b[:size:size])
	}
	return before(x.b)
}

func (c *KeyColumn) clipNumber(x cut, lo, hi int64) cut {
	edge := func(n int64, after bool) cut {
		b, _ := c.appendEpoch(nil, n)
		return cut{b: b, after: after}
	}
	switch {
	case x.at < 0:
		return edge(lo, false)
	case x.at > 0:
		return edge(hi, true)
	}
	n, whole := c.epoch(x.b)
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
func (p *keyPrefix) looseSpan(c *KeyColumn, v interval) (sp storage.Span, ok bool) {
	sp = p.span()
	if c.numeric() {
		return sp, true
	}
	form := func(b []byte) []byte {
		part, _ := c.appendForm(bytes.Clone(p.buf), b)
		return part
	}
	if v.lo.at == 0 {
		sp.Start = form(v.lo.b)
	}
	if v.hi.at != 0 {
		return sp, true
	}
	hi, sep := v.hi.b, c.Form.Sep
	end := form(hi)
	for k := range len(hi) + 1 {
		if k == len(hi) && !v.hi.after || before(hi[:k]).compare(v.lo) < 0 {
			continue
		}
		// The keys of a value that hi begins with, or of hi.
		next, ok := increment(append(form(hi[:k]), sep...))
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
