package rowpack

import (
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
)

// TestValueBounds compares with the bytes, whatever the widths.
func TestValueBounds(t *testing.T) {
	seed := seeds.First(t)
	rng := rand.New(rand.NewPCG(seed, 1))
	value := func() []byte {
		b := make([]byte, []int{0, 1, 3, 4, 4, 4, 5, 8, 8, 9}[rng.IntN(10)])
		for i := range b {
			b[i] = byte(rng.IntN(3) * 127)
		}
		return b
	}
	for range 20_000 {
		h := &storage.Hint{Lo: value(), Hi: value()}
		if rng.IntN(4) == 0 {
			h.Lo = nil
		}
		if rng.IntN(4) == 0 {
			h.Hi = nil
		}
		v := value()
		b := newValueBounds(h, 1)
		want := string(v) >= string(h.Lo) && (h.Hi == nil || string(v) <= string(h.Hi))
		if got := b.hold(v); got != want {
			t.Fatalf("seed %d: %x in %x..%x: %v", seed, v, h.Lo, h.Hi, got)
		}
	}
}
