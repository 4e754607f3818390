package rowcodec

import "github.com/saltsql/saltsql/storage"

// An index on the only key column of its table, a text or bytea, may have a logical key of no
// bytes, which no store takes, and no separator that would stand for it. Its physical keys
// have a 00 before what is empty or begins with 00, by which order is kept:
//
//	logical     (none)   00       00 61      61
//	physical    00       00 00    00 00 61   61
//
// escapesEmpty says that the keys of s are such.
func (s *KeySchema) escapesEmpty() bool {
	if !s.Index || s.Buckets > 0 || s.Format != nil || len(s.Columns) != 1 {
		return false
	}
	c := &s.Columns[0]
	return (c.Type == Varchar || c.Type == Varbinary) && c.Stored == nil && c.Form == nil && !c.Desc && !c.Nullable
}

// escapeEmpty escapes the logical key that dst has from base on.
func (s *KeySchema) escapeEmpty(dst []byte, base int) []byte {
	if len(dst) > base && dst[base] != 0 || !s.escapesEmpty() {
		return dst
	}
	dst = append(dst, 0)
	copy(dst[base+1:], dst[base:])
	dst[base] = 0
	return dst
}

// escapeSpans escapes the bounds of logical spans. A bound of no bytes stays: it is before
// all keys, or behind them.
func (s *KeySchema) escapeSpans(spans []storage.Span) {
	bound := func(b []byte) []byte {
		if len(b) == 0 || b[0] != 0 {
			return b
		}
		return append([]byte{0}, b...)
	}
	for i := range spans {
		spans[i].Start, spans[i].End = bound(spans[i].Start), bound(spans[i].End)
	}
}

// unescapeEmpty gives the logical key of a physical one.
func (s *KeySchema) unescapeEmpty(key []byte) []byte {
	if len(key) > 0 && key[0] == 0 && s.escapesEmpty() {
		return key[1:]
	}
	return key
}
