package storage

import "bytes"

// SplitSpan cuts span at split keys (sorted, distinct) into the pieces that
// Tablets answers with. size gives the bytes of a piece, -1 where unknown.
func SplitSpan(span Span, splits [][]byte, size func(Span) int64) []Tablet {
	if len(span.End) > 0 && bytes.Compare(span.Start, span.End) >= 0 {
		return nil
	}
	var out []Tablet
	start := span.Start
	for _, k := range splits {
		if bytes.Compare(k, start) <= 0 {
			continue
		}
		if len(span.End) > 0 && bytes.Compare(k, span.End) >= 0 {
			break
		}
		s := Span{start, k}
		out = append(out, Tablet{s, size(s)})
		start = k
	}
	s := Span{start, span.End}
	return append(out, Tablet{s, size(s)})
}
