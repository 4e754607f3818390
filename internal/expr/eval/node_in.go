package eval

import (
	"math"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// inNode is X IN (list), evaluating items in turn for the slots not yet found.
type inNode struct {
	x    node
	list []node
	eq   *expr.Func
	out  result
	tmp  result
	rest slots
	sel  slots
	vals [2]*vec.Vec
}

func (z *compiler) compileIn(e *expr.InList) (node, error) {
	x, err := z.compile(e.X)
	if err != nil {
		return nil, err
	}
	if len(e.List) > 4 {
		if set, ok := constSet(e); ok {
			return &inSetNode{x: x, set: set, out: newResult(tBool)}, nil
		}
	}
	list, err := z.compileAll(e.List)
	if err != nil {
		return nil, err
	}
	return &inNode{x: x, list: list, eq: e.Eq, out: newResult(tBool), tmp: newResult(tBool)}, nil
}

func (n *inNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	x, err := n.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	out := n.out.make(r)
	rest := n.rest.of(len(sel))
	for _, i := range sel {
		if x.Nulls.Get(int(i)) {
			out.Nulls.Set(int(i))
		} else {
			rest = append(rest, i)
			out.Bools[i] = false
		}
	}
	n.rest.buf = rest
	for _, item := range n.list {
		if len(rest) == 0 {
			break
		}
		y, err := item.eval(r, rest)
		if err != nil {
			return nil, err
		}
		tmp := n.tmp.make(r)
		n.vals = [2]*vec.Vec{x, y}
		both := notNull(rest, n.vals[:], tmp, &n.sel)
		if err := n.eq.Kernel(r.env, both, n.vals[:], tmp); err != nil {
			return nil, err
		}
		keep := rest[:0]
		for _, i := range rest {
			switch {
			case tmp.Nulls.Get(int(i)):
				out.Nulls.Set(int(i))
				keep = append(keep, i)
			case tmp.Bools[i]:
				out.Bools[i] = true
				out.Nulls.Clear(int(i))
			default:
				keep = append(keep, i)
			}
		}
		rest = keep
	}
	return out, nil
}

// valueSet holds constants for fast membership tests.
type valueSet struct {
	ints    map[int64]struct{}
	strs    map[string]struct{}
	class   expr.CmpClass
	hasNull bool
}

// newValueSet makes a set of values that compare by class; ok is false where a
// hash does not tell equality.
func newValueSet(class expr.CmpClass, vals []types.Datum) (*valueSet, bool) {
	s := &valueSet{class: class}
	switch class {
	case expr.ClassInt:
		s.ints = make(map[int64]struct{}, len(vals))
	case expr.ClassBytes:
		s.strs = make(map[string]struct{}, len(vals))
	case expr.ClassFloat:
		s.ints = make(map[int64]struct{}, len(vals))
	default:
		return nil, false
	}
	for _, d := range vals {
		switch {
		case d.Null:
			s.hasNull = true
		case class == expr.ClassInt:
			s.ints[d.Int] = struct{}{}
		case class == expr.ClassFloat:
			s.ints[floatKey(d.Float)] = struct{}{}
		default:
			s.strs[string(d.Bytes)] = struct{}{}
		}
	}
	return s, true
}

// floatKey gives equal floats one key.
func floatKey(f float64) int64 {
	switch {
	case f == 0:
		return 0
	case math.IsNaN(f):
		return int64(math.Float64bits(math.NaN()))
	}
	return int64(math.Float64bits(f))
}

func (s *valueSet) has(v *vec.Vec, i uint16) bool {
	var ok bool
	switch s.class {
	case expr.ClassInt:
		_, ok = s.ints[v.Ints[i]]
	case expr.ClassFloat:
		_, ok = s.ints[floatKey(v.Floats[i])]
	default:
		_, ok = s.strs[string(v.Bytes[i])]
	}
	return ok
}

func constSet(e *expr.InList) (*valueSet, bool) {
	vals := make([]types.Datum, len(e.List))
	for i, x := range e.List {
		c, ok := x.(*expr.Const)
		if !ok {
			return nil, false
		}
		vals[i] = c.Value
	}
	return newValueSet(e.Eq.Class, vals)
}

// inSetNode is X IN (constants).
type inSetNode struct {
	x   node
	set *valueSet
	out result
}

func (n *inSetNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	x, err := n.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	out := n.out.make(r)
	for _, i := range sel {
		if x.Nulls.Get(int(i)) {
			out.Nulls.Set(int(i))
			continue
		}
		out.Bools[i] = n.set.has(x, i)
		if n.set.hasNull && !out.Bools[i] {
			out.Nulls.Set(int(i))
		}
	}
	return out, nil
}

func (n *inSetNode) filter(r *run, sel, dst []uint16) ([]uint16, error) {
	x, err := n.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	for _, i := range sel {
		if !x.Nulls.Get(int(i)) && n.set.has(x, i) {
			dst = append(dst, i)
		}
	}
	return dst, nil
}
