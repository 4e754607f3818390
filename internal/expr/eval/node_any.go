package eval

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// anyNode is X op ANY(array) or ALL. With one array for all rows it works
// element by element over the rows; otherwise row by row over the elements.
type anyNode struct {
	x     node
	array node
	op    *expr.Func
	all   bool
	elem  types.T
	out   result
	tmp   result
	left  result
	right result
	rest  slots
	sel   slots
	vals  [2]*vec.Vec

	set      *valueSet // of setArray, for = ANY
	setArray *types.ArrayValue
}

func (z *compiler) compileAnyAll(e *expr.AnyAll) (node, error) {
	args, err := z.compileAll([]expr.Expr{e.X, e.Array})
	if err != nil {
		return nil, err
	}
	elem := e.Array.Type().ElemType()
	return &anyNode{x: args[0], array: args[1], op: e.Op, all: e.All, elem: elem, out: newResult(tBool),
		tmp: newResult(tBool), left: newResult(e.X.Type()), right: newResult(elem)}, nil
}

func (n *anyNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	x, err := n.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	if one, ok := n.array.(scalar); ok {
		d, err := one.value(r)
		if err != nil {
			return nil, err
		}
		return n.oneArray(r, sel, x, d)
	}
	arrays, err := n.array.eval(r, sel)
	if err != nil {
		return nil, err
	}
	out := n.out.make(r)
	for _, i := range sel {
		if err := n.row(r, x, arrays, i, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// oneArray tests every row against the same array.
func (n *anyNode) oneArray(r *run, sel []uint16, x *vec.Vec, d types.Datum) (*vec.Vec, error) {
	out := n.out.make(r)
	if d.Null {
		for _, i := range sel {
			out.Nulls.Set(int(i))
		}
		return out, nil
	}
	elems := d.Array.Elems
	rest := n.rest.of(len(sel))
	for _, i := range sel {
		out.Bools[i] = n.all
		// NULL op ANY(…) is NULL unless there is nothing to compare with.
		if x.Nulls.Get(int(i)) && len(elems) > 0 {
			out.Nulls.Set(int(i))
		} else if len(elems) > 0 {
			rest = append(rest, i)
		}
	}
	n.rest.buf = rest
	if set := n.membership(d.Array); set != nil {
		for _, i := range rest {
			out.Bools[i] = set.has(x, i)
			if !out.Bools[i] && set.hasNull {
				out.Nulls.Set(int(i))
			}
		}
		return out, nil
	}
	for _, e := range elems {
		if len(rest) == 0 {
			break
		}
		right := n.right.make(r)
		if e.Null {
			for _, i := range rest {
				out.Nulls.Set(int(i))
			}
			continue
		}
		for _, i := range rest {
			right.Set(int(i), e)
		}
		tmp := n.tmp.make(r)
		n.vals = [2]*vec.Vec{x, right}
		if err := n.op.Kernel(r.env, rest, n.vals[:], tmp); err != nil {
			return nil, err
		}
		keep := rest[:0]
		for _, i := range rest {
			switch {
			case tmp.Nulls.Get(int(i)):
				out.Nulls.Set(int(i))
				keep = append(keep, i)
			case tmp.Bools[i] != n.all:
				out.Bools[i] = !n.all
				out.Nulls.Clear(int(i))
			default:
				keep = append(keep, i)
			}
		}
		rest = keep
	}
	return out, nil
}

// membership gives the set for = ANY over an array worth one.
func (n *anyNode) membership(a *types.ArrayValue) *valueSet {
	if n.all || n.op.Cmp != expr.CmpEQ || len(a.Elems) < 5 {
		return nil
	}
	if n.setArray != a {
		n.setArray = a
		n.set, _ = newValueSet(n.op.Class, a.Elems)
	}
	return n.set
}

// row tests one row against its own array.
func (n *anyNode) row(r *run, x, arrays *vec.Vec, i uint16, out *vec.Vec) error {
	out.Bools[i] = n.all
	if arrays.Nulls.Get(int(i)) {
		out.Nulls.Set(int(i))
		return nil
	}
	elems := arrays.Arrays[i].Elems
	if len(elems) == 0 {
		return nil
	}
	if x.Nulls.Get(int(i)) {
		out.Nulls.Set(int(i))
		return nil
	}
	xd := x.Datum(int(i))
	null := false
	for len(elems) > 0 {
		part := elems[:min(len(elems), vec.MaxRows)]
		elems = elems[len(part):]
		sub := run{env: r.env, n: len(part)}
		left, right, tmp := n.left.make(&sub), n.right.make(&sub), n.tmp.make(&sub)
		for k, e := range part {
			left.Set(k, xd)
			right.Set(k, e)
		}
		n.vals = [2]*vec.Vec{left, right}
		both := notNull(identity[:len(part)], n.vals[:], tmp, &n.sel)
		if err := n.op.Kernel(r.env, both, n.vals[:], tmp); err != nil {
			return err
		}
		for k := range part {
			switch {
			case tmp.Nulls.Get(k):
				null = true
			case tmp.Bools[k] != n.all:
				out.Bools[i] = !n.all
				return nil
			}
		}
	}
	if null {
		out.Nulls.Set(int(i))
	}
	return nil
}

// rowCmpNode compares rows lexically: the first position that differs decides.
type rowCmpNode struct {
	l, r   []node
	lt, eq []*expr.Func
	less   bool // < or <=
	orEq   bool // <= or >=
	out    result
	tmp    result
	rest   slots
	sel    slots
	vals   [2]*vec.Vec
}

func (z *compiler) compileRowCmp(e *expr.RowCmp) (node, error) {
	l, err := z.compileAll(e.L)
	if err != nil {
		return nil, err
	}
	r, err := z.compileAll(e.R)
	if err != nil {
		return nil, err
	}
	return &rowCmpNode{l: l, r: r, lt: e.Lt, eq: e.Eq, less: e.Op[0] == '<', orEq: len(e.Op) == 2,
		out: newResult(tBool), tmp: newResult(tBool)}, nil
}

func (n *rowCmpNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	out := n.out.make(r)
	rest := append(n.rest.of(len(sel)), sel...)
	n.rest.buf = rest
	for p := range n.l {
		if len(rest) == 0 {
			return out, nil
		}
		x, err := n.l[p].eval(r, rest)
		if err != nil {
			return nil, err
		}
		y, err := n.r[p].eval(r, rest)
		if err != nil {
			return nil, err
		}
		n.vals = [2]*vec.Vec{x, y}
		both := notNull(rest, n.vals[:], out, &n.sel)
		tmp := n.tmp.make(r)
		if err := n.lt[p].Kernel(r.env, both, n.vals[:], tmp); err != nil {
			return nil, err
		}
		for _, i := range both {
			out.Bools[i] = tmp.Bools[i] == n.less
		}
		if err := n.eq[p].Kernel(r.env, both, n.vals[:], tmp); err != nil {
			return nil, err
		}
		// What is equal here goes on to the next position.
		rest = rest[:0]
		for _, i := range both {
			if tmp.Bools[i] {
				rest = append(rest, i)
			}
		}
	}
	for _, i := range rest {
		out.Bools[i] = n.orEq
	}
	return out, nil
}
