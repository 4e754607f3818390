package rowcodec

import (
	"bytes"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// TestResume: what is left after a key holds the keys behind it and no other, in
// either direction.
func TestResume(t *testing.T) {
	r := newRand(t)
	for range rounds(3000) {
		var keys [][]byte
		for range 12 {
			keys = append(keys, randomBytes(r, 1+r.IntN(3)))
		}
		slices.SortFunc(keys, bytes.Compare)
		var spans []storage.Span
		for range r.IntN(5) {
			i, j := r.IntN(len(keys)), r.IntN(len(keys))
			spans = append(spans, storage.Span{Start: keys[min(i, j)], End: keys[max(i, j)]})
		}
		if r.IntN(3) == 0 {
			spans = append(spans, storage.Span{Start: pick(r, keys...)})
		}
		spans = mergeSpans(spans)
		last, reverse := pick(r, keys...), r.IntN(2) == 0
		left := storage.Resume(spans, last, reverse)
		for _, k := range keys {
			in := func(spans []storage.Span) bool {
				return slices.ContainsFunc(spans, func(s storage.Span) bool { return inside(s, k) })
			}
			c := bytes.Compare(k, last)
			want := in(spans) && ((c > 0 && !reverse) || (c < 0 && reverse))
			if in(left) != want {
				t.Fatalf("%X after %X, reverse %v: %v in %X of %X", k, last, reverse, in(left), left, spans)
			}
		}
	}
}

func TestBucketSpans(t *testing.T) {
	for _, n := range []int{0, 1, 4, 256} {
		s := intKey()
		s.Buckets = n
		whole := s.TableSpan()
		for i := range int64(500) {
			key, err := s.AppendKey(nil, []types.Datum{types.NewInt(i * 7919)})
			if err != nil {
				t.Fatal(err)
			}
			if !inside(whole, key) {
				t.Errorf("%d buckets: %X is not in the table", n, key)
			}
			for b := s.firstBucket(); b < s.Buckets; b++ {
				if got := inside(s.BucketSpan(b), key); got != (b == s.KeyBucket(key)) {
					t.Errorf("%d buckets: %X in bucket %d: %v", n, key, b, got)
				}
			}
		}
	}
}

func TestPrefixRange(t *testing.T) {
	tests := []struct{ prefix, lo, hi string }{
		{"", "-", "-"}, {"a", "a", "b"}, {"a\xFF", "a\xFF", "b"}, {"\xFF", "\xFF", "-"},
	}
	for _, tt := range tests {
		r := PrefixRange([]byte(tt.prefix))
		lo, hi := "-", "-"
		if r.Lo != nil {
			lo = string(r.Lo.Bytes)
		}
		if r.Hi != nil {
			hi = string(r.Hi.Bytes)
		}
		if lo != tt.lo || hi != tt.hi || r.HiIncl {
			t.Errorf("%q: %q, %q", tt.prefix, lo, hi)
		}
	}
}
