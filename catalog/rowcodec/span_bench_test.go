package rowcodec

import (
	"testing"

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
