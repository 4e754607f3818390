package expr

import (
	"fmt"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

func missingParam(n int) error {
	return sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%d", n)
}

// compile makes the node for e. What has no column and is not volatile is
// evaluated once per batch.
func compile(e Expr) (node, error) {
	n, err := compileNode(e)
	if err != nil {
		return nil, err
	}
	switch n.(type) {
	case *colNode, scalar:
		return n, nil
	}
	if IsConst(e) {
		return &onceNode{x: n, out: vec.New(e.Type())}, nil
	}
	return n, nil
}

func compileAll(es []Expr) ([]node, error) {
	out := make([]node, len(es))
	for i, e := range es {
		n, err := compile(e)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

func compileNode(e Expr) (node, error) {
	switch e := e.(type) {
	case *Col:
		return &colNode{index: e.Index}, nil
	case *Const:
		return &constNode{d: e.Value, out: vec.New(e.T)}, nil
	case *Param:
		return &constNode{param: e.N, out: vec.New(e.T)}, nil
	case *Call:
		return compileCall(e)
	case *Cast:
		return compileCast(e)
	case *And:
		args, err := compileAll(e.Args)
		return &andNode{args: args, out: newResult(tBool)}, err
	case *Or:
		args, err := compileAll(e.Args)
		return &orNode{args: args, out: newResult(tBool)}, err
	case *Not:
		x, err := compile(e.X)
		return &notNode{x: x, out: newResult(tBool)}, err
	case *IsNull:
		x, err := compile(e.X)
		return &isNullNode{x: x, out: newResult(tBool)}, err
	case *IsDistinct:
		args, err := compileAll([]Expr{e.X, e.Y})
		if err != nil {
			return nil, err
		}
		return &isDistinctNode{x: args[0], y: args[1], eq: e.Eq, out: newResult(tBool), tmp: newResult(tBool)}, nil
	case *Case:
		return compileCase(e)
	case *Coalesce:
		args, err := compileAll(e.Args)
		return &coalesceNode{args: args, out: newResult(e.T)}, err
	case *InList:
		return compileIn(e)
	case *AnyAll:
		return compileAnyAll(e)
	case *RowCmp:
		return compileRowCmp(e)
	case *MakeArray:
		elems, err := compileAll(e.Elems)
		return &arrayNode{elems: elems, t: e.T, out: newResult(e.T)}, err
	case *Subscript:
		args, err := compileAll([]Expr{e.X, e.I})
		if err != nil {
			return nil, err
		}
		return &subscriptNode{x: args[0], i: args[1], out: newResult(e.T)}, nil
	}
	return nil, sqlerr.Internal(fmt.Errorf("expr: cannot compile %T", e), "unrecognized node type")
}

func compileCall(e *Call) (node, error) {
	if e.Fn.cmp != cmpNone && len(e.Args) == 2 {
		return compileCompare(e)
	}
	k := e.Fn.kernel
	if k == nil {
		k = specialKernel(e.Fn)
	}
	if k == nil {
		return nil, sqlerr.Internal(fmt.Errorf("expr: %s has no kernel", e.Fn.Name), "function cannot be evaluated")
	}
	args, err := compileAll(e.Args)
	if err != nil {
		return nil, err
	}
	if e.Fn.prepare != nil {
		if k, err = e.Fn.prepare(e.Args); err != nil {
			return nil, err
		}
	}
	return &callNode{fn: e.Fn, kernel: k, need: needOf(e.Fn, typesOf(e.Args)), args: args, vals: make([]*vec.Vec, len(args)), out: newResult(e.T)}, nil
}

// callNode applies a function.
type callNode struct {
	fn     *Func
	kernel kernel
	need   need
	args   []node
	vals   []*vec.Vec
	out    result
	sel    slots
}

func (c *callNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	for i, a := range c.args {
		v, err := a.eval(r, sel)
		if err != nil {
			return nil, err
		}
		c.vals[i] = v
	}
	out := c.out.make(r)
	if c.fn.Strict {
		sel = notNull(sel, c.vals, out, &c.sel)
	}
	if len(sel) == 0 {
		return out, nil
	}
	if err := checkNeed(c.need, r.env, sel, c.vals); err != nil {
		return nil, err
	}
	return out, c.kernel(r.env, sel, c.vals, out)
}

// notNull marks out NULL where an argument is and gives the other slots.
func notNull(sel []uint16, args []*vec.Vec, out *vec.Vec, buf *slots) []uint16 {
	any := false
	for _, a := range args {
		any = any || a.Nulls.Any()
	}
	if !any {
		return sel
	}
	dst := buf.of(len(sel))
next:
	for _, i := range sel {
		for _, a := range args {
			if a.Nulls.Get(int(i)) {
				out.Nulls.Set(int(i))
				continue next
			}
		}
		dst = append(dst, i)
	}
	buf.buf = dst
	return dst
}

// castNode converts.
type castNode struct {
	x        node
	need     need
	kernel   kernel // nil: only the modifier or the name of the type changes
	to       types.T
	from     types.T
	explicit bool
	typmod   bool
	vals     [1]*vec.Vec
	out      result
	sel      slots
}

func compileCast(e *Cast) (node, error) {
	x, err := compile(e.X)
	if err != nil {
		return nil, err
	}
	from := e.X.Type()
	ctx := Assignment
	if e.Explicit {
		ctx = Explicit
	}
	var c *castFunc
	if from.Kind == types.Unknown {
		c, _ = ioCast(tUnk, e.To, Implicit)
		if e.To.IsString() {
			c = sameRepr
		}
	} else {
		var ok bool
		if c, ok = findCast(from, e.To, ctx); !ok {
			return nil, cannotCast(from, e.To, e.At)
		}
	}
	k := castKernel(c, from, e.To)
	if loses(from, e.To) {
		k = padKernel
	}
	return &castNode{x: x, kernel: k, need: castNeed(from, e.To), to: e.To, from: from, explicit: e.Explicit,
		typmod: e.To.Typmod() >= 0, out: newResult(e.To)}, nil
}

func (c *castNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	v, err := c.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	out := c.out.make(r)
	c.vals[0] = v
	sel = notNull(sel, c.vals[:], out, &c.sel)
	if c.kernel != nil {
		if err := checkNeed(c.need, r.env, sel, c.vals[:]); err != nil {
			return nil, err
		}
		if err := c.kernel(r.env, sel, c.vals[:], out); err != nil {
			return nil, err
		}
	} else {
		copySlots(out, v, sel)
	}
	if c.typmod {
		err = applyTypmod(out, sel, c.explicit)
	}
	return out, err
}

// copySlots copies values whose representation is the same; bytes are shared.
func copySlots(out, v *vec.Vec, sel []uint16) {
	switch out.Type.Phys() {
	case types.PhysBytes:
		for _, i := range sel {
			out.Bytes[i] = v.Bytes[i]
		}
	case types.PhysInt:
		for _, i := range sel {
			out.Ints[i] = v.Ints[i]
		}
	default:
		for _, i := range sel {
			out.Set(int(i), v.Datum(int(i)))
		}
	}
}

// applyTypmod holds values to the modifier of v's type, in place.
func applyTypmod(v *vec.Vec, sel []uint16, explicit bool) error {
	if v.Type.Phys() == types.PhysBytes {
		for _, i := range sel {
			b, err := types.CoerceLength(v.Type, v.Bytes[i], explicit)
			if err != nil {
				return err
			}
			v.Bytes[i] = b
		}
		return nil
	}
	for _, i := range sel {
		d, err := types.CoerceTypmod(v.Type, v.Datum(int(i)), explicit)
		if err != nil {
			return err
		}
		v.Set(int(i), d)
	}
	return nil
}
