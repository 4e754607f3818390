package rowcodec

import (
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/internal/types"
)

// BenchmarkSpansOfLists makes the points and the spans of long lists of values.
func BenchmarkSpansOfLists(b *testing.B) {
	one := &KeySchema{Table: "t", Buckets: 16, Columns: []KeyColumn{{Name: "a", Column: Column{Type: BigInt, SQL: types.Of(types.Int8)}}}}
	two := &KeySchema{Table: "t", Buckets: 16, Columns: []KeyColumn{one.Columns[0], {Name: "b", Column: Column{Type: BigInt, SQL: types.Of(types.Int8)}}}}
	for _, bm := range []struct {
		name string
		s    *KeySchema
		n    int
	}{{"50000 keys", one, 50_000}, {"1000 prefixes", two, 1000}, {"10000 prefixes", two, 10_000}} {
		conj := []Conj{{Columns: [][]Range{intsEqual(bm.n, 3)}}}
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bm.s.Spans(conj, SpanOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSpansOfRange makes the spans of one range, which a page of a list is read by.
func BenchmarkSpansOfRange(b *testing.B) {
	for _, buckets := range []int{0, 16, 64} {
		s, conjs := rangeOfInts(buckets)
		b.Run(fmt.Sprintf("salt-%d", buckets), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Spans(conjs, SpanOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// rangeOfInts is k >= 1000 over a key of one bigint.
func rangeOfInts(buckets int) (*KeySchema, []Conj) {
	lo := types.NewInt(1000)
	s := &KeySchema{Table: "t", Buckets: buckets, Columns: []KeyColumn{{Name: "k", Column: Column{Type: BigInt, SQL: types.Of(types.Int8)}}}}
	return s, []Conj{{Columns: [][]Range{{{Lo: &lo, LoIncl: true}}}}}
}

// TestSpansAllocations holds that the spans of a range cost the same few allocations with
// any number of buckets.
func TestSpansAllocations(t *testing.T) {
	of := func(buckets int) float64 {
		s, conjs := rangeOfInts(buckets)
		return alloctest.PerRun(100, func() {
			if _, err := s.Spans(conjs, SpanOptions{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := of(16), of(256); few != many || few > 18 {
		t.Errorf("%.0f allocations with 16 buckets, %.0f with 256", few, many)
	}
}
