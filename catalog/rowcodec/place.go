package rowcodec

import "github.com/cockroachdb/apd/v3"

// place tells where a value lies among those that can be stored.
type place uint8

const (
	exactly place = iota
	above         // between two storable values, the lower of which is given
	beyond        // over all storable values
	beneath       // under all storable values
	nowhere       // the column's bytes do not sort as its values do
)

// floorUint gives the largest uint64 that is not over d.
func floorUint(d *apd.Decimal) (uint64, place) {
	switch {
	case d.Form == apd.Infinite && d.Negative:
		return 0, beneath
	case d.Form != apd.Finite:
		return 0, beyond
	case d.Negative && d.Sign() != 0:
		return 0, beneath
	}
	var buf [96]byte
	text := d.Coeff.Append(buf[:0], 10)
	where := exactly
	if d.Exponent < 0 {
		cut := len(text) + int(d.Exponent)
		for i := max(cut, 0); i < len(text); i++ {
			if text[i] != '0' {
				where = above
			}
		}
		text = text[:max(cut, 0)]
	}
	var u uint128
	for _, c := range text {
		u.mulAdd(10, uint64(c-'0'))
	}
	for e := d.Exponent; e > 0 && !u.over && (u.hi|u.lo) != 0; e-- {
		u.mulAdd(10, 0)
	}
	if u.over || u.hi != 0 {
		return 0, beyond
	}
	return u.lo, where
}
