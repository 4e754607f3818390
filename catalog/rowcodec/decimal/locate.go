package decimal

import (
	"github.com/cockroachdb/apd/v3"
	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
)

// Locate is locate for a DECIMAL. In an adopted table there are no others than
// Phoenix's, of which some have bytes beside those that wide ones have here.
func Locate(d *apd.Decimal, adopted bool) bound.Place {
	switch {
	case d.Form != apd.Finite && !adopted:
		return bound.At(unboundedDecimal(d))
	case d.Form == apd.Infinite && d.Negative:
		return bound.Place{Where: bound.Beneath}
	case d.Form != apd.Finite:
		return bound.Place{Where: bound.Beyond}
	}
	var buf [96]byte
	x, ok := split100(d, buf[:0])
	if !ok {
		return bound.At([]byte{Zero})
	}
	if !adopted {
		switch {
		case x.exp > wideMaxExp && !x.Negative:
			return bound.JustUnder([]byte{wideMost, wideAbove + 1})
		case x.exp > wideMaxExp:
			return bound.JustUnder([]byte{^byte(wideMost), wideBelow})
		case x.exp < wideMinExp && !x.Negative:
			return bound.JustUnder([]byte{Zero})
		case x.exp < wideMinExp:
			x = Digits{Negative: true, exp: wideMinExp, digits: []byte{1}}
			return bound.JustUnder(x.appendWide(nil))
		case x.narrow():
			return bound.At(x.Append(nil))
		}
		return bound.At(x.appendWide(nil))
	}
	// Exponents that saltsql does not write may stand in an adopted table.
	const minExp, maxExp = -Bias, Bias - 1
	switch {
	case x.exp > maxExp && !x.Negative:
		return bound.Place{Where: bound.Beyond}
	case x.exp > maxExp:
		return bound.Place{Where: bound.Beneath}
	case x.exp < minExp && !x.Negative:
		return bound.JustUnder([]byte{Zero})
	case x.exp < minExp: // just under zero: over every storable negative
		return bound.JustUnder((&Digits{Negative: true, exp: minExp, digits: []byte{1}}).Append(nil))
	case x.sig <= MaxDigits:
		return bound.At(x.Append(nil))
	}
	return floorDecimal(d, x)
}

// floorDecimal is the place of a number of too many digits.
func floorDecimal(d *apd.Decimal, x Digits) bound.Place {
	ctx := apd.BaseContext.WithPrecision(MaxDigits)
	ctx.Rounding = apd.RoundFloor
	ctx.MaxExponent, ctx.MinExponent = apd.MaxExponent, apd.MinExponent
	var r apd.Decimal
	if _, err := ctx.Round(&r, d); err != nil || r.Form != apd.Finite {
		// The digits as far as they are kept enclose the number.
		return bound.Place{Where: bound.Nowhere, Loose: true}
	}
	var buf [96]byte
	y, ok := split100(&r, buf[:0])
	if !ok || y.exp > Bias-1 {
		if x.Negative {
			return bound.Place{Where: bound.Beneath}
		}
		return bound.Place{Where: bound.Beyond}
	}
	return bound.JustUnder(y.Append(nil))
}

// FloorUint gives the largest uint64 that is not over d.
func FloorUint(d *apd.Decimal) (uint64, bound.Where) {
	switch {
	case d.Form == apd.Infinite && d.Negative:
		return 0, bound.Beneath
	case d.Form != apd.Finite:
		return 0, bound.Beyond
	case d.Negative && d.Sign() != 0:
		return 0, bound.Beneath
	}
	var buf [96]byte
	text := d.Coeff.Append(buf[:0], 10)
	w := bound.Exactly
	if d.Exponent < 0 {
		cut := max(len(text)+int(d.Exponent), 0)
		for _, c := range text[cut:] {
			if c != '0' {
				w = bound.Above
			}
		}
		text = text[:cut]
	}
	var u uint128
	for _, c := range text {
		u.mulAdd(10, uint64(c-'0'))
	}
	for e := d.Exponent; e > 0 && !u.over && (u.hi|u.lo) != 0; e-- {
		u.mulAdd(10, 0)
	}
	if u.over || u.hi != 0 {
		return 0, bound.Beyond
	}
	return u.lo, w
}
