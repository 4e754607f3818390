package spill_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// TestRowSet adds random rows, some again, and compares with a map: by their hashes, by hashes of
// few values, where buckets take many pages, and by one, where they take all of them.
func TestRowSet(t *testing.T) {
	ts := []types.T{types.Of(types.Int8), types.Of(types.Text)}
	rng := rand.New(rand.NewPCG(seeds.First(t), 1))
	for _, c := range []struct {
		rows int
		mask uint64
	}{{60_000, ^uint64(0)}, {3_000, 7 << 3}, {600, 0}} {
		cx := exectest.Context(t, 32<<10)
		s, err := spill.NewRowSet(cx, ts)
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{}
		b := vec.NewBatch(ts)
		hashes := make([]uint64, vec.MaxRows)
		for done := 0; done < c.rows; done += b.N {
			b.N = 1 + rng.IntN(vec.MaxRows)
			for _, v := range b.Cols {
				v.Resize(b.N)
				v.EmptyBuf()
			}
			var keys []string
			for i := range b.N {
				n := rng.IntN(c.rows / 2)
				text := strings.Repeat("x", n%40)
				if n%997 == 0 {
					text = strings.Repeat("long", 20_000+n%7)
				}
				b.Cols[0].Ints[i] = int64(n)
				if n%50 == 0 {
					b.Cols[0].Nulls.Set(i)
					n = -1
				}
				b.Cols[1].SetBytes(i, []byte(text))
				keys = append(keys, fmt.Sprint(n, " ", text))
			}
			vec.HashRows(b.Cols, spill.Selection(b), hashes)
			for i := range keys {
				hashes[i] &= c.mask
			}
			fresh, err := s.AddRows(b.Cols, spill.Selection(b), hashes, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, key := range keys {
				if isNew := slices.Contains(fresh, uint16(i)); isNew == known[key] {
					t.Fatalf("mask %x: %.40s: new %v, was there %v", c.mask, key, isNew, known[key])
				}
				known[key] = true
			}
		}
		if most := int64(1 << 20); cx.Memory.Peak() > most {
			t.Errorf("mask %x: %d bytes at the most", c.mask, cx.Memory.Peak())
		}
		s.Close()
		if n := cx.Memory.Used(); n != 0 {
			t.Errorf("%d bytes are still booked", n)
		}
		if n := exectest.SpillFiles(t); n != 0 {
			t.Errorf("%d files are still open", n)
		}
	}
}
