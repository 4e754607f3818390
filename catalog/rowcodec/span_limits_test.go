package rowcodec

import (
	"testing"

	"github.com/saltsql/saltsql/internal/types"
)

func intsEqual(n, step int) []Range {
	var rs []Range
	for i := range n {
		d := types.NewInt(int64(i * step))
		rs = append(rs, Range{Lo: &d, Hi: &d, LoIncl: true, HiIncl: true})
	}
	return rs
}

// intsBut is what NOT IN (0, step, 2 step, …) leaves.
func intsBut(n, step int) []Range {
	var rs []Range
	var lo *types.Datum
	for i := range n {
		d := types.NewInt(int64(i * step))
		rs = append(rs, Range{Lo: lo, Hi: &d})
		lo = &d
	}
	return append(rs, Range{Lo: lo})
}

func intsOver(v int64) []Range {
	d := types.NewInt(v)
	return []Range{{Lo: &d}}
}

func intsFrom(lo, hi int64) []Range {
	l, h := types.NewInt(lo), types.NewInt(hi)
	return []Range{{Lo: &l, Hi: &h, LoIncl: true, HiIncl: true}}
}

// TestSpanLimits: how many spans conditions are read by, in each bucket and in all.
func TestSpanLimits(t *testing.T) {
	key := func(buckets int, salted []int, types_ ...Type) *KeySchema {
		s := &KeySchema{Table: "t", Buckets: buckets, SaltColumns: salted}
		for i, typ := range types_ {
			sql := types.Int4
			if typ == Varchar {
				sql = types.Text
			}
			s.Columns = append(s.Columns, KeyColumn{Name: string(rune('a' + i)), Column: Column{Type: typ, SQL: types.Of(sql)}})
		}
		return s
	}
	for _, tc := range []struct {
		name   string
		key    *KeySchema
		conj   [][]Range
		points int
		each   int // spans of the first bucket that is read
		wanted int
		exact  bool
	}{
		{"a list of full keys", key(16, nil, Integer), [][]Range{intsEqual(20_000, 3)}, 20_000, 0, 0, true},
		{"a long list of full keys", key(256, nil, Integer, Integer), [][]Range{intsEqual(250, 3), intsEqual(400, 5)}, 100_000, 0, 0, true},
		{"too many full keys", key(256, nil, Integer, Integer), [][]Range{intsEqual(250, 3), intsEqual(401, 5)}, 0, 64, 9250, false},
		{"a list on a prefix", key(4, nil, Integer, Integer), [][]Range{intsEqual(1000, 3)}, 0, 1000, 0, true},
		{"a list on a prefix of many buckets", key(256, nil, Integer, Integer), [][]Range{intsEqual(1000, 3)}, 0, 63, 1000, false},
		{"a long list on a prefix", key(0, nil, Integer, Integer), [][]Range{intsEqual(10_000, 3)}, 0, 1000, 10_000, false},
		{"a list longer than is told apart", key(16, nil, Integer, Integer), [][]Range{intsEqual(50_000, 3)}, 0, 1000, 10_000, false},
		{"a product of lists", key(256, nil, Integer, Integer, Integer), [][]Range{intsEqual(50, 3), intsEqual(50, 7)}, 0, 63, 2500, false},
		{"a list of the hashed column", key(256, []int{0}, Integer, Integer), [][]Range{intsEqual(1, 1), intsEqual(1000, 3)}, 1000, 0, 0, true},
		{"one bucket, many spans", key(256, []int{0}, Integer, Integer, Integer), [][]Range{intsEqual(1, 1), intsEqual(1000, 3)}, 0, 1000, 0, true},
		{"a small range before a bound", key(16, nil, Integer, Integer, Varchar), [][]Range{intsFrom(1, 32), intsEqual(1, 1)}, 0, 32, 0, true},
		{"a range before a bound", key(16, nil, Integer, Integer, Varchar), [][]Range{intsFrom(1, 33), intsEqual(1, 1)}, 0, 1, 0, false},
		{"a small range of many buckets", key(256, nil, Integer, Integer, Varchar), [][]Range{intsFrom(1, 16), intsEqual(1, 1)}, 0, 16, 0, true},
		{"a range of many buckets", key(256, nil, Integer, Integer, Varchar), [][]Range{intsFrom(1, 17), intsEqual(1, 1)}, 0, 1, 0, false},
		{"a small range before <>", key(16, nil, Integer, Integer, Varchar), [][]Range{intsFrom(1, 10), intsBut(1, 1)}, 0, 1, 0, false},
		{"a byte before <>", key(256, nil, TinyInt, Integer, Varchar), [][]Range{intsOver(-3), intsBut(1, 1)}, 0, 1, 0, false},
		{"<>", key(256, nil, Integer, Integer), [][]Range{intsBut(1, 1)}, 0, 2, 0, true},
		{"NOT IN", key(16, nil, Integer, Integer), [][]Range{intsBut(63, 2)}, 0, 64, 0, true},
		{"a long NOT IN", key(16, nil, Integer, Integer), [][]Range{intsBut(64, 2)}, 0, 1, 0, false},
		{"NOT IN of many buckets", key(256, nil, Integer, Integer), [][]Range{intsBut(16, 2)}, 0, 1, 0, false},
		{"values, then <>", key(4, nil, Integer, Integer, Varchar), [][]Range{intsEqual(20, 5), intsBut(1, 1)}, 0, 40, 0, true},
		{"many values, then <>", key(4, nil, Integer, Integer, Varchar), [][]Range{intsEqual(40, 5), intsBut(1, 1)}, 0, 40, 0, false},
	} {
		set, err := tc.key.Spans([]Conj{{Columns: tc.conj}}, SpanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		each, all := 0, 0
		for i, b := range set.Buckets {
			if i == 0 {
				each = len(b.Spans)
			}
			all += len(b.Spans)
			if len(b.Spans) > DefaultMaxSpans {
				t.Errorf("%s: %d spans in bucket %d", tc.name, len(b.Spans), b.Bucket)
			}
		}
		if all > DefaultMaxScans {
			t.Errorf("%s: %d spans in all buckets", tc.name, all)
		}
		if len(set.Points) != tc.points || each != tc.each || len(set.Wanted) != tc.wanted || set.Exact != tc.exact {
			t.Errorf("%s: %d points, %d spans a bucket, %d wanted, exact %v; want %d, %d, %d, %v", tc.name,
				len(set.Points), each, len(set.Wanted), set.Exact, tc.points, tc.each, tc.wanted, tc.exact)
		}
	}
}
