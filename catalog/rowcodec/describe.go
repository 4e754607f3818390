package rowcodec

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/storage"
)

// Describe writes the set for tests and traces, bytes in hex:
//
//	exact, 2 logical
//	buckets 0-3: [80000001, 80000005) [80000009, +inf)
//	not pruned: k is bound by a range only
//
// A point is written with its salt apart: 02:80000001.
func (s *KeySchema) Describe(set *SpanSet) string {
	if set.Empty() {
		return "empty\n"
	}
	var b strings.Builder
	kind := "superset"
	if set.Exact {
		kind = "exact"
	}
	fmt.Fprintf(&b, "%s, %d logical\n", kind, set.LogicalSpans)
	for i, k := range set.Points {
		if i == 0 {
			b.WriteString("points")
		}
		b.WriteByte(' ')
		if n := len(k) - len(s.LogicalKey(k)); n > 0 {
			fmt.Fprintf(&b, "%02X:", k[:n])
		}
		fmt.Fprintf(&b, "%X", s.LogicalKey(k))
	}
	if len(set.Points) > 0 {
		b.WriteByte('\n')
	}
	for i := 0; i < len(set.Buckets); {
		first := set.Buckets[i]
		text := s.describeSpans(first)
		j := i + 1
		for j < len(set.Buckets) && set.Buckets[j].Bucket == first.Bucket+j-i && s.describeSpans(set.Buckets[j]) == text {
			j++
		}
		switch {
		case first.Bucket < 0:
			b.WriteString("spans:")
		case j == i+1:
			fmt.Fprintf(&b, "bucket %d:", first.Bucket)
		default:
			fmt.Fprintf(&b, "buckets %d-%d:", first.Bucket, set.Buckets[j-1].Bucket)
		}
		b.WriteString(text + "\n")
		i = j
	}
	if set.NotPruned != "" {
		b.WriteString("not pruned: " + set.NotPruned + "\n")
	}
	return b.String()
}

// describeSpans writes the spans of a bucket without their salt.
func (s *KeySchema) describeSpans(bs BucketSpans) string {
	var b strings.Builder
	for _, sp := range bs.Spans {
		b.WriteString(" " + s.describeSpan(bs.Bucket, sp))
	}
	return b.String()
}

func (s *KeySchema) describeSpan(bucket int, sp storage.Span) string {
	end := sp.End
	switch {
	case bytes.HasPrefix(end, s.prefix(bucket)):
		end = end[len(s.prefix(bucket)):]
	default: // the start of the next bucket
		end = nil
	}
	start := s.LogicalKey(sp.Start)
	if len(end) == 0 {
		return fmt.Sprintf("[%X, +inf)", start)
	}
	return fmt.Sprintf("[%X, %X)", start, end)
}
