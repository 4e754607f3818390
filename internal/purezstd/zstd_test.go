package zstd

import (
	"bytes"
	"math/rand"
	"testing"
)

// TestInPlace holds what Pebble relies on: the result lies in the buffer that it was given.
func TestInPlace(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for _, n := range []int{1, 10, 1000, 32 << 10, 1 << 20} {
		for _, level := range []int{1, 3, 7, 22} {
			src := make([]byte, n)
			rnd.Read(src) // nothing is larger than what cannot be compressed
			if level == 3 {
				clear(src)
			}
			buf := make([]byte, CompressBound(n))
			c := NewCtx()
			out, err := c.CompressLevel(buf, src, level)
			if err != nil || &out[0] != &buf[0] {
				t.Fatalf("%d bytes, level %d: a new buffer, or %v", n, level, err)
			}
			back := make([]byte, n)
			if m, err := c.DecompressInto(back, out); err != nil || m != n || !bytes.Equal(back, src) {
				t.Fatalf("%d bytes, level %d: %d, %v", n, level, m, err)
			}
			if n > 1 {
				if _, err := c.DecompressInto(back[:n-1], out); err == nil {
					t.Fatal("more bytes than there is room for")
				}
			}
			if _, err := c.DecompressInto(back, out[:len(out)-1]); err == nil {
				t.Fatal("half a frame")
			}
		}
	}
}
