package spill

import (
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/memory"
)

// Scratch books the buffers that an operator copies one row at a time through, which grow
// with the largest row.
type Scratch struct{ hold memory.Share }

// unbookedScratch is how large they are without being booked.
const unbookedScratch = 64 << 10

func (s *Scratch) Open(cx *op.Context) { s.hold = memory.Of(cx.Memory, false) }

// Book is called after the buffers have come to n bytes.
func (s *Scratch) Book(n int) error {
	if n <= unbookedScratch || int64(n) <= s.hold.Bytes() {
		return nil
	}
	return s.hold.MustTo(int64(n))
}

func (s *Scratch) Close() { s.hold.Release() }
