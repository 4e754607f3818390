package rowcodec

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// TestSeeksKeepTheirRows checks on random keys that no key with another prefix lies before
// PrefixEnd, and that SuffixSpans leave out no key that satisfies a condition.
func TestSeeksKeepTheirRows(t *testing.T) {
	seed := seeds.First(t)
	rnd := rand.New(rand.NewPCG(seed, 7))
	text := func() types.Datum {
		b := make([]byte, rnd.IntN(3))
		for i := range b {
			b[i] = "\x01ab\x7f"[rnd.IntN(4)]
		}
		return types.NewBytes(b)
	}
	number := func() types.Datum { return types.NewInt(int64(rnd.IntN(5) - 2)) }
	for range 300 {
		s := &KeySchema{Buckets: rnd.IntN(2) * 4}
		var gen []func() types.Datum
		for i := range 2 + rnd.IntN(3) {
			c := KeyColumn{Name: string(rune('a' + i)), Desc: rnd.IntN(2) == 0}
			c.Type, c.SQL = Integer, types.Of(types.Int4)
			gen = append(gen, number)
			if rnd.IntN(2) == 0 {
				c.Type, c.SQL = Varchar, types.Of(types.Text)
				gen[i] = text
			}
			s.Columns = append(s.Columns, c)
		}
		var keys [][]byte
		var rows [][]types.Datum
		for range 60 {
			row := make([]types.Datum, len(gen))
			for i := range row {
				row[i] = gen[i]()
			}
			key, err := s.AppendKey(nil, row)
			if err != nil {
				continue // an unsalted key of no bytes
			}
			keys, rows = append(keys, key), append(rows, row)
		}
		same := func(a, b []types.Datum, n int) bool {
			for i := range n {
				if types.Compare(s.Columns[i].SQL, a[i], b[i]) != 0 {
					return false
				}
			}
			return true
		}
		n := 1 + rnd.IntN(len(gen)-1)
		bound := gen[n]()
		conj := Conj{Columns: make([][]Range, len(gen))}
		conj.Columns[n] = []Range{{Lo: &bound, LoIncl: true, Hi: &bound, HiIncl: true}}
		suffix, ok, err := s.SuffixSpans([]Conj{conj}, n)
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range keys {
			prefix, good := s.AppendPrefix(nil, k, n)
			if !good {
				t.Fatalf("seed %d: no prefix of %x", seed, k)
			}
			if ok && types.Compare(s.Columns[n].SQL, rows[i][n], bound) == 0 {
				found := false
				for _, sp := range suffix {
					found = found || holds(sp, k[len(prefix):])
				}
				if !bytes.HasPrefix(k, prefix) || !found {
					t.Fatalf("seed %d: key %x with prefix %x is in none of %x", seed, k, prefix, suffix)
				}
			}
			end, bounded := PrefixEnd(bytes.Clone(prefix))
			for j, other := range keys {
				if s.Buckets > 0 && other[0] != k[0] || bytes.Compare(other, k) <= 0 {
					continue
				}
				before := !bounded || bytes.Compare(other, end) < 0
				if before != same(rows[i], rows[j], n) {
					t.Fatalf("seed %d: %x after %x: end of prefix %x", seed, other, k, end)
				}
			}
		}
	}
}

func holds(s storage.Span, key []byte) bool {
	return bytes.Compare(s.Start, key) <= 0 && (len(s.End) == 0 || bytes.Compare(key, s.End) < 0)
}
