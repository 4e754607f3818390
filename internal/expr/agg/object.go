package agg

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/jsonval"
	"github.com/saltsql/saltsql/internal/vec"
)

// object is json_object_agg and jsonb_object_agg: the arguments are the field's name
// as text and its value as JSON.
type object struct {
	kind types.Kind
	v    [][]byte // "key" : value, …
	held int64
}

func (s *object) Resize(n int) { s.v = extend(s.v, n) }

func (s *object) Update(groups []uint32, sel []uint16, args []*vec.Vec) error {
	k, a := args[0], args[1]
	for _, i := range sel {
		if k.Nulls.Get(int(i)) {
			return sqlerr.New(sqlerr.InvalidParameterValue, "field name must not be null")
		}
		g := groups[i]
		b := s.v[g]
		s.held -= int64(cap(b))
		if len(b) > 0 {
			b = append(b, ", "...)
		}
		b = append(jsonval.AppendString(b, string(k.Bytes[i])), " : "...)
		if a.Nulls.Get(int(i)) {
			b = append(b, "null"...)
		} else {
			b = append(b, a.Bytes[i]...)
		}
		if len(b) > expr.MaxText {
			return expr.TooLarge(len(s.v[g]), len(b)-len(s.v[g]))
		}
		s.v[g] = b
		s.held += int64(cap(b))
	}
	return nil
}

func (s *object) Merge(other State, from, to []uint32) error {
	o := other.(*object)
	for k, i := range from {
		g, b := to[k], o.v[i]
		switch {
		case len(b) == 0:
			continue
		case len(s.v[g]) > 0:
			s.v[g] = append(append(s.v[g], ", "...), b...)
		default:
			s.v[g] = b
		}
		s.held += int64(cap(b))
	}
	return nil
}

func (s *object) Final(lo, hi int, out *vec.Vec) error {
	return finals(s, lo, hi, out)
}

func (s *object) Peek(g int, out *vec.Vec, i int) error {
	if len(s.v[g]) == 0 {
		out.Nulls.Set(i)
		return nil
	}
	d, err := jsonfunc.MakeObject(s.kind, s.v[g])
	if err == nil {
		out.Set(i, d)
	}
	return err
}

func (s *object) Bytes() int64 { return s.held + int64(24*cap(s.v)) }
