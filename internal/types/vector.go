package types

import (
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// NewVector makes a value of a vector type.
func NewVector(t T, elems ...int64) Datum {
	a := &ArrayValue{Elem: t.ElemType(), Dims: []int32{int32(len(elems))}, Low: -1, Elems: make([]Datum, len(elems))}
	for i, e := range elems {
		a.Elems[i] = NewInt(e)
	}
	if len(elems) == 0 {
		a.Dims, a.Low = nil, 0
	}
	return Datum{Array: a}
}

// appendVector prints numbers with blanks between them.
func appendVector(dst []byte, a *ArrayValue) []byte {
	for i, e := range a.Elems {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendInt(dst, e.Int, 10)
	}
	return dst
}

// maxVector is how many elements the text of a vector may have.
//
//saltsql:limit types: elements of an oidvector or int2vector
const maxVector = 100

// parseVector reads numbers with blanks between them. A number of an oidvector ends with its
// last digit, so that a sign begins the next one.
func parseVector(t T, s string) (Datum, error) {
	var elems []int64
	for s = trimSpace(s); s != ""; s = trimSpace(s) {
		if len(elems) == maxVector {
			return NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "%s has too many elements", t)
		}
		end := len(s) - len(strings.TrimLeft(strings.TrimLeft(s, "+-"), "0123456789"))
		if t.Elem == Int2vector || end == len(s)-len(strings.TrimLeft(s, "+-")) {
			end = len(s)
			if i := strings.IndexByte(s, ' '); i >= 0 {
				end = i
			}
		}
		d, err := parseAny(t.ElemType(), s[:end], nil)
		if err != nil {
			return NullDatum, err
		}
		elems, s = append(elems, d.Int), s[end:]
	}
	return NewVector(t, elems...), nil
}

// toVector makes a vector of an array that came in the binary format.
func toVector(t T, d Datum) (Datum, error) {
	elems := make([]int64, len(d.Array.Elems))
	for i, e := range d.Array.Elems {
		if e.Null || len(d.Array.Dims) > 1 {
			return NullDatum, sqlerr.New(sqlerr.InvalidBinaryRepresentation, "invalid %s data", t)
		}
		elems[i] = e.Int
	}
	return NewVector(t, elems...), nil
}
