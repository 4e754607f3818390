package rowcodec

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// TestKeyRun: of random keys and conditions on the last column, a run gives the keys of the values
// that satisfy the condition, one after another, and tells where the span ends.
func TestKeyRun(t *testing.T) {
	rnd := rand.New(rand.NewPCG(seeds.First(t), 8))
	kinds := []struct {
		store    Type
		sql      types.T
		min, max int64
	}{
		{TinyInt, types.Of(types.Int2), math.MinInt8, math.MaxInt8},
		{SmallInt, types.Of(types.Int2), math.MinInt16, math.MaxInt16},
		{Integer, types.Of(types.Int4), math.MinInt32, math.MaxInt32},
		{BigInt, types.Of(types.Int8), math.MinInt64, math.MaxInt64},
		{Date, types.Of(types.Date), -700_000, 100_000_000},
	}
	begun := 0
	for range 3000 {
		kind := kinds[rnd.IntN(len(kinds))]
		s := &KeySchema{Buckets: 16}
		var row []types.Datum
		conj := Conj{}
		for range rnd.IntN(3) {
			c, v := KeyColumn{Desc: rnd.IntN(2) == 0}, types.NewInt(int64(rnd.IntN(9)-4))
			if c.Type, c.SQL = Integer, types.Of(types.Int4); rnd.IntN(2) == 0 {
				c.Type, c.SQL = Varchar, types.Of(types.Text)
				v = types.NewBytes([]byte("ab"[:rnd.IntN(3)]))
			}
			s.Columns, row = append(s.Columns, c), append(row, v)
			conj.Columns = append(conj.Columns, []Range{{Lo: &v, LoIncl: true, Hi: &v, HiIncl: true}})
		}
		last := KeyColumn{Desc: rnd.IntN(2) == 0}
		last.Type, last.SQL = kind.store, kind.sql
		s.Columns = append(s.Columns, last)
		if rnd.IntN(3) == 0 {
			s.SaltColumns = []int{len(row)}
		}
		from := []int64{kind.min + rnd.Int64N(20), kind.max - rnd.Int64N(20), rnd.Int64N(100) - 50}[rnd.IntN(3)]
		reverse := rnd.IntN(2) == 0
		down, incl := last.Desc != reverse, rnd.IntN(2) == 0
		step := int64(1)
		if down {
			step = -1
		}
		bound := types.NewInt(from)
		far := int64(math.MaxInt64) // how many values there are up to the other bound
		r := Range{Lo: &bound, LoIncl: incl}
		if down {
			r = Range{Hi: &bound, HiIncl: incl}
		}
		if room := kind.max - from; rnd.IntN(2) == 0 && (down || room > 30 || room < 0) {
			if far = rnd.Int64N(15); down && (from-kind.min < 30 && from-kind.min >= 0) {
				far = math.MaxInt64
			} else if d := types.NewInt(from + step*far); down {
				r.Lo, r.LoIncl = &d, true
			} else {
				r.Hi, r.HiIncl = &d, true
			}
		}
		conj.Columns = append(conj.Columns, []Range{r})
		set, err := s.Spans([]Conj{conj}, SpanOptions{NoPrune: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Buckets) == 0 || len(set.Buckets[0].Spans) != 1 {
			continue
		}
		span := set.Buckets[0].Spans[0]
		logical := storage.Span{Start: span.Start[1:]}
		if len(span.End) > 1 {
			logical.End = span.End[1:]
		}
		var run KeyRun
		if !run.Start(s, logical, reverse) {
			if far > 1 && from > kind.min+25 && from < kind.max-25 { // one value is a point
				t.Fatalf("%+v reverse %v: no run", s.Columns, reverse)
			}
			continue
		}
		begun++
		v, n, edge := from, int64(0), kind.max
		if down {
			edge = kind.min
		}
		if !incl {
			v, n = v+step, n+1
		}
		for given := uint64(0); given < 12; given++ {
			key, ok := run.Next([]byte("xx"))
			if n > far {
				if ok || !run.Ended() {
					t.Fatalf("%+v reverse %v: %X behind the end", s.Columns, reverse, key)
				}
				break
			}
			want, err := s.AppendKey([]byte("xx"), append(row[:len(row):len(row)], types.NewInt(v)))
			if kind.store == Date && err != nil {
				break // behind what SQL has
			}
			if err != nil || !ok || !bytes.Equal(key, want) {
				t.Fatalf("%+v reverse %v, %d keys from %d on: %X, want %X %v", s.Columns, reverse, given, from, key, want, err)
			}
			if to := run.To(s.LogicalKey(key[2:])); to != given+1 {
				t.Fatalf("%d keys are %d", given+1, to)
			}
			if v == edge {
				if key, ok := run.Next(nil); ok && kind.store != Date {
					t.Fatalf("%X behind the last value", key)
				}
				break
			}
			v, n = v+step, n+1
		}
	}
	if begun < 1500 {
		t.Fatal("few runs: ", begun)
	}
}

// TestNoKeyRun: keys are not counted off where something may lie between them, or where it is not known from where on.
func TestNoKeyRun(t *testing.T) {
	column := func(st Type, sql types.Kind) KeyColumn {
		c := KeyColumn{}
		c.Type, c.SQL = st, types.Of(sql)
		return c
	}
	name, k := column(Varchar, types.Text), column(BigInt, types.Int8)
	null := k
	null.Nullable = true
	for why, c := range map[string]struct {
		cols []KeyColumn
		span storage.Span
	}{
		"a text":                    {[]KeyColumn{name}, storage.Span{Start: []byte("abcdefgh")}},
		"a time":                    {[]KeyColumn{column(Timestamp, types.Timestamp)}, storage.Span{Start: make([]byte, 12)}},
		"a date with time":          {[]KeyColumn{column(Date, types.Timestamp)}, storage.Span{Start: make([]byte, 8)}},
		"may be NULL":               {[]KeyColumn{null}, storage.Span{Start: make([]byte, 8)}},
		"no start":                  {[]KeyColumn{k}, storage.Span{}},
		"a bound on the first only": {[]KeyColumn{name, k}, storage.Span{Start: []byte("abcdefghijk")}},
		"the first's first":         {[]KeyColumn{name, k}, storage.Span{Start: []byte("ab\x00")}},
	} {
		var r KeyRun
		if r.Start(&KeySchema{Buckets: 4, Columns: c.cols}, c.span, false) {
			t.Error(why)
		}
	}
}
