package rowcodec

import (
	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/storage"
)

// keyPrefix is the start of a logical key: some leading columns bound to values.
//
//	buf            with a separator behind each variable-width column
//	buf[:trim]     what is left of it where all that follows is trimmed, if
//	               that can be: else all of buf
type keyPrefix struct {
	buf   []byte
	trim  int
	parts []keyPart // by column; nil unless SALT_COLUMNS need them
	ended bool      // a NULL of fixed width, behind which keys have nothing
}

// storedPart turns ASC bytes (unescaped) into what the key holds.
func storedPart(c *KeyColumn, asc []byte) keyPart {
	return appendStored(make([]byte, 0, len(asc)+4), c, asc)
}

func appendStored(dst []byte, c *KeyColumn, asc []byte) []byte {
	base := len(dst)
	if c.Form != nil {
		dst, _ = c.Form.Append(dst, asc)
		return dst
	}
	if c.Type == VarbinaryEncoded {
		dst = appendEscaped(dst, asc)
	} else {
		dst = append(dst, asc...)
	}
	if c.Desc {
		invert(dst[base:])
	}
	return dst
}

// trimmableFrom says, for each column and for the end of the key, whether keys may
// end there: all that follows can be trimmed.
func (s *KeySchema) trimmableFrom() []bool {
	n := len(s.Columns)
	t := make([]bool, n+1)
	t[n] = true
	for i := n - 1; i >= 0; i-- {
		c := &s.Columns[i]
		t[i] = t[i+1] && c.Form == nil && (c.Nullable || (c.FixedWidth() == 0 && c.Type != Decimal && !c.Desc))
	}
	return t
}

// extend binds the next column, c, to a value; endable says that keys may end
// behind it.
func (p *keyPrefix) extend(c *KeyColumn, asc []byte, endable, keepParts bool) keyPrefix {
	q := keyPrefix{buf: append(make([]byte, 0, len(p.buf)+len(asc)+4), p.buf...), trim: p.trim}
	q.buf = appendStored(q.buf, c, asc)
	part := keyPart(q.buf[len(p.buf):len(q.buf):len(q.buf)])
	if !trimmable(c, part) {
		q.trim = len(q.buf)
	}
	if c.separated() {
		q.buf = appendSeparator(q.buf, c, false)
		if c.Desc || c.Form != nil {
			q.trim = len(q.buf)
		}
	}
	if !endable {
		q.trim = len(q.buf)
	}
	if keepParts {
		q.parts = append(append(make([]keyPart, 0, len(p.parts)+1), p.parts...), part)
	}
	return q
}

// extendNull binds the next column, c, to NULL. ok is false where no key can have it:
// a NULL of fixed width is the end of the key.
func (p *keyPrefix) extendNull(c *KeyColumn, endable, keepParts bool) (q keyPrefix, ok bool) {
	q = keyPrefix{buf: p.buf, trim: p.trim, ended: p.ended || c.FixedWidth() > 0}
	if c.FixedWidth() == 0 && !p.ended {
		q.buf = appendSeparator(append(make([]byte, 0, len(p.buf)+2), p.buf...), c, true)
		if !endable {
			q.trim = len(q.buf)
		}
	}
	if keepParts {
		q.parts = append(append(make([]keyPart, 0, len(p.parts)+1), p.parts...), nil)
	}
	return q, endable || c.FixedWidth() == 0
}

// key is the logical key, when every column is bound.
func (p *keyPrefix) key() []byte { return p.buf[:p.trim:p.trim] }

// span holds all keys with the prefix.
func (p *keyPrefix) span() storage.Span {
	if p.ended {
		return keySpan(p.key())
	}
	sp := storage.Span{Start: p.buf[:p.trim:p.trim]}
	sp.End, _ = bound.Increment(p.buf)
	return sp
}

// spanOf holds the keys with the prefix whose next column, c, lies in v. ok is false
// where there are none.
//
// With S the separator of c, and values a and b:
//
//	fixed width  ASC   a <= x < b   [P a, P b)           a < x <= b   [P a +1, P b +1)
//	             DESC  a <= x < b   [P ~b +1, P ~a +1)   a < x <= b   [P ~b, P ~a)
//	variable     ASC   a <= x < b   [P a, P b)           a < x <= b   [P a S +1, P b S +1)
//	             DESC  a <= x < b   [P ~b S +1, P ~a S +1)
//
// where +1 is the first key behind all that begin so. In the last column an ASC value
// has no separator: behind it is its bytes and 00. endable says that keys may end
// behind c.
func (p *keyPrefix) spanOf(c *KeyColumn, last, endable bool, v bound.Interval) (sp storage.Span, ok bool) {
	from, to := v.Lo, v.Hi
	if c.Desc {
		from, to = v.Hi, v.Lo
	}
	sp.Start, ok = p.edge(c, last, endable, from, true)
	if !ok {
		return sp, false
	}
	if sp.End, ok = p.edge(c, last, endable, to, false); !ok {
		sp.End = nil // behind all keys
	} else if len(sp.End) == 0 {
		return sp, false // before all keys
	}
	return sp, !sp.Empty()
}

// edge gives the key bytes at a cut; ok is false where it is behind all keys.
func (p *keyPrefix) edge(c *KeyColumn, last, endable bool, x bound.Cut, start bool) (b []byte, ok bool) {
	fixed := c.FixedWidth() > 0
	if x.At != 0 { // the edge of the column's values: at its start, or its end
		if !start {
			return bound.Increment(p.buf)
		}
		if !c.Nullable {
			return p.buf[:p.trim:p.trim], true
		}
		// Behind NULL, which is no bytes; only fixed-width columns come here.
		return append(append(make([]byte, 0, len(p.buf)+1), p.buf...), 0), true
	}
	part := storedPart(c, x.Bytes)
	if len(part) == 0 && !c.Desc && !x.After {
		return p.buf[:p.trim:p.trim], true
	}
	b = append(append(make([]byte, 0, len(p.buf)+len(part)+2), p.buf...), part...)
	switch {
	case fixed:
		if x.After != c.Desc {
			return bound.Increment(b)
		}
	case c.Desc:
		b = appendSeparator(b, c, false)
		if !x.After {
			return bound.Increment(b)
		}
	case x.After && last:
		b = append(b, 0)
	case x.After:
		return bound.Increment(appendSeparator(b, c, false))
	case !endable: // as the span of the value itself begins, so that the two touch
		b = appendSeparator(b, c, false)
	}
	return b, true
}

// looseSpan holds the keys with the prefix whose next column, which is unordered (see
// UnorderedKey), lies in v, and others.
func (p *keyPrefix) looseSpan(c *KeyColumn, v bound.Interval) (sp storage.Span, ok bool) {
	sp = p.span()
	start, end := c.Form.Loose(p.buf, v)
	if start != nil {
		sp.Start = start
	}
	if end == nil {
		return sp, true
	}
	sp.End = end
	return sp, !sp.Empty()
}
