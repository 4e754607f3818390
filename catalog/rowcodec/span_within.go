package rowcodec

import (
	"bytes"

	"github.com/saltsql/saltsql/storage"
)

// Within gives what of the set lies in spans of physical keys, which are sorted and disjoint. The set
// itself stays as it is.
func (s *SpanSet) Within(spans []storage.Span) *SpanSet {
	out := &SpanSet{AllPoints: s.AllPoints, Exact: s.Exact, LogicalSpans: s.LogicalSpans}
	for _, p := range s.Points {
		if Contains(spans, p) {
			out.Points = append(out.Points, p)
		}
	}
	for _, b := range s.Buckets {
		if both := intersectSpans(b.Spans, spans); len(both) > 0 {
			out.Buckets = append(out.Buckets, BucketSpans{Bucket: b.Bucket, Spans: both})
		}
	}
	if len(out.Buckets) == len(s.Buckets) {
		out.NotPruned = s.NotPruned
	}
	return out
}

// Contains says that a physical key lies in one of spans.
func Contains(spans []storage.Span, key []byte) bool {
	for _, s := range spans {
		if bytes.Compare(s.Start, key) <= 0 && (len(s.End) == 0 || bytes.Compare(key, s.End) < 0) {
			return true
		}
	}
	return false
}

// JoinSpans sorts spans and joins those that overlap or touch. The list given is used.
func JoinSpans(spans []storage.Span) []storage.Span { return mergeSpans(spans) }

// intersectSpans gives what is in both lists, which are sorted and disjoint.
func intersectSpans(a, b []storage.Span) (out []storage.Span) {
	for len(a) > 0 && len(b) > 0 {
		both := a[0]
		if bytes.Compare(b[0].Start, both.Start) > 0 {
			both.Start = b[0].Start
		}
		if compareEnd(b[0].End, both.End) < 0 {
			both.End = b[0].End
		}
		if !both.Empty() {
			out = append(out, both)
		}
		if compareEnd(a[0].End, b[0].End) <= 0 {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}
