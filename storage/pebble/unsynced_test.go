package pebble

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/storage"
)

// TestUnsyncedOverlaps asks of random writes of few rows and many whether random readers have
// seen them, as looking at each row does.
func TestUnsyncedOverlaps(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewSource(seed))
	tables := []*tableState{{id: 1}, {id: 2}, {id: 5}}
	key := func() []byte { return fmt.Appendf(nil, "%02d", rng.Intn(40)) }
	sawSome := [2]int{}
	for round := range 20_000 {
		var k keyRange
		for range rng.Intn(3 * fewRows) {
			k.rows = append(k.rows, rowWrite{table: tables[rng.Intn(len(tables))], row: &storage.RowMutation{Key: key()}, index: len(k.rows)})
		}
		slices.SortFunc(k.rows, compareWrites)
		r := seen{table: tables[rng.Intn(len(tables))]}
		for range rng.Intn(3) {
			r.keys = append(r.keys, key())
		}
		slices.SortFunc(r.keys, bytes.Compare)
		at := 0
		for range rng.Intn(3) {
			lo := at + rng.Intn(10)
			at = lo + rng.Intn(10)
			r.spans = append(r.spans, storage.Span{Start: fmt.Appendf(nil, "%02d", lo), End: fmt.Appendf(nil, "%02d", at)})
		}
		if n := len(r.spans); n > 0 && rng.Intn(4) == 0 {
			r.spans[n-1].End = nil
		}
		want := false
		for _, w := range k.rows {
			if w.table != r.table {
				continue
			}
			for _, key := range r.keys {
				want = want || bytes.Equal(key, w.row.Key)
			}
			for _, s := range r.spans {
				want = want || bytes.Compare(w.row.Key, s.Start) >= 0 && (len(s.End) == 0 || bytes.Compare(w.row.Key, s.End) < 0)
			}
		}
		if got := k.overlaps(&r); got != want {
			t.Fatalf("seed %d, round %d: %v, want %v: %d rows, keys %q, spans %q", seed, round, got, want, len(k.rows), r.keys, r.spans)
		}
		if want {
			sawSome[min(len(k.rows)/(fewRows+1), 1)]++
		}
	}
	if sawSome[0] < 1000 || sawSome[1] < 1000 {
		t.Fatal(sawSome)
	}
}
