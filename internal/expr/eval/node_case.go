package eval

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// caseNode evaluates each arm only for the slots that reach it.
type caseNode struct {
	operand      node // nil where conditions do not need it
	conds, thens []node
	els          node // nil is NULL
	out          result
	rest, hit    slots
}

func (z *compiler) compileCase(e *expr.Case) (node, error) {
	c := &caseNode{out: newResult(e.T)}
	if e.Operand != nil {
		var err error
		if c.operand, err = z.compile(e.Operand); err != nil {
			return nil, err
		}
	}
	for _, w := range e.Whens {
		cond, err := z.compile(w.Cond)
		if err != nil {
			return nil, err
		}
		then, err := z.compile(w.Then)
		if err != nil {
			return nil, err
		}
		c.conds, c.thens = append(c.conds, cond), append(c.thens, then)
	}
	if e.Else != nil {
		els, err := z.compile(e.Else)
		if err != nil {
			return nil, err
		}
		c.els = els
	}
	return c, nil
}

func (c *caseNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	out := c.out.make(r)
	rest := append(c.rest.of(len(sel)), sel...)
	c.rest.buf = rest
	around := r.operand
	defer func() { r.operand = around }()
	of := around
	if c.operand != nil {
		var err error
		if of, err = c.operand.eval(r, sel); err != nil {
			return nil, err
		}
	}
	for k, cond := range c.conds {
		if len(rest) == 0 {
			return out, nil
		}
		r.operand = of
		hit, err := filter(cond, r, rest, c.hit.of(len(sel)))
		r.operand = around
		if err != nil {
			return nil, err
		}
		c.hit.buf = hit
		if len(hit) == 0 {
			continue
		}
		v, err := c.thens[k].eval(r, hit)
		if err != nil {
			return nil, err
		}
		take(out, v, hit)
		rest = minus(rest, hit, rest[:0])
	}
	if len(rest) == 0 {
		return out, nil
	}
	if c.els == nil {
		for _, i := range rest {
			out.Nulls.Set(int(i))
		}
		return out, nil
	}
	v, err := c.els.eval(r, rest)
	if err != nil {
		return nil, err
	}
	take(out, v, rest)
	return out, nil
}

// caseOperandNode gives the operand of the CASE around it.
type caseOperandNode struct{}

func (caseOperandNode) eval(r *run, _ []uint16) (*vec.Vec, error) {
	if r.operand == nil {
		return nil, sqlerr.Internal(nil, "the operand of a CASE outside of one")
	}
	return r.operand, nil
}

// take copies slots of v, NULLs included; bytes are shared.
func take(out, v *vec.Vec, sel []uint16) {
	for _, i := range sel {
		out.Set(int(i), v.Datum(int(i)))
	}
}

type coalesceNode struct {
	args []node
	out  result
	rest slots
	hit  slots
}

func (c *coalesceNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	out := c.out.make(r)
	rest := append(c.rest.of(len(sel)), sel...)
	c.rest.buf = rest
	for _, a := range c.args {
		if len(rest) == 0 {
			return out, nil
		}
		v, err := a.eval(r, rest)
		if err != nil {
			return nil, err
		}
		hit := c.hit.of(len(sel))
		keep := rest[:0]
		for _, i := range rest {
			if v.Nulls.Get(int(i)) {
				keep = append(keep, i)
			} else {
				hit = append(hit, i)
			}
		}
		c.hit.buf = hit
		take(out, v, hit)
		rest = keep
	}
	for _, i := range rest {
		out.Nulls.Set(int(i))
	}
	return out, nil
}

// arrayNode is ARRAY[…]; over elements that are arrays it adds a dimension.
type arrayNode struct {
	elems []node
	t     types.T
	out   result
}

func (a *arrayNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	vals := make([]*vec.Vec, len(a.elems))
	for k, e := range a.elems {
		v, err := e.eval(r, sel)
		if err != nil {
			return nil, err
		}
		vals[k] = v
	}
	out := a.out.make(r)
	for _, i := range sel {
		ds := make([]types.Datum, len(vals))
		nested := false
		for k, v := range vals {
			ds[k] = v.Datum(int(i)).Clone(v.Type)
			nested = nested || v.Type.Kind == types.Array
		}
		if !nested {
			out.Arrays[i] = types.NewArray(a.t.ElemType(), ds).Array
			continue
		}
		arr, err := joinArrays(a.t, ds)
		if err != nil {
			return nil, err
		}
		out.Arrays[i] = arr
	}
	return out, nil
}

// subscriptNode is x[i]; what is out of range is NULL. A subscript that leaves
// dimensions open is NULL too, as in Postgres.
type subscriptNode struct {
	x, i node
	out  result
}

func (s *subscriptNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	x, err := s.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	idx, err := s.i.eval(r, sel)
	if err != nil {
		return nil, err
	}
	out := s.out.make(r)
	for _, i := range sel {
		if x.Nulls.Get(int(i)) || idx.Nulls.Get(int(i)) {
			out.Nulls.Set(int(i))
			continue
		}
		a := x.Arrays[i]
		k := idx.Ints[i] - int64(a.Low)
		if len(a.Dims) != 1 || k < 1 || k > int64(len(a.Elems)) {
			out.Nulls.Set(int(i))
			continue
		}
		out.Set(int(i), a.Elems[k-1])
	}
	return out, nil
}

// nameByteNode is x[i] of a name, an array of 64 bytes from 0 on in PostgreSQL: those behind
// its text are zero, and those out of range NULL.
type nameByteNode struct {
	x, i node
	out  result
}

const nameBytes = 64

var zeroByte = []byte{0}

func (n *nameByteNode) eval(r *run, sel []uint16) (*vec.Vec, error) {
	x, err := n.x.eval(r, sel)
	if err != nil {
		return nil, err
	}
	idx, err := n.i.eval(r, sel)
	if err != nil {
		return nil, err
	}
	out := n.out.make(r)
	for _, i := range sel {
		k := int64(0)
		if !idx.Nulls.Get(int(i)) {
			k = idx.Ints[i]
		}
		if x.Nulls.Get(int(i)) || idx.Nulls.Get(int(i)) || k < 0 || k >= nameBytes {
			out.Nulls.Set(int(i))
			continue
		}
		text := x.Bytes[i]
		if k >= int64(len(text)) {
			text, k = zeroByte, 0
		}
		out.Set(int(i), types.Datum{Bytes: text[k : k+1]})
	}
	return out, nil
}
