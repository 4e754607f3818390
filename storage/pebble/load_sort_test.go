package pebble

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
)

// TestLoadSort sorts keys of many forms as a comparison of all their bytes does, and leaves
// rows of one key in the order that they came in.
func TestLoadSort(t *testing.T) {
	seed := seeds.First(t)
	r := rand.New(rand.NewPCG(seed, 7))
	long := bytes.Repeat([]byte("a prefix that all have "), 9)
	forms := map[string]func(i int) []byte{
		"counted":    func(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)) },
		"few values": func(int) []byte { return binary.BigEndian.AppendUint32([]byte{0x80}, r.Uint32N(40)) },
		"far apart": func(int) []byte {
			return append(append(binary.BigEndian.AppendUint16(nil, uint16(r.Uint32N(3))), long...), byte(r.Uint32()), 'x', byte(r.Uint32()))
		},
		"beyond the first eight": func(int) []byte {
			var b []byte
			for range 24 {
				b = append(b, byte(r.Uint32N(2)))
			}
			return b
		},
		"many alike in the first eight, and the next": func(int) []byte {
			var b []byte
			for range 40 {
				b = append(b, byte(r.Uint32N(60)/59))
			}
			return b
		},
		"beginnings of others": func(int) []byte { return bytes.Repeat([]byte{0, 0, 1}, 40)[:r.IntN(120)] },
		"zeros":                func(int) []byte { return make([]byte, r.IntN(200)) },
		"text":                 func(int) []byte { return fmt.Appendf(nil, "row %06d of these", r.IntN(4000)) },
		"bytes": func(int) []byte {
			b := make([]byte, r.IntN(30))
			for i := range b {
				b[i] = byte(r.Uint32N(4)) * 85
			}
			return b
		},
	}
	for name, form := range forms {
		for _, n := range []int{2, digitRows - 1, digitRows, cacheRows - 1, 5 * cacheRows} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				var run loadRun
				var packed packedRows
				type row struct{ key, value []byte }
				var want []row
				for i := range n {
					key := append([]byte{0, 0, 0, 1, 'k'}, form(i)...)
					value := binary.BigEndian.AppendUint32(nil, uint32(i))
					packed.rows, packed.bytes = packed.rows[:0], packed.bytes[:0]
					packed.add(key, value)
					run.addRows(&packed)
					want = append(want, row{key, value})
				}
				slices.SortStableFunc(want, func(a, b row) int { return bytes.Compare(a.key, b.key) })
				b := &run.bins['k']
				run.sortBin(b, 1+n%3)
				for i := range b.rows {
					w := &b.rows[i]
					if !bytes.Equal(run.keyOf(w), want[i].key) || !bytes.Equal(run.valueOf(w), want[i].value) {
						t.Fatalf("seed %d: row %d is %x with %x, not %x with %x", seed, i, run.keyOf(w), run.valueOf(w), want[i].key, want[i].value)
					}
					if i > 0 {
						if got, all := run.compare(&b.rows[i-1], w), run.compareKeys(&b.rows[i-1], w); got != all {
							t.Fatalf("seed %d: rows %d and %d compare as %d by their prefixes, %d by all", seed, i-1, i, got, all)
						}
					}
				}
			})
		}
	}
}
