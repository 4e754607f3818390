package rowcodec

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
)

// epochSchema draws a key of up to three columns, one of which has epochs.
func epochSchema(t *testing.T, r *rand.Rand) *KeySchema {
	t.Helper()
	s := &KeySchema{Table: "t", Epochs: &SaltEpochs{}}
	n := 1 + r.IntN(3)
	s.Epochs.Column = r.IntN(n)
	for i := range n {
		c := KeyColumn{Name: string(rune('a' + i)), Desc: r.IntN(2) == 0, Column: Column{Type: Varchar, SQL: types.Of(types.Text)}}
		switch {
		case i == s.Epochs.Column && r.IntN(3) == 0:
			c.Column = Column{Type: Date, SQL: types.Of(types.Date)}
		case i == s.Epochs.Column || r.IntN(2) == 0:
			c.Column = Column{Type: Integer, SQL: types.Of(types.Int4)}
		}
		s.Columns = append(s.Columns, c)
	}
	of := &s.Columns[s.Epochs.Column].Column
	s.Epochs.List = append(s.Epochs.List, SaltEpoch{Buckets: r.IntN(4)})
	for from := -5 + r.IntN(5); len(s.Epochs.List) < 2 || r.IntN(3) > 0 && len(s.Epochs.List) < 4; from += 1 + r.IntN(5) {
		b, ok := EpochBound(of, types.NewInt(int64(from)))
		if !ok {
			t.Fatal(from)
		}
		x := SaltEpoch{From: b, Buckets: r.IntN(6)}
		if x.Buckets > 0 && r.IntN(2) == 0 {
			x.SaltColumns = []int{r.IntN(n)}
		}
		s.Epochs.List = append(s.Epochs.List, x)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

func epochValue(r *rand.Rand, c *KeyColumn) types.Datum {
	if c.Type == Varchar {
		return types.NewText([]string{"", "a", "ab", "b"}[r.IntN(4)])
	}
	return types.NewInt(int64(r.IntN(22) - 9))
}

// TestEpochSpans: a row lies in a bucket of its epoch, whichever way that is found, and no row that satisfies a
// condition lies outside of its spans.
func TestEpochSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(seeds.First(t), 1))
	pruned := 0
	for range 2000 {
		s := epochSchema(t, r)
		conj := Conj{Columns: make([][]Range, len(s.Columns))}
		for i := range s.Columns {
			lo, hi := epochValue(r, &s.Columns[i]), epochValue(r, &s.Columns[i])
			switch r.IntN(4) {
			case 0:
				conj.Columns[i] = []Range{{Lo: &lo, Hi: &lo, LoIncl: true, HiIncl: true}, {Lo: &hi, Hi: &hi, LoIncl: true, HiIncl: true}}
			case 1:
				conj.Columns[i] = []Range{{Lo: &lo, LoIncl: r.IntN(2) == 0}}
			case 2:
				conj.Columns[i] = []Range{{Lo: &lo, Hi: &hi, LoIncl: true, HiIncl: r.IntN(2) == 0}}
			}
		}
		set, err := s.Spans([]Conj{conj}, SpanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Epochs.Touched(s, set) < len(s.Epochs.List) {
			pruned++
		}
		for range 40 {
			vals := make([]types.Datum, len(s.Columns))
			for i := range vals {
				vals[i] = epochValue(r, &s.Columns[i])
			}
			key, err := s.AppendKey(nil, vals)
			if err != nil {
				t.Fatal(err)
			}
			b, err := s.BucketOfValues(vals)
			again, err2 := s.Resalted(nil, s.LogicalKey(key))
			n := 0
			for k, x := range s.Epochs.List {
				if own, _ := EpochBound(&s.Columns[s.Epochs.Column].Column, vals[s.Epochs.Column]); k > 0 && bytes.Compare(own, x.From) >= 0 {
					n = k
				}
			}
			x := &s.Epochs.List[n]
			if err != nil || err2 != nil || b != s.KeyBucket(key) || !bytes.Equal(key, again) || b < x.First || b >= x.First+x.Places() {
				t.Fatalf("%v is in bucket %d of epoch %d, with key %X, or %X: %v %v", vals, b, n, key, again, err, err2)
			}
			if !satisfies(s, &conj, vals) {
				continue
			}
			in := slices.ContainsFunc(set.Points, func(p []byte) bool { return bytes.Equal(p, key) })
			for _, bs := range set.Buckets {
				for _, sp := range bs.Spans {
					in = in || bytes.Compare(key, sp.Start) >= 0 && (len(sp.End) == 0 || bytes.Compare(key, sp.End) < 0)
				}
			}
			if !in {
				t.Fatalf("%v, key %X, satisfies the condition and is not in\n%s", vals, key, s.Describe(set))
			}
		}
	}
	if pruned < 300 {
		t.Errorf("epochs were left out %d times", pruned)
	}
}

// satisfies says that a row is in the ranges of a condition.
func satisfies(s *KeySchema, c *Conj, vals []types.Datum) bool {
	for i, rs := range c.Columns {
		typ := s.Columns[i].SQL
		if rs != nil && !slices.ContainsFunc(rs, func(r Range) bool {
			lo := r.Lo == nil || types.Compare(typ, *r.Lo, vals[i]) < 0 || r.LoIncl && types.Compare(typ, *r.Lo, vals[i]) == 0
			return lo && (r.Hi == nil || types.Compare(typ, *r.Hi, vals[i]) > 0 || r.HiIncl && types.Compare(typ, *r.Hi, vals[i]) == 0)
		}) {
			return false
		}
	}
	return true
}
