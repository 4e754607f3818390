package rowcodec

import (
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/types"
)

// TestKeysDoNotAllocate: the key of a row, of a table or of an index and however it is
// salted, is made in the caller's bytes alone.
func TestKeysDoNotAllocate(t *testing.T) {
	if poison.On {
		t.Skip("memory is overwritten")
	}
	r := newRand(t)
	dst := make([]byte, 0, 1<<16)
	for range rounds(2000) {
		s := randomKeySchema(r)
		if r.IntN(2) == 0 {
			index(r, s)
		}
		row := randomRow(r, s)
		wide := func(d types.Datum) bool { return d.Decimal != nil && !d.Decimal.Coeff.IsUint64() }
		if slices.ContainsFunc(row, wide) {
			continue // math/big writes their digits
		}
		if _, err := s.AppendKey(dst, row); err != nil {
			continue // errors may
		}
		if n := testing.AllocsPerRun(5, func() { _, _ = s.AppendKey(dst, row) }); n != 0 {
			t.Errorf("AppendKey of %v by %+v: %v allocations", row, s.Columns, n)
		}
		if n := testing.AllocsPerRun(5, func() { _, _ = s.BucketOfValues(row) }); n != 0 {
			t.Errorf("BucketOfValues of %v by %+v: %v allocations", row, s.Columns, n)
		}
	}
}
