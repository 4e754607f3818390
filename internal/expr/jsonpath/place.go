package jsonpath

import (
	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/types/jsonval"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// The id that keyvalue() gives is where PostgreSQL's binary form of the base object has the
// object, by which two that are equal differ. That form is, from a multiple of 4:
//
//	4 bytes             how many there are, and whether array or object
//	4 bytes each        of the keys, of the values: type and length
//	keys, then values   strings as they are; a container as a whole, and a numeric with its
//	                    header, from the next multiple of 4; null, true and false as nothing
const word = 4

// place is where v is in the base object, from its begin.
func (b *base) place(v *jsonval.Value) int64 {
	if b.places == nil {
		b.places = map[*jsonval.Value]int64{}
		if b.v != nil && b.v.Kind >= jsonval.Array {
			b.lay(b.v, 0)
		}
	}
	return b.places[v]
}

func align(at int64) int64 { return (at + word - 1) / word * word }

// lay notes where v and the objects in it are, if v begins at a given place, and gives its end.
func (b *base) lay(v *jsonval.Value, at int64) int64 {
	if v.Kind == jsonval.Object {
		b.places[v] = at
	}
	at += word + word*int64(len(v.Keys)+len(v.Elems))
	for _, k := range v.Keys {
		at += int64(len(k))
	}
	for _, e := range v.Elems {
		switch e.Kind {
		case jsonval.String:
			at += int64(len(e.Str))
		case jsonval.Number:
			at = align(at) + numericBytes(e.Num)
		case jsonval.Array, jsonval.Object:
			at = b.lay(e, align(at))
		}
	}
	return at
}

// numericBytes is the size of a numeric as PostgreSQL keeps it: a length, a header that is
// shorter for common weights and scales, and its digits by fours without the zeros around.
func numericBytes(x *apd.Decimal) int64 {
	const (
		length               = 4
		short, long          = 2, 4
		maxScale             = 63
		minWeight, maxWeight = -64, 63
	)
	var buf [64]byte
	text := x.Coeff.Append(buf[:0], 10)
	scale := numeric.Scale(x)
	if x.Coeff.Sign() == 0 {
		if scale <= maxScale {
			return length + short
		}
		return length + long
	}
	// Places of the first and the last digit that is no zero, from the point.
	first := len(text) - 1 + int(x.Exponent)
	last := int(x.Exponent)
	for i := len(text) - 1; text[i] == '0'; i-- {
		last++
	}
	weight, low := floorDiv(first), floorDiv(last)
	n := int64(length + long)
	if scale <= maxScale && weight >= minWeight && weight <= maxWeight {
		n = length + short
	}
	return n + 2*int64(weight-low+1)
}

func floorDiv(place int) int {
	if place < 0 {
		return -((-place + word - 1) / word)
	}
	return place / word
}
