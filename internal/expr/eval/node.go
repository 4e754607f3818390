package eval

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// run is one evaluation of a Prog.
type run struct {
	env *expr.Env
	in  *vec.Batch
	n   int // slots
	// most is how many bytes a vector of results may take before they are ErrWide; 0 is
	// any number.
	most int64
	// operand has the values of the innermost CASE's, while its conditions are evaluated.
	operand *vec.Vec
}

// node computes one expression. The result has r.n slots of which those in sel
// hold values; it stays valid until the node's next eval. A node appears in one
// place of one Prog and is evaluated at most once per evaluation of the Prog,
// except under RowCmp and AnyAll, which know.
type node interface {
	eval(r *run, sel []uint16) (*vec.Vec, error)
}

// filterer is a boolean node that can tell where it is true without making a
// vector. dst may share memory with sel: slots are written behind what has been
// read.
type filterer interface {
	filter(r *run, sel, dst []uint16) ([]uint16, error)
}

// scalar is a node whose value is the same for all slots.
type scalar interface {
	node
	value(r *run) (types.Datum, error)
}

// filter appends to dst the slots of sel where the node is true.
func filter(nd node, r *run, sel, dst []uint16) ([]uint16, error) {
	if len(sel) == 0 {
		return dst, nil
	}
	if f, ok := nd.(filterer); ok {
		return f.filter(r, sel, dst)
	}
	v, err := nd.eval(r, sel)
	if err != nil {
		return nil, err
	}
	return trueSlots(v, sel, dst), nil
}

func trueSlots(v *vec.Vec, sel, dst []uint16) []uint16 {
	b := v.Bools
	if !v.Nulls.Any() {
		for _, i := range sel {
			if b[i] {
				dst = append(dst, i)
			}
		}
		return dst
	}
	for _, i := range sel {
		if b[i] && !v.Nulls.Get(int(i)) {
			dst = append(dst, i)
		}
	}
	return dst
}

// result is the vector a node writes to.
type result struct{ v *vec.Vec }

func newResult(t types.T) result { return result{vec.New(t)} }

// make gives the vector with r.n slots, no NULLs and empty memory.
func (o result) make(r *run) *vec.Vec {
	o.v.Resize(r.n)
	o.v.EmptyBuf()
	o.v.Most = r.most
	if own := o.v.Own(); o.v.Share.Bytes() > own {
		o.v.Share.MustToOf(r.env.Mem, own) // less cannot fail
	}
	return o.v
}

// slots is a buffer for a selection.
type slots struct{ buf []uint16 }

// of gives an empty selection with room for n slots.
func (s *slots) of(n int) []uint16 {
	if cap(s.buf) < n {
		s.buf = make([]uint16, 0, max(n, 16))
	}
	return s.buf[:0]
}

// minus appends to dst the slots of a that are not in b; both ascend and b is a
// part of a. dst may be a's own memory.
func minus(a, b, dst []uint16) []uint16 {
	j := 0
	for _, i := range a {
		if j < len(b) && b[j] == i {
			j++
			continue
		}
		dst = append(dst, i)
	}
	return dst
}

// merge appends to dst the union of two ascending selections.
func merge(a, b, dst []uint16) []uint16 {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			dst = append(dst, a[0])
			a = a[1:]
		case a[0] > b[0]:
			dst = append(dst, b[0])
			b = b[1:]
		default:
			dst = append(dst, a[0])
			a, b = a[1:], b[1:]
		}
	}
	dst = append(dst, a...)
	return append(dst, b...)
}

// colNode is a Col.
type colNode struct{ index int }

func (c *colNode) eval(r *run, _ []uint16) (*vec.Vec, error) { return r.in.Cols[c.index], nil }

// constNode is a Const, or a Param whose value may change between evaluations.
type constNode struct {
	out    *vec.Vec
	d      types.Datum
	param  int // 0: a Const
	filled int // slots that hold d
}

func (c *constNode) value(r *run) (types.Datum, error) {
	if c.param > 0 {
		if c.param > len(r.env.Params) {
			return types.NullDatum, missingParam(c.param)
		}
		return r.env.Params[c.param-1], nil
	}
	return c.d, nil
}

func (c *constNode) eval(r *run, _ []uint16) (*vec.Vec, error) {
	d, err := c.value(r)
	if err != nil {
		return nil, err
	}
	c.filled = fill(c.out, d, r.n, c.filled, c.param == 0)
	return c.out, nil
}

// fill puts d into all n slots; filled of them hold a value already, which is
// still right if same.
func fill(v *vec.Vec, d types.Datum, n, filled int, same bool) int {
	if same && filled >= n && v.Len() >= n {
		return filled
	}
	v.Resize(n)
	if d.Null {
		for i := range n {
			v.Nulls.Set(i)
		}
		return n
	}
	switch v.Type.Phys() {
	case types.PhysInt:
		for i := range v.Ints {
			v.Ints[i] = d.Int
		}
	case types.PhysFloat:
		for i := range v.Floats {
			v.Floats[i] = d.Float
		}
	case types.PhysBytes:
		for i := range v.Bytes {
			v.Bytes[i] = d.Bytes
		}
	default:
		for i := range n {
			v.Set(i, d)
		}
	}
	return n
}

// onceNode evaluates an expression without columns once per batch.
type onceNode struct {
	x   node
	out *vec.Vec
}

func (o *onceNode) value(r *run) (types.Datum, error) {
	sub := run{env: r.env, in: oneRow, n: 1}
	v, err := o.x.eval(&sub, identity[:1])
	if err != nil {
		return types.NullDatum, err
	}
	return v.Datum(0), nil
}

func (o *onceNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	if len(sel) == 0 {
		o.out.Resize(r.n)
		return o.out, nil
	}
	d, err := o.value(r)
	if err != nil {
		return nil, err
	}
	fill(o.out, d, r.n, 0, false)
	return o.out, nil
}
