package storage

import "bytes"

// Empty says that no key is in the span.
func (s Span) Empty() bool { return len(s.End) > 0 && bytes.Compare(s.Start, s.End) >= 0 }

// Resume cuts sorted, disjoint spans to what follows the physical key last in the
// direction of the scan, exclusive. The spans given are not changed.
func Resume(spans []Span, last []byte, reverse bool) []Span {
	var out []Span
	if reverse {
		for _, s := range spans {
			if bytes.Compare(s.Start, last) >= 0 {
				break
			}
			if len(s.End) == 0 || bytes.Compare(s.End, last) > 0 {
				s.End = bytes.Clone(last)
			}
			out = append(out, s)
		}
		return out
	}
	next := append(append(make([]byte, 0, len(last)+1), last...), 0)
	for _, s := range spans {
		if bytes.Compare(s.Start, next) < 0 {
			s.Start = next
		}
		if !s.Empty() {
			out = append(out, s)
		}
	}
	return out
}
