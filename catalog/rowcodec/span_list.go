package rowcodec

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// compareEnd orders the ends of spans: an empty one is infinite.
func compareEnd(a, b []byte) int {
	switch {
	case len(a) == 0 && len(b) == 0:
		return 0
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	}
	return bytes.Compare(a, b)
}

// mergeSpans sorts spans and joins those that overlap or touch.
func mergeSpans(spans []storage.Span) []storage.Span {
	spans = slices.DeleteFunc(spans, storage.Span.Empty)
	slices.SortFunc(spans, func(a, b storage.Span) int { return bytes.Compare(a.Start, b.Start) })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && (len(out[n-1].End) == 0 || bytes.Compare(s.Start, out[n-1].End) <= 0) {
			if compareEnd(s.End, out[n-1].End) > 0 {
				out[n-1].End = s.End
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// capSpans joins neighbours until at most n merged spans are left.
func capSpans(spans []storage.Span, n int) (out []storage.Span, joined bool) {
	if len(spans) <= n {
		return spans, false
	}
	run := (len(spans) + n - 1) / n
	for i := 0; i < len(spans); i += run {
		out = append(out, storage.Span{Start: spans[i].Start, End: spans[min(i+run, len(spans))-1].End})
	}
	return out, true
}

// keySpan holds one key.
func keySpan(key []byte) storage.Span {
	return storage.Span{Start: key, End: append(append(make([]byte, 0, len(key)+1), key...), 0)}
}

// clipSpans shortens bounds that are longer than a logical key can be, since stores
// refuse them. Longer bounds tell at most one key from its neighbour.
func clipSpans(spans []storage.Span, limit int) (clipped bool) {
	for i := range spans {
		s := &spans[i]
		if len(s.Start) > limit+1 {
			s.Start, clipped = s.Start[:limit], true
		}
		if len(s.End) > limit+1 {
			s.End, _ = bound.Increment(s.End[:limit])
			clipped = true
		}
	}
	return clipped
}

// ResumeBuckets cuts every bucket to what follows the row with a logical key, for
// paging through a merge of buckets. Buckets with nothing left are dropped.
func (s *KeySchema) ResumeBuckets(bs []BucketSpans, logical []byte, reverse bool) []BucketSpans {
	var out []BucketSpans
	for _, b := range bs {
		if left := storage.Resume(b.Spans, s.salt(nil, b.Bucket, logical), reverse); len(left) > 0 {
			out = append(out, BucketSpans{Bucket: b.Bucket, Spans: left})
		}
	}
	return out
}

// PrefixRange gives the values that begin with prefix, for LIKE 'p%' and
// starts_with on text, char(n) and bytea. An empty prefix is every value.
func PrefixRange(prefix []byte) Range {
	r := Range{}
	if len(prefix) == 0 {
		return r
	}
	lo := types.NewBytes(prefix)
	r.Lo, r.LoIncl = &lo, true
	if next, ok := bound.Increment(prefix); ok {
		hi := types.NewBytes(next)
		r.Hi = &hi
	}
	return r
}
