package eval

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// subscriptsNode is x[i][j], an element, NULL where it is out of range or the array has
// another number of dimensions; with slice it is x[i:j], empty in those cases. A NULL among
// the bounds makes the result NULL.
type subscriptsNode struct {
	x      node
	ranges []rangeNode
	slice  bool
	elem   types.T
	out    result
}

// rangeNode are the bounds of a dimension, nil where none is given, and their values.
type rangeNode struct {
	low, high   node
	lows, highs *vec.Vec
}

func (z *compiler) compileSubscripts(e *expr.Subscripts) (node, error) {
	s := &subscriptsNode{slice: e.Slice, elem: e.X.Type().ElemType(), out: newResult(e.T), ranges: make([]rangeNode, len(e.Ranges))}
	var err error
	if s.x, err = z.compile(e.X); err != nil {
		return nil, err
	}
	for i, r := range e.Ranges {
		if r.Low != nil {
			if s.ranges[i].low, err = z.compile(r.Low); err != nil {
				return nil, err
			}
		}
		if r.High != nil {
			if s.ranges[i].high, err = z.compile(r.High); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

func (s *subscriptsNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	x, err := s.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	for i := range s.ranges {
		d := &s.ranges[i]
		if d.low != nil {
			if d.lows, err = d.low.eval(r, sel); err != nil {
				return nil, err
			}
		}
		if d.high != nil {
			if d.highs, err = d.high.eval(r, sel); err != nil {
				return nil, err
			}
		}
	}
	out := s.out.make(r)
	for _, i := range sel {
		if x.Nulls.Get(int(i)) || s.nullBound(i) {
			out.Nulls.Set(int(i))
			continue
		}
		a := x.Arrays[i]
		if s.slice {
			out.Set(int(i), s.sliceOf(a, i))
			continue
		}
		if at, ok := s.element(a, i); ok {
			out.Set(int(i), a.Elems[at])
		} else {
			out.Nulls.Set(int(i))
		}
	}
	return out, nil
}

func (s *subscriptsNode) nullBound(i uint16) bool {
	for k := range s.ranges {
		d := &s.ranges[k]
		if d.low != nil && d.lows.Nulls.Get(int(i)) || d.high != nil && d.highs.Nulls.Get(int(i)) {
			return true
		}
	}
	return false
}

// element gives where the element that slot i's indexes name lies.
func (s *subscriptsNode) element(a *types.ArrayValue, i uint16) (at int64, ok bool) {
	if len(a.Dims) != len(s.ranges) {
		return 0, false
	}
	for k, n := range a.Dims {
		index := s.ranges[k].highs.Ints[i] - int64(a.Low) - 1
		if index < 0 || index >= int64(n) {
			return 0, false
		}
		at = at*int64(n) + index
	}
	return at, true
}

// sliceOf gives the part of a that slot i's ranges name; dimensions that they do not reach
// are taken whole.
func (s *subscriptsNode) sliceOf(a *types.ArrayValue, i uint16) types.Datum {
	empty := types.NewArray(s.elem, nil)
	if len(a.Dims) < len(s.ranges) {
		return empty
	}
	var from, to [types.MaxDims]int64 // from 0 on, to excluded
	whole := true                     // of the dimensions after the first
	for k, n := range a.Dims {
		from[k], to[k] = 0, int64(n)
		if k < len(s.ranges) {
			if d := &s.ranges[k]; d.low != nil {
				from[k] = max(from[k], d.lows.Ints[i]-int64(a.Low)-1)
			}
			if d := &s.ranges[k]; d.high != nil {
				to[k] = min(to[k], d.highs.Ints[i]-int64(a.Low))
			}
		}
		if from[k] >= to[k] {
			return empty
		}
		whole = whole && (k == 0 || to[k]-from[k] == int64(n))
	}
	out := types.NewArray(s.elem, nil)
	stride := int64(1)
	for k, n := range a.Dims {
		out.Array.Dims = append(out.Array.Dims, int32(to[k]-from[k]))
		if k > 0 {
			stride *= int64(n)
		}
	}
	if whole {
		out.Array.Elems = a.Elems[from[0]*stride : to[0]*stride : to[0]*stride]
		return out
	}
	var take func(k int, at int64)
	take = func(k int, at int64) {
		n := int64(a.Dims[k])
		if k == len(a.Dims)-1 {
			out.Array.Elems = append(out.Array.Elems, a.Elems[at*n+from[k]:at*n+to[k]]...)
			return
		}
		for index := from[k]; index < to[k]; index++ {
			take(k+1, at*n+index)
		}
	}
	take(0, 0)
	return out
}
