package types

import (
	"math"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

func appendArrayBinary(dst []byte, t T, a *ArrayValue, env *IOEnv) ([]byte, error) {
	var nulls uint32
	for i := range a.Elems {
		if a.Elems[i].Null {
			nulls = 1
		}
	}
	dst = be.AppendUint32(dst, uint32(len(a.Dims)))
	dst = be.AppendUint32(dst, nulls)
	dst = be.AppendUint32(dst, t.ElemType().OID())
	for _, n := range a.Dims {
		dst = be.AppendUint32(dst, uint32(n))
		dst = be.AppendUint32(dst, uint32(1+a.Low))
	}
	return appendElems(dst, a.Elems, func(int) T { return t.ElemType() }, env)
}

func appendElems(dst []byte, elems []Datum, typ func(int) T, env *IOEnv) ([]byte, error) {
	for i, e := range elems {
		if e.Null {
			dst = be.AppendUint32(dst, math.MaxUint32)
			continue
		}
		at := len(dst)
		dst = append(dst, 0, 0, 0, 0)
		var err error
		if dst, err = AppendBinary(dst, typ(i), e, env); err != nil {
			return dst, err
		}
		be.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst, nil
}

func parseArrayBinary(t T, b []byte, env *IOEnv) (Datum, error) {
	if len(b) < 12 {
		return NullDatum, insufficient()
	}
	nd, flags, oid := int32(be.Uint32(b)), be.Uint32(b[4:]), be.Uint32(b[8:])
	b = b[12:]
	switch {
	case nd < 0:
		return NullDatum, sqlerr.New(sqlerr.InvalidBinaryRepresentation, "invalid number of dimensions: %d", nd)
	case nd > MaxDims:
		return NullDatum, sqlerr.New(sqlerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", nd, MaxDims)
	case flags > 1:
		return NullDatum, sqlerr.New(sqlerr.InvalidBinaryRepresentation, "invalid array flags")
	case oid != t.ElemType().OID():
		return NullDatum, sqlerr.New(sqlerr.DatatypeMismatch, "binary data has array element type %d (%s) instead of expected %d (%s)",
			oid, nameOfOID(oid), t.ElemType().OID(), t.ElemType().Base())
	}
	a := &ArrayValue{Elem: t.ElemType()}
	total := int64(1)
	for range nd {
		if len(b) < 8 {
			return NullDatum, insufficient()
		}
		n, low := int32(be.Uint32(b)), int32(be.Uint32(b[4:]))
		b = b[8:]
		if n < 0 || total*int64(n) > maxElems {
			return NullDatum, sqlerr.New(sqlerr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", maxElems)
		}
		if low != 1 && !(low == 0 && t.IsVector()) {
			return NullDatum, sqlerr.Unsupported("arrays with lower bounds other than 1 are not supported", "Send the array with lower bound 1.")
		}
		total *= int64(n)
		a.Dims = append(a.Dims, n)
	}
	if nd == 0 || total == 0 {
		a.Dims = nil
		if len(b) != 0 {
			return NullDatum, incorrectBinary()
		}
		return Datum{Array: a}, nil
	}
	for range total {
		if len(b) < 4 {
			return NullDatum, insufficient()
		}
		n := int32(be.Uint32(b))
		b = b[4:]
		if n == -1 {
			a.Elems = append(a.Elems, NullDatum)
			continue
		}
		if n < 0 || int(n) > len(b) {
			return NullDatum, insufficient()
		}
		d, err := ParseBinary(t.ElemType(), b[:n], env)
		if err != nil {
			return NullDatum, err
		}
		a.Elems = append(a.Elems, d)
		b = b[n:]
	}
	if len(b) != 0 {
		return NullDatum, incorrectBinary()
	}
	return Datum{Array: a}, nil
}

func nameOfOID(oid uint32) string {
	if t, ok := FromOID(oid, -1); ok {
		return t.String()
	}
	return "???"
}
