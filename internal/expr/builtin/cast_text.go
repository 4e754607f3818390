package builtin

import (
	"bytes"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

func init() {
	for _, s := range []types.Kind{types.Text, types.Varchar} {
		for _, t := range []types.Kind{types.Text, types.Varchar} {
			if s != t {
				expr.RegisterCast(s, t, expr.Implicit, nil)
			}
		}
		expr.RegisterCast(s, types.Bpchar, expr.Implicit, nil)
		expr.RegisterCast(types.Bpchar, s, expr.Implicit, trimKernel)
		expr.RegisterCast(s, types.Name, expr.Implicit, toName)
		expr.RegisterCast(types.Name, s, nameContext(s), nil)
		expr.RegisterCast(s, types.CharOne, expr.Assignment, firstByte)
		expr.RegisterCast(types.CharOne, s, nameContext(s), eval.OutputKernel)
		expr.RegisterStableCast(s, types.Regclass, expr.Implicit, eval.InputKernel(tRegcl))
	}
	expr.RegisterCast(types.Bpchar, types.Name, expr.Implicit, toName)
	expr.RegisterCast(types.Name, types.Bpchar, expr.Assignment, nil)
	expr.RegisterCast(types.CharOne, types.Bpchar, expr.Assignment, eval.OutputKernel)
	expr.RegisterCast(types.Bpchar, types.CharOne, expr.Assignment, firstByte)
	expr.RegisterCast(types.CharOne, types.Int4, expr.Explicit, k1(func(a []byte) int64 {
		if len(a) == 0 {
			return 0
		}
		return int64(int8(a[0]))
	}))
	expr.RegisterCast(types.Int4, types.CharOne, expr.Explicit, k1e(func(a int64) ([]byte, error) {
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
		expr.RegisterCast(types.Bool, s, expr.Assignment, boolText)
	}
}

// nameContext: names and "char" become text unasked, varchar by assignment.
func nameContext(to types.Kind) expr.CastContext {
	if to == types.Text {
		return expr.Implicit
	}
	return expr.Assignment
}

// trimKernel drops the blanks that pad a char(n).
func trimKernel(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	for _, i := range sel {
		b := args[0].Bytes[i]
		for len(b) > 0 && b[len(b)-1] == ' ' {
			b = b[:len(b)-1]
		}
		out.Bytes[i] = b
	}
	return nil
}

func toName(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	for _, i := range sel {
		b := args[0].Bytes[i]
		if args[0].Type.Kind == types.Bpchar {
			b = bytes.TrimRight(b, " ")
		}
		out.Bytes[i] = []byte(types.TruncateName(string(b)))
	}
	return nil
}

func firstByte(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	for _, i := range sel {
		d, err := types.ParseText(tChar, args[0].Bytes[i], nil)
		if err != nil {
			return err
		}
		out.Bytes[i] = d.Bytes
	}
	return nil
}
