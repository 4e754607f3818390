package eval

import (
	"fmt"
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

func missingParam(n int) error {
	return sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $%d", n)
}

// compiler makes nodes of one expression, children first.
type compiler struct {
	varying int  // how many of the nodes made so far have a value per row of their own
	grows   bool // one of them makes values whose size depends on more than their number
}

// compile makes the node for e. What has no column and is not volatile (expr.IsConst) is
// evaluated once per batch.
func (z *compiler) compile(e expr.Expr) (node, error) {
	before := z.varying
	n, err := z.compileNode(e)
	if err != nil {
		return nil, err
	}
	if _, col := e.(*expr.Col); col || expr.CallsVolatile(e) {
		z.varying++
	}
	switch n.(type) {
	case *colNode, scalar:
		return n, nil
	}
	if z.varying == before {
		return &onceNode{x: n, out: vec.New(e.Type())}, nil
	}
	switch e.(type) {
	case *expr.Call, *expr.Cast:
		phys := e.Type().Phys()
		z.grows = z.grows || phys == types.PhysBytes || phys == types.PhysArray
	}
	return n, nil
}

func (z *compiler) compileAll(es []expr.Expr) ([]node, error) {
	out := make([]node, len(es))
	for i, e := range es {
		n, err := z.compile(e)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

func (z *compiler) compileNode(e expr.Expr) (node, error) {
	switch e := e.(type) {
	case *expr.Col:
		return &colNode{index: e.Index}, nil
	case *expr.Const:
		return &constNode{d: e.Value, out: vec.New(e.T)}, nil
	case *expr.Param:
		return &constNode{param: e.N, out: vec.New(e.T)}, nil
	case *expr.Call:
		return z.compileCall(e)
	case *expr.Cast:
		return z.compileCast(e)
	case *expr.CoerceToDomain:
		return z.compileDomain(e)
	case *expr.And:
		args, err := z.compileAll(paramsFirst(e.Args))
		return &andNode{args: args, out: newResult(tBool)}, err
	case *expr.Or:
		args, err := z.compileAll(e.Args)
		return &orNode{args: args, out: newResult(tBool)}, err
	case *expr.Not:
		x, err := z.compile(e.X)
		return &notNode{x: x, out: newResult(tBool)}, err
	case *expr.IsNull:
		x, err := z.compile(e.X)
		return &isNullNode{x: x, out: newResult(tBool)}, err
	case *expr.IsDistinct:
		args, err := z.compileAll([]expr.Expr{e.X, e.Y})
		if err != nil {
			return nil, err
		}
		return &isDistinctNode{x: args[0], y: args[1], eq: e.Eq, out: newResult(tBool), tmp: newResult(tBool)}, nil
	case *expr.Case:
		return z.compileCase(e)
	case *expr.CaseOperand:
		return caseOperandNode{}, nil
	case *expr.Coalesce:
		args, err := z.compileAll(e.Args)
		return &coalesceNode{args: args, out: newResult(e.T)}, err
	case *expr.InList:
		return z.compileIn(e)
	case *expr.AnyAll:
		return z.compileAnyAll(e)
	case *expr.RowCmp:
		return z.compileRowCmp(e)
	case *expr.MakeArray:
		elems, err := z.compileAll(e.Elems)
		return &arrayNode{elems: elems, t: e.T, out: newResult(e.T)}, err
	case *expr.Subscript:
		args, err := z.compileAll([]expr.Expr{e.X, e.I})
		if err != nil {
			return nil, err
		}
		if e.X.Type().Kind == types.Name {
			return &nameByteNode{x: args[0], i: args[1], out: newResult(e.T)}, nil
		}
		return &subscriptNode{x: args[0], i: args[1], out: newResult(e.T)}, nil
	case *expr.Subscripts:
		return z.compileSubscripts(e)
	}
	return nil, sqlerr.Internal(fmt.Errorf("expr: cannot compile %T", e), "unrecognized node type")
}

func (z *compiler) compileCall(e *expr.Call) (node, error) {
	if e.Fn.Cmp != expr.CmpNone && len(e.Args) == 2 {
		return z.compileCompare(e)
	}
	k := e.Fn.Kernel
	if k == nil {
		k = specialKernel(e.Fn)
	}
	if k == nil {
		return nil, sqlerr.Internal(fmt.Errorf("expr: %s has no kernel", e.Fn.Name), "function cannot be evaluated")
	}
	args, err := z.compileAll(e.Args)
	if err != nil {
		return nil, err
	}
	if e.Fn.Prepare != nil {
		if k, err = e.Fn.Prepare(e.Args); err != nil {
			return nil, err
		}
	}
	return &callNode{fn: e.Fn, kernel: k, need: needOf(e.Fn, expr.TypesOf(e.Args)), args: args, vals: make([]*vec.Vec, len(args)), out: newResult(e.T)}, nil
}

// callNode applies a function.
type callNode struct {
	fn     *expr.Func
	kernel expr.Kernel
	need   expr.Need
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
	need     expr.Need
	kernel   expr.Kernel // nil: only the modifier or the name of the type changes
	to       types.T
	from     types.T
	explicit bool
	typmod   bool
	vals     [1]*vec.Vec
	out      result
	sel      slots
}

func (z *compiler) compileCast(e *expr.Cast) (node, error) {
	x, err := z.compile(e.X)
	if err != nil {
		return nil, err
	}
	from := e.X.Type()
	ctx := expr.Assignment
	if e.Explicit {
		ctx = expr.Explicit
	}
	var c *expr.CastFunc
	if from.Kind == types.Unknown {
		c, _ = expr.TextCast(tUnk, e.To, expr.Implicit)
		if e.To.IsString() {
			c = expr.SameRepr
		}
	} else {
		var ok bool
		if c, ok = expr.FindCast(from, e.To, ctx); !ok {
			return nil, expr.CannotCast(from, e.To, e.At)
		}
	}
	k := castKernel(c, from, e.To)
	if _, ok := e.X.(*expr.Const); ok && from.Kind == types.Unknown && k != nil {
		k = placed(k, e.At)
	}
	if expr.LosesLength(from, e.To) {
		if k = padKernel; from.Kind == types.Array {
			k = padElements
		}
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

// paramsFirst puts conditions that are parameters before the others: what decides whether
// something is asked for at all, whose other conditions may fail.
func paramsFirst(all []expr.Expr) []expr.Expr {
	isParam := func(e expr.Expr) bool { _, ok := e.(*expr.Param); return ok }
	if !slices.ContainsFunc(all, isParam) {
		return all
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b expr.Expr) int {
		switch x, y := isParam(a), isParam(b); {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	return sorted
}
