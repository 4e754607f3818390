package vec

import (
	"bytes"
	"cmp"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// Compare orders slot i of a and slot j of b, two columns of one type, as
// types.Compare does: NULL is greatest.
func Compare(a *Vec, i int, b *Vec, j int) int {
	if an, bn := a.Nulls.Get(i), b.Nulls.Get(j); an || bn {
		switch {
		case an && bn:
			return 0
		case an:
			return 1
		}
		return -1
	}
	switch a.Type.Kind {
	case types.Text, types.Varchar, types.Name, types.Bytea, types.UUID, types.CharOne, types.JSON:
		return bytes.Compare(a.Bytes[i], b.Bytes[j])
	case types.Bpchar, types.JSONB:
		return types.CompareBytes(a.Type.Kind, a.Bytes[i], b.Bytes[j])
	case types.Float4, types.Float8:
		return types.CompareFloat(a.Floats[i], b.Floats[j])
	case types.Numeric:
		return numeric.Cmp(&a.Decimals[i], &b.Decimals[j])
	case types.Interval:
		return types.CompareInterval(a.Intervals[i], b.Intervals[j])
	}
	if a.Type.Phys() == types.PhysInt {
		return cmp.Compare(a.Ints[i], b.Ints[j])
	}
	return types.Compare(a.Type, a.value(i), b.value(j))
}

// Equal says that Compare calls the two slots equal; two NULLs are.
func Equal(a *Vec, i int, b *Vec, j int) bool { return Compare(a, i, b, j) == 0 }

const nullHash = 0x6e756c6c

// Hash mixes the selected slots of v into hashes, which is indexed by slot and
// starts as what the caller likes. Values that Compare calls equal hash alike,
// NULLs included. It is not stable between processes.
func Hash(v *Vec, sel []uint16, hashes []uint64) {
	nulls := v.Nulls.Any()
	switch v.Type.Phys() {
	case types.PhysInt:
		for _, s := range sel {
			if nulls && v.Nulls.Get(int(s)) {
				hashes[s] = types.HashInt(nullHash, hashes[s])
			} else {
				hashes[s] = types.HashInt(v.Ints[s], hashes[s])
			}
		}
	case types.PhysBytes:
		for _, s := range sel {
			if nulls && v.Nulls.Get(int(s)) {
				hashes[s] = types.HashInt(nullHash, hashes[s])
			} else {
				hashes[s] = types.HashString(v.Type.Kind, v.Bytes[s], hashes[s])
			}
		}
	default:
		for _, s := range sel {
			hashes[s] = types.Hash(v.Type, v.Datum(int(s)), hashes[s])
		}
	}
}

// CopySlot puts slot j of src into slot i of dst, a column of the same type,
// copying bytes into dst's own memory. Arrays are shared: they are immutable.
func CopySlot(dst *Vec, i int, src *Vec, j int) {
	if src.Nulls.Get(j) {
		dst.Nulls.Set(i)
		return
	}
	dst.Nulls.Clear(i)
	switch dst.Type.Phys() {
	case types.PhysBytes:
		dst.SetBytes(i, src.Bytes[j])
	case types.PhysInt:
		dst.Ints[i] = src.Ints[j]
	default:
		dst.Set(i, src.value(j))
	}
}
