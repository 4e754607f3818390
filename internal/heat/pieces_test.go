package heat

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// TestSpread samples operations at random in many minutes, and spreads what the counters say over ranges
// that change: sums are the counters', whatever the ranges are, and where all is sampled, and each key is
// a bound and a piece, each key's counts are the model's.
func TestSpread(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		const buckets, keys = 3, 40
		now := time.Unix(1_000_000_000, 0).Truncate(time.Minute)
		h := testHeat(DefaultMemory, nil, &now)
		var m Memo
		cells := h.Counter(1).Cells(&m, 7, buckets)
		type place struct{ minute, bucket, key int }
		model := map[place]Counts{}
		for minute := range 12 {
			for range rng.IntN(500) {
				k, b, n := rng.IntN(keys), rng.IntN(buckets), rng.Int64N(1000)
				if b == 0 {
					k = 7
				}
				at := place{minute, b, k}
				c := model[at]
				kind := Kind(rng.IntN(int(kinds)))
				switch kind {
				case Point:
					if n%2 == 0 {
						cells[b].Hit(n)
						c.Add(&Counts{Hits: 1, RowsRead: 1, RowsReturned: 1, BytesRead: n})
					} else {
						cells[b].Miss()
						c.Add(&Counts{Misses: 1})
					}
				case Scan:
					cells[b].Scan()
					c.Add(&Counts{Scans: 1})
				case Row:
					cells[b].Read(1, n)
					cells[b].Given(n % 2)
					c.Add(&Counts{RowsRead: 1, RowsReturned: n % 2, BytesRead: n})
				case Write:
					cells[b].Wrote(1, n)
					c.Add(&Counts{RowsWritten: 1, BytesWritten: n})
				}
				model[at] = c
				var s Sampler
				if s.Next(&m, 1) == 0 {
					s.Take(&m, kind, b, sampleKey(k), NoEnds)
				}
			}
			now = now.Add(time.Minute)
			h.Sums(nil, false)
		}
		for _, m := range h.Sums(nil, true)[0].Minutes {
			got, err := m.Counts(buckets)
			if err != nil {
				t.Fatal(err)
			}
			pieces, err := m.Pieces()
			if err != nil {
				t.Fatal(err)
			}
			inMinute := 0
			for _, p := range pieces {
				inMinute += p.Samples
			}
			minute := int(m.At.Sub(time.Unix(1_000_000_000, 0).Truncate(time.Minute)) / time.Minute)
			for _, n := range []int{0, 1, 3, keys} {
				var bounds []Bound
				for k := range keys {
					if n > 0 {
						bounds = append(bounds, Bound{Key: sampleKey(k), Mass: 1})
					}
				}
				ranges := RangesOf(bounds, n)
				if len(ranges.Bounds) != n {
					t.Fatalf("%d ranges of %d", len(ranges.Bounds), n)
				}
				for b := range got {
					var sum Counts
					samples := 0
					for i, r := range ranges.Spread(&got[b], b, pieces) {
						sum.Add(&r.Counts)
						samples += r.Samples
						if n < keys || i == n || inMinute >= 2*minutePieces { // pieces have several keys

							continue
						}
						// What is not of one kind goes by the rows: rows returned and bytes are not exact.
						want := model[place{minute, b, i}]
						r.RowsReturned, r.BytesRead, r.BytesWritten = want.RowsReturned, want.BytesRead, want.BytesWritten
						// Hits and misses share their samples.
						if r.Hits+r.Misses != want.Hits+want.Misses || r.Scans != want.Scans || r.RowsWritten != want.RowsWritten || r.RowsRead-r.Hits != want.RowsRead-want.Hits {
							t.Fatalf("seed %d: key %d of bucket %d: %+v, want %+v", seed, i, b, r.Counts, want)
						}
					}
					if sum != got[b] || samples == 0 && got[b] != (Counts{}) {
						t.Fatalf("seed %d: %d ranges of bucket %d add up to %+v, counted are %+v", seed, n, b, sum, got[b])
					}
				}
			}
		}
	}
}

// TestRanges cuts keys by mass: a key is never in two ranges.
func TestRanges(t *testing.T) {
	var bounds []Bound
	for i := range 1000 {
		bounds = append(bounds, Bound{Key: sampleKey(i * i % 701), Mass: 1})
	}
	r := RangesOf(bounds, 10)
	if len(r.Bounds) != 10 {
		t.Fatalf("%d ranges", len(r.Bounds))
	}
	of := make([]int, 10)
	for i := range bounds {
		of[r.Find(bounds[i].Key)]++
	}
	for i, n := range of {
		if n < 80 || n > 120 || i > 0 && string(r.Bounds[i-1]) >= string(r.Bounds[i]) {
			t.Errorf("range %d has %d of 1,000", i, n)
		}
	}
	if r = RangesOf(nil, 10); len(r.Bounds) != 0 || len(r.Spread(&Counts{Hits: 3}, 0, nil)) != 1 {
		t.Error("nothing has ranges")
	}
	if r = RangesOf([]Bound{{Key: []byte("b")}, {Key: []byte("b")}}, 10); len(r.Bounds) != 1 || r.Find([]byte("a")) != 0 || r.Find([]byte("c")) != 0 {
		t.Errorf("one key has ranges %q", r.Bounds)
	}
}

// TestPieceBytes holds the form of pieces, which servers of several versions read.
func TestPieceBytes(t *testing.T) {
	list := []Piece{
		{Bucket: 2, Key: []byte("ab1"), Samples: 6, Ops: [kinds]int64{5, 0, 0, 1000}},
		{Bucket: 2, Key: []byte("ab27"), Cut: true, Samples: 1, Ops: [kinds]int64{0, 1}},
		{Bucket: 3, Key: []byte{}, Cut: true, Unknown: true, Samples: 1, Ops: [kinds]int64{0, 0, 1}},
	}
	m := Minute{Keys: appendPieces(nil, list)}
	if got := fmt.Sprintf("% x", m.Keys); got != "02 00 03 61 62 31 09 05 e8 07 06 02 02 02 32 37 82 01 01 03 00 00 c4 01 01" {
		t.Errorf("pieces are %s", got)
	}
	if back, err := m.Pieces(); err != nil || !reflect.DeepEqual(back, list) {
		t.Errorf("%+v, %v", back, err)
	}
	all := m.Keys
	for n := range all {
		m.Keys = all[:n]
		if got, err := m.Pieces(); err == nil && (len(got) == 3 || n > 0 && len(got) == 0) {
			t.Errorf("%d bytes are pieces: %+v", n, got)
		}
	}
}

// FuzzPieces reads bytes of other servers.
func FuzzPieces(f *testing.F) {
	f.Add([]byte("\x02\x00\x03ab1\x09\x05\xe8\x07\x06"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := Minute{Keys: data}
		list, err := m.Pieces()
		if err != nil {
			return
		}
		again := Minute{Keys: appendPieces(nil, list)}
		if back, err := again.Pieces(); err != nil || len(back) != len(list) {
			t.Errorf("%d pieces are %d: %v", len(list), len(back), err)
		}
		var bounds []Bound
		for _, p := range list {
			bounds = append(bounds, Bound{Key: p.Key, Mass: 1})
		}
		r := RangesOf(bounds, 4)
		c := Counts{Hits: 7, RowsRead: 9, BytesRead: 1 << 60, RowsReturned: -3, RowsWritten: 5}
		var sum Counts
		for _, s := range r.Spread(&c, 2, list) {
			sum.Add(&s.Counts)
		}
		if sum != c {
			t.Errorf("%+v, want %+v", sum, c)
		}
	})
}
