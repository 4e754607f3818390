package vec

import "github.com/saltsql/saltsql/internal/types"

// Compare orders slot i of a and slot j of b, two columns of one type, as
// types.Compare does: NULL is greatest.
func Compare(a *Vec, i int, b *Vec, j int) int {
	return types.Compare(a.Type, a.Datum(i), b.Datum(j))
}

// Hash mixes the selected slots of v into hashes, which is indexed by slot.
// Equal values and two NULLs hash alike.
func Hash(v *Vec, sel []uint16, hashes []uint64) {
	for _, s := range sel {
		hashes[s] = types.Hash(v.Type, v.Datum(int(s)), hashes[s])
	}
}

// CopySlot puts slot j of src into slot i of dst, a column of the same type,
// copying bytes into dst's own memory.
func CopySlot(dst *Vec, i int, src *Vec, j int) {
	d := src.Datum(j)
	dst.Set(i, d)
}
