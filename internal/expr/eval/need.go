package eval

import (
	"bytes"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// ElemBytes is what an element of an array of texts takes while the array is made.
const ElemBytes = types.DatumSize + 40

// ValueBytes is the memory of a value.
func ValueBytes(d *types.Datum) int {
	if d.Null {
		return 0
	}
	return int(d.Behind())
}

// needOf is the need of f, or of a set-returning function, with arguments of types ts; nil
// for none.
func needOf(f *expr.Func, ts []types.T) expr.Need {
	var n expr.Need
	if f != nil {
		n = f.Need
	}
	for i, t := range ts {
		if t.Kind == types.JSON || t.Kind == types.JSONB {
			return ofJSON(n, i)
		}
	}
	return n
}

// ofJSON adds what the i-th argument takes when it is read.
func ofJSON(n expr.Need, i int) expr.Need {
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
func castNeed(from, to types.T) expr.Need {
	switch {
	case to.Kind == types.JSONB || to.Kind == types.JSON:
		return func(a []types.Datum) int { return JSONNeed(a[0].Bytes) }
	case to.Kind == types.JSONPath:
		const each = 256
		return func(a []types.Datum) int { return each * len(a[0].Bytes) }
	case to.Kind == types.Array && from.Kind != types.Array:
		return func(a []types.Datum) int {
			return 2*len(a[0].Bytes) + (bytes.Count(a[0].Bytes, []byte{','})+1)*ElemBytes
		}
	case to.Kind == types.Array:
		return func(a []types.Datum) int { return 2 * ValueBytes(&a[0]) }
	case to.Category() == 'S' && (from.Kind == types.Array || from.Kind == types.Record || from.Kind == types.Bytea):
		return func(a []types.Datum) int { return 2 * ValueBytes(&a[0]) }
	}
	return nil
}

// checkNeed asks for the room that a function needs for each of the rows.
func checkNeed(n expr.Need, env *expr.Env, sel []uint16, args []*vec.Vec) error {
	if n == nil || !anyLarge(sel, args) {
		return nil
	}
	a := make([]types.Datum, len(args))
	for _, i := range sel {
		for k, v := range args {
			a[k] = v.Datum(int(i))
		}
		if all := n(a); all > expr.Unbooked {
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
