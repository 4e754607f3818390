package expr

import (
	"bytes"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// elemBytes is what an element of an array of texts takes while the array is made.
const elemBytes = types.DatumSize + 40

// size is the memory of a value.
func size(d *types.Datum) int {
	if d.Null {
		return 0
	}
	return int(d.Behind())
}

// needOf is the need of f, or of a set-returning function, with arguments of types ts; nil
// for none.
func needOf(f *Func, ts []types.T) need {
	var n need
	if f != nil {
		n = f.need
	}
	for i, t := range ts {
		if t.Kind == types.JSON || t.Kind == types.JSONB {
			return ofJSON(n, i)
		}
	}
	return n
}

// ofJSON adds what the i-th argument takes when it is read.
func ofJSON(n need, i int) need {
	return func(a []types.Datum) int {
		all := JSONNeed(a[i].Bytes)
		if n != nil {
			all += n(a)
		}
		return all
	}
}

// JSONNeed is what a JSON text takes when it is read: its values, and their text again.
func JSONNeed(b []byte) int {
	const each = 192
	return 3*len(b) + (bytes.Count(b, []byte{','})+bytes.Count(b, []byte{'['})+bytes.Count(b, []byte{'{'}))*each
}

// castNeed is the need of a cast; nil for none.
func castNeed(from, to types.T) need {
	switch {
	case to.Kind == types.JSONB || to.Kind == types.JSON:
		return func(a []types.Datum) int { return JSONNeed(a[0].Bytes) }
	case to.Kind == types.Array && from.Kind != types.Array:
		return func(a []types.Datum) int {
			return 2*len(a[0].Bytes) + (bytes.Count(a[0].Bytes, []byte{','})+1)*elemBytes
		}
	case to.Kind == types.Array:
		return func(a []types.Datum) int { return 2 * size(&a[0]) }
	case to.Category() == 'S' && (from.Kind == types.Array || from.Kind == types.Record || from.Kind == types.Bytea):
		return func(a []types.Datum) int { return 2 * size(&a[0]) }
	}
	return nil
}

// checkNeed asks for the room that a function needs for each of the rows.
func checkNeed(n need, env *Env, sel []uint16, args []*vec.Vec) error {
	if n == nil || !anyLarge(sel, args) {
		return nil
	}
	a := make([]types.Datum, len(args))
	for _, i := range sel {
		for k, v := range args {
			a[k] = v.Datum(int(i))
		}
		if all := n(a); all > unbooked {
			if err := env.Mem.Fits(int64(all)); err != nil {
				return err
			}
		}
	}
	return nil
}

// anyLarge says that an argument is of a size at which it matters what is made of it.
func anyLarge(sel []uint16, args []*vec.Vec) bool {
	const large = 256
	for _, v := range args {
		switch v.Type.Phys() {
		case types.PhysBytes:
			for _, i := range sel {
				if len(v.Bytes[i]) > large {
					return true
				}
			}
		case types.PhysArray:
			if len(sel) > 0 {
				return true
			}
		}
	}
	return false
}
