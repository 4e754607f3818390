package expr

import (
	"bytes"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

func init() {
	for _, s := range []types.Kind{types.Text, types.Varchar} {
		for _, t := range []types.Kind{types.Text, types.Varchar} {
			if s != t {
				registerCast(s, t, Implicit, nil)
			}
		}
		registerCast(s, types.Bpchar, Implicit, nil)
		registerCast(types.Bpchar, s, Implicit, trimKernel)
		registerCast(s, types.Name, Implicit, toName)
		registerCast(types.Name, s, nameContext(s), nil)
		registerCast(s, types.CharOne, Assignment, firstByte)
		registerCast(types.CharOne, s, nameContext(s), outputKernel)
		registerStableCast(s, types.Regclass, Implicit, inputKernel(tRegcl))
	}
	registerCast(types.Bpchar, types.Name, Implicit, toName)
	registerCast(types.Name, types.Bpchar, Assignment, nil)
	registerCast(types.CharOne, types.Bpchar, Assignment, outputKernel)
	registerCast(types.Bpchar, types.CharOne, Assignment, firstByte)
	registerCast(types.CharOne, types.Int4, Explicit, k1(func(a []byte) int64 {
		if len(a) == 0 {
			return 0
		}
		return int64(int8(a[0]))
	}))
	registerCast(types.Int4, types.CharOne, Explicit, k1e(func(a int64) ([]byte, error) {
		if a < -128 || a > 127 {
			return nil, outOfRangeChar()
		}
		return []byte{byte(a)}, nil
	}))
	boolText := t1(func(dst []byte, a bool) ([]byte, error) {
		if a {
			return append(dst, "true"...), nil
		}
		return append(dst, "false"...), nil
	})
	for _, s := range []types.Kind{types.Text, types.Varchar, types.Bpchar} {
		registerCast(types.Bool, s, Assignment, boolText)
	}
}

// nameContext: names and "char" become text unasked, varchar by assignment.
func nameContext(to types.Kind) CastContext {
	if to == types.Text {
		return Implicit
	}
	return Assignment
}

// trimKernel drops the blanks that pad a char(n).
func trimKernel(_ *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	for _, i := range sel {
		b := args[0].Bytes[i]
		for len(b) > 0 && b[len(b)-1] == ' ' {
			b = b[:len(b)-1]
		}
		out.Bytes[i] = b
	}
	return nil
}

func toName(_ *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	for _, i := range sel {
		b := args[0].Bytes[i]
		if args[0].Type.Kind == types.Bpchar {
			b = bytes.TrimRight(b, " ")
		}
		out.Bytes[i] = []byte(types.TruncateName(string(b)))
	}
	return nil
}

func firstByte(_ *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	for _, i := range sel {
		d, err := types.ParseText(tChar, args[0].Bytes[i], nil)
		if err != nil {
			return err
		}
		out.Bytes[i] = d.Bytes
	}
	return nil
}
