package histogram

import (
	"encoding/binary"
	"math"
)

// upTo says which part of piece i lies below key, by the key space; an empty key
// is the end of the table. A piece that goes over from one bucket to another is
// taken to have half its rows in each.
func (h *Histogram) upTo(i int, key []byte) float64 {
	if len(key) == 0 {
		return 1
	}
	lo, hi := h.keys[i], []byte(nil)
	if i+1 < len(h.keys) {
		hi = h.keys[i+1]
	}
	if h.schema.Buckets == 0 {
		if hi == nil {
			hi = h.top
		}
		return part(lo, hi, key)
	}
	switch {
	case hi != nil && len(lo) > 0 && len(hi) > 0 && lo[0] == hi[0]:
		return part(lo, hi, key)
	case len(lo) == 0 || key[0] == lo[0]:
		end := append([]byte{key[0]}, h.top...)
		if hi == nil {
			return part(lo, end, key)
		}
		return part(lo, end, key) / 2
	case len(hi) > 0 && key[0] == hi[0]:
		return 0.5 + part(hi[:1], hi, key)/2
	case hi == nil:
		return 1
	}
	return 0.5
}

// part says how far key lies from lo to hi, from 0 to 1; an empty hi is the
// end of all keys. The bytes behind what lo and hi begin with both are read as a
// number.
func part(lo, hi, key []byte) float64 {
	n := 0
	for n < len(lo) && n < len(hi) && lo[n] == hi[n] {
		n++
	}
	number := func(b []byte) float64 {
		var x [8]byte
		copy(x[:], b[min(n, len(b)):])
		return float64(binary.BigEndian.Uint64(x[:]))
	}
	if string(key) <= string(lo) {
		return 0
	}
	if len(hi) > 0 && string(key) >= string(hi) {
		return 1
	}
	if len(hi) > 0 && len(key) >= n && string(key[:n]) != string(hi[:n]) {
		return 0.5 // it cannot be: lo and hi have the same beginning
	}
	a, z := number(lo), float64(math.MaxUint64)
	if len(hi) > 0 {
		z = number(hi)
	}
	if z <= a {
		return 0.5
	}
	return min(max((number(key)-a)/(z-a), 0), 1)
}
