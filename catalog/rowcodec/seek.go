package rowcodec

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/storage"
)

// AppendPrefix appends to dst the part of a physical key, its salt included, that
// holds the values of the first n columns, with the separator behind each: what
// every key with these values begins with, except those that end in them. ok is
// false where key is not such a key, or n is not less than the number of columns.
//
//	a = 'x', b = 'y', c = 1    s 'x' 00 'y' 00 80000001    n = 1: s 'x' 00
//	a = 'x', b = ''            s 'x'                       n = 1: s 'x' 00
func (s *KeySchema) AppendPrefix(dst, key []byte, n int) (prefix []byte, ok bool) {
	if n >= len(s.Columns) {
		return dst, false
	}
	if s.Buckets > 0 && len(key) == 0 {
		return dst, false
	}
	logical := s.LogicalKey(key)
	dst, key = append(dst, key[:len(key)-len(logical)]...), logical
	for i := range n {
		c := &s.Columns[i]
		if len(key) == 0 && c.FixedWidth() > 0 {
			return dst, false
		}
		part, after, ok := s.nextPart(i, key)
		if !ok {
			return dst, false
		}
		taken := len(key) - len(after)
		dst = append(dst, key[:taken]...)
		if c.Form == nil && c.FixedWidth() == 0 && taken == len(part) {
			dst = appendSeparator(dst, c, false)
		}
		key = after
	}
	return dst, true
}

// PrefixEnd gives, for a prefix of AppendPrefix, the first key
// behind all that have it, in new memory; ok is false where there is none.
func PrefixEnd(prefix []byte) (end []byte, ok bool) { return bound.Increment(prefix) }

// From cuts sorted, disjoint spans to the keys from at on, or with reverse to those
// below it. The spans given are not changed.
func From(spans []storage.Span, at []byte, reverse bool) []storage.Span {
	var out []storage.Span
	for _, s := range spans {
		switch {
		case reverse && compareEnd(s.End, at) > 0:
			s.End = at
		case !reverse && bytes.Compare(s.Start, at) < 0:
			s.Start = at
		}
		if !s.Empty() {
			out = append(out, s)
		}
	}
	return out
}

// SuffixSpans gives, for keys whose first columns are whatever they are, where
// behind their prefix (see AppendPrefix) the rows lie that satisfy one of
// conjs, which say nothing of those columns: sorted and disjoint. A row outside
// satisfies none. ok is false where keys may end before column free, or nothing
// can be said.
func (s *KeySchema) SuffixSpans(conjs []Conj, free int) (spans []storage.Span, ok bool, err error) {
	if free <= 0 || free >= len(s.Columns) || len(conjs) == 0 || s.trimmableFrom()[free] {
		return nil, false, nil
	}
	rest := &KeySchema{Table: s.Table, Columns: s.Columns[free:], Adopted: s.Adopted}
	cut := make([]Conj, len(conjs))
	for i := range conjs {
		if len(conjs[i].Columns) > free {
			cut[i].Columns = conjs[i].Columns[free:]
		}
		for _, t := range conjs[i].Tuples {
			t.Columns = slices.Clone(t.Columns)
			for k := range t.Columns {
				t.Columns[k] -= free
			}
			cut[i].Tuples = append(cut[i].Tuples, t)
		}
	}
	set, err := rest.Spans(cut, SpanOptions{})
	if err != nil {
		return nil, false, err
	}
	for _, p := range set.Points {
		spans = append(spans, keySpan(p))
	}
	if len(set.Buckets) > 0 {
		spans = append(spans, set.Buckets[0].Spans...)
	}
	return mergeSpans(spans), len(spans) > 0, nil
}
