package eval

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/vec"
)

// andNode narrows: an argument is evaluated only where those before it are not
// false.
type andNode struct {
	args []node
	out  result
	rest slots
}

func (a *andNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	return evalLogic(r, sel, a.args, a.out, &a.rest, false)
}

func (a *andNode) filter(r *run, sel, dst []uint16) ([]uint16, error) {
	// dst is behind every slot read, so that the narrowing happens in place.
	cur, err := filter(a.args[0], r, sel, dst)
	if err != nil {
		return nil, err
	}
	n := len(dst)
	for _, arg := range a.args[1:] {
		part := cur[n:]
		if cur, err = filter(arg, r, part, cur[:n]); err != nil {
			return nil, err
		}
	}
	return cur, nil
}

// orNode evaluates an argument only where those before it are not true.
type orNode struct {
	args []node
	out  result
	rest slots
	hit  slots
	sum  [2]slots
}

func (o *orNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	return evalLogic(r, sel, o.args, o.out, &o.rest, true)
}

func (o *orNode) filter(r *run, sel, dst []uint16) ([]uint16, error) {
	rest := append(o.rest.of(len(sel)), sel...)
	o.rest.buf = rest
	sum := o.sum[0].of(len(sel))
	for k, arg := range o.args {
		hit, err := filter(arg, r, rest, o.hit.of(len(sel)))
		if err != nil {
			return nil, err
		}
		o.hit.buf = hit
		next := &o.sum[(k+1)%2]
		sum = merge(sum, hit, next.of(len(sel)))
		next.buf = sum
		rest = minus(rest, hit, rest[:0])
		if len(rest) == 0 {
			break
		}
	}
	return append(dst, sum...), nil
}

// evalLogic computes AND (decisive false) and OR (decisive true) by
// three-valued logic.
func evalLogic(r *run, sel []uint16, args []node, o result, buf *slots, decisive bool) (*vec.Vec, error) {
	out := o.make(r)
	for _, i := range sel {
		out.Bools[i] = !decisive
	}
	rest := append(buf.of(len(sel)), sel...)
	buf.buf = rest
	for _, a := range args {
		if len(rest) == 0 {
			break
		}
		v, err := a.eval(r, rest)
		if err != nil {
			return nil, err
		}
		keep := rest[:0]
		for _, i := range rest {
			switch {
			case v.Nulls.Get(int(i)):
				out.Nulls.Set(int(i))
				keep = append(keep, i)
			case v.Bools[i] == decisive:
				out.Bools[i] = decisive
				out.Nulls.Clear(int(i))
			default:
				keep = append(keep, i)
			}
		}
		rest = keep
	}
	return out, nil
}

type notNode struct {
	x   node
	out result
}

func (n *notNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	v, err := n.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	out := n.out.make(r)
	out.Nulls.CopyFrom(&v.Nulls, r.n)
	for _, i := range sel {
		out.Bools[i] = !v.Bools[i]
	}
	return out, nil
}

func (n *notNode) filter(r *run, sel, dst []uint16) ([]uint16, error) {
	v, err := n.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	for _, i := range sel {
		if !v.Bools[i] && !v.Nulls.Get(int(i)) {
			dst = append(dst, i)
		}
	}
	return dst, nil
}

type isNullNode struct {
	x   node
	out result
}

func (n *isNullNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	v, err := n.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	out := n.out.make(r)
	for _, i := range sel {
		out.Bools[i] = v.Nulls.Get(int(i))
	}
	return out, nil
}

func (n *isNullNode) filter(r *run, sel, dst []uint16) ([]uint16, error) {
	v, err := n.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	for _, i := range sel {
		if v.Nulls.Get(int(i)) {
			dst = append(dst, i)
		}
	}
	return dst, nil
}

// isDistinctNode is IS DISTINCT FROM: NULLs are equal to each other.
type isDistinctNode struct {
	x, y node
	eq   *expr.Func
	out  result
	tmp  result
	vals [2]*vec.Vec
	sel  slots
}

func (n *isDistinctNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	x, err := n.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	y, err := n.y.eval(r, sel)
	if err != nil {
		return nil, err
	}
	out := n.out.make(r)
	both := n.sel.of(len(sel))
	for _, i := range sel {
		xn, yn := x.Nulls.Get(int(i)), y.Nulls.Get(int(i))
		if !xn && !yn {
			both = append(both, i)
		} else {
			out.Bools[i] = xn != yn
		}
	}
	n.sel.buf = both
	tmp := n.tmp.make(r)
	n.vals = [2]*vec.Vec{x, y}
	if err := n.eq.Kernel(r.env, both, n.vals[:], tmp); err != nil {
		return nil, err
	}
	for _, i := range both {
		out.Bools[i] = !tmp.Bools[i]
	}
	return out, nil
}
