package rowcodec

import (
	"reflect"
	"testing"

	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/internal/types"
)

// TestPrefixSpan holds that the span of leading values is the one that Spans makes.
func TestPrefixSpan(t *testing.T) {
	r := newRand(t)
	made, salted, indexes := 0, 0, 0
	for range rounds(4000) {
		s := randomKeySchema(r)
		if r.IntN(2) == 0 {
			index(r, s)
		}
		for n := 1; n < len(s.Columns); n++ {
			p := s.NewPrefixSpan(n)
			if p == nil {
				continue
			}
			for range 4 {
				vals := randomRow(r, s)[:n]
				conj, whole, null := Conj{}, true, false
				for i := range vals {
					v := &vals[i]
					null = null || v.Null
					c := s.Columns[i].cell()
					whole = whole && (c.Type == BigInt || c.Type == Integer || c.Type == SmallInt || c.Type == Varchar || c.Type == Varbinary)
					conj.Columns = append(conj.Columns, []Range{{Lo: v, Hi: v, LoIncl: true, HiIncl: true}})
				}
				if null {
					continue
				}
				got := p.Of(vals)
				if got == nil {
					continue
				}
				want, err := s.Spans([]Conj{conj}, SpanOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if !whole {
					got.Exact = want.Exact
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("%s\n%s\n%s\ninstead of\n%s", formatSchema(s), formatConj(s, conj), s.Describe(got), s.Describe(want))
				}
				made++
				salted += b2i(s.Buckets > 0)
				indexes += b2i(s.Index)
			}
		}
	}
	t.Logf("%d spans, %d salted, %d of indexes", made, salted, indexes)
	if made < 100 || salted == 0 || indexes == 0 {
		t.Error("too few of a kind")
	}
}

// TestPrefixSpanAllocations holds that the span of the next execution costs no memory.
func TestPrefixSpanAllocations(t *testing.T) {
	big := Column{Type: BigInt, SQL: types.Of(types.Int8)}
	s := &KeySchema{Table: "t", Buckets: 16, SaltColumns: []int{0}, Columns: []KeyColumn{{Name: "a", Column: big}, {Name: "b", Column: big}}}
	p := s.NewPrefixSpan(1)
	vals := []types.Datum{types.NewInt(0)}
	if n := alloctest.PerRun(100, func() {
		if vals[0].Int++; p.Of(vals) == nil {
			t.Fatal("no span")
		}
	}); n > 0 {
		t.Errorf("%.0f allocations", n)
	}
}
