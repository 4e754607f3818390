package eval

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

// cmpNode is a comparison of two vectors.
type cmpNode struct {
	op    expr.CmpOp
	class expr.CmpClass
	x, y  node
	out   result
	vals  [2]*vec.Vec
	sel   slots
}

// cmpConstNode compares a vector with one value, without a vector of copies.
type cmpConstNode struct {
	op   expr.CmpOp
	x    node
	y    scalar
	cls  expr.CmpClass
	time timeBound // not nil: what x is compared with is made of y
	t    types.T   // of x
	out  result
	hit  slots
}

func (z *compiler) compileCompare(e *expr.Call) (node, error) {
	args, err := z.compileAll(e.Args)
	if err != nil {
		return nil, err
	}
	op, class := e.Fn.Cmp, e.Fn.Class
	if class <= expr.ClassDatum && !(class == expr.ClassDatum && e.Args[0].Type().Phys() == types.PhysArray) {
		if y, ok := args[1].(scalar); ok {
			return &cmpConstNode{op: op, cls: class, x: args[0], y: y, t: e.Args[0].Type(), out: newResult(tBool)}, nil
		}
		if x, ok := args[0].(scalar); ok {
			return &cmpConstNode{op: op.Swapped(), cls: class, x: args[1], y: x, t: e.Args[1].Type(), out: newResult(tBool)}, nil
		}
	}
	if y, ok := args[1].(scalar); ok && timeBounds[class] != nil {
		return &cmpConstNode{op: op, cls: expr.ClassInt, time: timeBounds[class], x: args[0], y: y, t: e.Args[0].Type(), out: newResult(tBool)}, nil
	}
	if x, ok := args[0].(scalar); ok && timeBounds[swappedTimes[class]] != nil {
		return &cmpConstNode{op: op.Swapped(), cls: expr.ClassInt, time: timeBounds[swappedTimes[class]], x: args[1], y: x, t: e.Args[1].Type(), out: newResult(tBool)}, nil
	}
	return &cmpNode{op: op, class: class, x: args[0], y: args[1], out: newResult(tBool)}, nil
}

// timeBound turns a comparison with a value of another type into one with a value of the
// vector's own: days or µs.
type timeBound func(op expr.CmpOp, v int64) (expr.CmpOp, int64)

var (
	timeBounds   = map[expr.CmpClass]timeBound{expr.ClassDateTS: dayBound, expr.ClassTSDate: midnightBound}
	swappedTimes = map[expr.CmpClass]expr.CmpClass{expr.ClassDateTS: expr.ClassTSDate, expr.ClassTSDate: expr.ClassDateTS}
)

// dayBound is for days: of a timestamp within a day, the day is below.
func dayBound(op expr.CmpOp, ts int64) (expr.CmpOp, int64) {
	day := datetime.TimestampToDate(ts)
	if datetime.IsInf(ts) || day*datetime.MicrosPerDay == ts {
		return op, day
	}
	switch op {
	case expr.CmpLT:
		return expr.CmpLE, day
	case expr.CmpGE:
		return expr.CmpGT, day
	case expr.CmpEQ:
		return expr.CmpLT, math.MinInt64 // no day
	case expr.CmpNE:
		return expr.CmpGE, math.MinInt64
	}
	return op, day
}

// midnightBound is for timestamps: a day beyond their range is above all but infinity.
func midnightBound(op expr.CmpOp, day int64) (expr.CmpOp, int64) {
	ts, ok := midnight(day)
	if !ok {
		ts = datetime.PosInfinity - 1
	}
	return op, ts
}

func (c *cmpNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	x, err := c.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	y, err := c.y.eval(r, sel)
	if err != nil {
		return nil, err
	}
	out := c.out.make(r)
	c.vals = [2]*vec.Vec{x, y}
	sel = notNull(sel, c.vals[:], out, &c.sel)
	CompareSlots(r.env, c.op, c.class, sel, x, y, out.Bools)
	return out, nil
}

func (c *cmpNode) filter(r *run, sel, dst []uint16) ([]uint16, error) {
	v, err := c.eval(r, sel)
	if err != nil {
		return nil, err
	}
	return trueSlots(v, sel, dst), nil
}

func (c *cmpConstNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	x, op, d, err := c.operands(r, sel)
	if err != nil {
		return nil, err
	}
	out := c.out.make(r)
	if d.Null {
		for _, i := range sel {
			out.Nulls.Set(int(i))
		}
		return out, nil
	}
	for _, i := range sel {
		out.Bools[i] = false
	}
	hit := compareConst(c.cls, op, c.t, x, d, sel, c.hit.of(len(sel)))
	c.hit.buf = hit
	for _, i := range hit {
		out.Bools[i] = true
	}
	out.Nulls.CopyFrom(&x.Nulls, r.n)
	return out, nil
}

func (c *cmpConstNode) operands(r *run, sel []uint16) (*vec.Vec, expr.CmpOp, types.Datum, error) {
	x, err := c.x.eval(r, sel)
	if err != nil {
		return nil, c.op, types.NullDatum, err
	}
	op := c.op
	d, err := c.y.value(r)
	if err == nil && c.time != nil && !d.Null {
		op, d.Int = c.time(op, d.Int)
	}
	return x, op, d, err
}

func (c *cmpConstNode) filter(r *run, sel, dst []uint16) ([]uint16, error) {
	x, op, d, err := c.operands(r, sel)
	if err != nil || d.Null {
		return dst, err
	}
	n := len(dst)
	dst = compareConst(c.cls, op, c.t, x, d, sel, dst)
	if x.Nulls.Any() {
		kept := dst[:n]
		for _, i := range dst[n:] {
			if !x.Nulls.Get(int(i)) {
				kept = append(kept, i)
			}
		}
		dst = kept
	}
	return dst, nil
}

// compareConst appends the slots where x op d; NULL slots give anything.
func compareConst(class expr.CmpClass, op expr.CmpOp, t types.T, x *vec.Vec, d types.Datum, sel, dst []uint16) []uint16 {
	switch {
	case class == expr.ClassInt:
		return filterOrdered(op, x.Ints, d.Int, sel, dst)
	case class == expr.ClassFloat && !math.IsNaN(d.Float):
		return filterFloat(op, x.Floats, d.Float, sel, dst)
	case class == expr.ClassBytes:
		return filterBytes(op, x.Bytes, d.Bytes, sel, dst)
	case t.Kind == types.Numeric:
		for _, i := range sel {
			if !x.Nulls.Get(int(i)) && op.Test(numeric.Cmp(&x.Decimals[i], d.Decimal)) {
				dst = append(dst, i)
			}
		}
		return dst
	}
	for _, i := range sel {
		if !x.Nulls.Get(int(i)) && op.Test(types.Compare(t, x.Datum(int(i)), d)) {
			dst = append(dst, i)
		}
	}
	return dst
}

// filterOrdered writes a slot first and decides then whether to keep it, so that
// the loop has no branch to mispredict.
func filterOrdered[E cmp.Ordered](op expr.CmpOp, a []E, c E, sel, dst []uint16) []uint16 {
	n := len(dst)
	dst = slices.Grow(dst, len(sel))
	out := dst[n : n+len(sel)]
	k := 0
	switch op {
	case expr.CmpEQ:
		for _, i := range sel {
			out[k] = i
			k += vec.Bit(a[i] == c)
		}
	case expr.CmpNE:
		for _, i := range sel {
			out[k] = i
			k += vec.Bit(a[i] != c)
		}
	case expr.CmpLT:
		for _, i := range sel {
			out[k] = i
			k += vec.Bit(a[i] < c)
		}
	case expr.CmpLE:
		for _, i := range sel {
			out[k] = i
			k += vec.Bit(a[i] <= c)
		}
	case expr.CmpGT:
		for _, i := range sel {
			out[k] = i
			k += vec.Bit(a[i] > c)
		}
	default:
		for _, i := range sel {
			out[k] = i
			k += vec.Bit(a[i] >= c)
		}
	}
	return dst[:n+k]
}

// filterFloat is filterOrdered for a c that is not NaN; NaN is greater than it.
func filterFloat(op expr.CmpOp, a []float64, c float64, sel, dst []uint16) []uint16 {
	if op != expr.CmpGT && op != expr.CmpGE {
		return filterOrdered(op, a, c, sel, dst)
	}
	n := len(dst)
	dst = slices.Grow(dst, len(sel))
	out := dst[n : n+len(sel)]
	k := 0
	if op == expr.CmpGT {
		for _, i := range sel {
			out[k] = i
			k += vec.Bit(!(a[i] <= c))
		}
	} else {
		for _, i := range sel {
			out[k] = i
			k += vec.Bit(!(a[i] < c))
		}
	}
	return dst[:n+k]
}

func filterBytes(op expr.CmpOp, a [][]byte, c []byte, sel, dst []uint16) []uint16 {
	switch op {
	case expr.CmpEQ:
		for _, i := range sel {
			if bytes.Equal(a[i], c) {
				dst = append(dst, i)
			}
		}
	default:
		for _, i := range sel {
			if op.Test(bytes.Compare(a[i], c)) {
				dst = append(dst, i)
			}
		}
	}
	return dst
}
