package types

import (
	"hash/maphash"
	"math"
	"math/bits"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/types/jsonval"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

var hashSeed = maphash.MakeSeed()

// HashInt mixes v into seed.
func HashInt(v int64, seed uint64) uint64 {
	hi, lo := bits.Mul64(uint64(v)^0x9e3779b97f4a7c15, seed^0xa0761d6478bd642f)
	return hi ^ lo
}

// HashBytes mixes b into seed.
func HashBytes(b []byte, seed uint64) uint64 {
	return HashInt(int64(maphash.Bytes(hashSeed, b)), seed)
}

const hashNull = 0x6e756c6c

// Hash gives equal numbers for values that Compare calls equal, NULLs included.
// It is not stable between processes.
func Hash(t T, d Datum, seed uint64) uint64 {
	if d.Null {
		return HashInt(hashNull, seed)
	}
	switch t.Phys() {
	case PhysBool:
		if d.Bool {
			return HashInt(1, seed)
		}
		return HashInt(0, seed)
	case PhysInt:
		return HashInt(d.Int, seed)
	case PhysFloat:
		return HashFloat(d.Float, seed)
	case PhysDecimal:
		return HashDecimal(d.Decimal, seed)
	case PhysInterval:
		days, micros := d.Interval.span()
		return HashInt(micros, HashInt(days, seed))
	case PhysArray:
		for i, e := range d.Array.Elems {
			seed = Hash(d.Array.elemType(t, i), e, seed)
		}
		return HashInt(int64(len(d.Array.Elems)), seed)
	}
	return HashString(t.Kind, d.Bytes, seed)
}

// HashString hashes a value of a kind that is stored as bytes.
func HashString(k Kind, b []byte, seed uint64) uint64 {
	switch k {
	case Bpchar:
		b = trimBlanks(b)
	case JSONB:
		if v, err := jsonval.Parse(string(b)); err == nil {
			return hashJSON(v, seed)
		}
	}
	return HashBytes(b, seed)
}

// HashFloat takes -0 for 0 and all NaNs for one.
func HashFloat(f float64, seed uint64) uint64 {
	switch {
	case f == 0:
		return HashInt(0, seed)
	case math.IsNaN(f):
		f = math.NaN()
	}
	return HashInt(int64(math.Float64bits(f)), seed)
}

// HashDecimal takes 1.0 and 1.00 for one value.
func HashDecimal(x *apd.Decimal, seed uint64) uint64 {
	if !numeric.IsFinite(x) {
		switch {
		case numeric.IsNaN(x):
			return HashInt(-1, seed)
		case x.Negative:
			return HashInt(-2, seed)
		}
		return HashInt(-3, seed)
	}
	if x.Coeff.IsUint64() {
		u, e := x.Coeff.Uint64(), x.Exponent
		if u == 0 {
			return HashInt(0, seed)
		}
		for u%10 == 0 {
			u /= 10
			e++
		}
		sign := int64(e) << 1
		if x.Negative {
			sign |= 1
		}
		return HashInt(int64(u), HashInt(sign, seed))
	}
	var t apd.Decimal
	t.Reduce(x)
	if t.Coeff.IsUint64() {
		return HashDecimal(&t, seed)
	}
	var buf [80]byte
	seed = HashInt(int64(t.Exponent), seed)
	if t.Negative {
		seed++
	}
	return HashBytes(t.Coeff.Append(buf[:0], 16), seed)
}

func hashJSON(v *jsonval.Value, seed uint64) uint64 {
	seed = HashInt(int64(v.Kind), seed)
	switch v.Kind {
	case jsonval.String:
		return HashBytes([]byte(v.Str), seed)
	case jsonval.Number:
		return HashDecimal(v.Num, seed)
	case jsonval.Bool:
		if v.Bool {
			seed++
		}
		return seed
	}
	for i, e := range v.Elems {
		if v.Kind == jsonval.Object {
			seed = HashBytes([]byte(v.Keys[i]), seed)
		}
		seed = hashJSON(e, seed)
	}
	return HashInt(int64(len(v.Elems)), seed)
}
