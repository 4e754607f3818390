package rowpack

import (
	"encoding/binary"
	"math"

	"github.com/saltsql/saltsql/storage"
)

// valueBounds is one column's part of a request's hint, made ready to test rows where they
// lie.
type valueBounds struct {
	col  projCol
	hint *storage.Hint
	// Values of width bytes, 4 or 8, are compared as numbers; 0 is none.
	width  int
	lo, hi uint64
}

// newValueBounds gives the bounds of h for a column of family id.
func newValueBounds(h *storage.Hint, id uint32) valueBounds {
	b := valueBounds{col: projCol{family: id, qual: h.Col.Qualifier}, hint: h, hi: math.MaxUint64}
	n := max(len(h.Lo), len(h.Hi))
	if n != 4 && n != 8 || len(h.Lo)%n != 0 || h.Hi != nil && len(h.Hi) != n {
		return b
	}
	b.width = n
	if len(h.Lo) > 0 {
		b.lo = number(h.Lo)
	}
	if h.Hi != nil {
		b.hi = number(h.Hi)
	}
	return b
}

func number(b []byte) uint64 {
	if len(b) == 4 {
		return uint64(binary.BigEndian.Uint32(b))
	}
	return binary.BigEndian.Uint64(b)
}

func (b *valueBounds) hold(v []byte) bool {
	if b.width > 0 && len(v) == b.width {
		x := number(v)
		return b.lo <= x && x <= b.hi
	}
	h := b.hint
	return (len(h.Lo) == 0 || string(v) >= string(h.Lo)) && (h.Hi == nil || string(v) <= string(h.Hi))
}

// matches tests a row by the plan's bounds; a row that lacks a column fails.
func (s *shape) matches(bounds []valueBounds, ends, vals []byte) (bool, error) {
	for k, i := range s.hinted {
		if i < 0 {
			return false, nil
		}
		lo, hi := endOf(ends, s.width, i-1), endOf(ends, s.width, i)
		if lo > hi || hi > len(vals) {
			return false, ErrCorrupt
		}
		if !bounds[k].hold(vals[lo:hi]) {
			return false, nil
		}
	}
	return true, nil
}
