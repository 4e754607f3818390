package planner

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// reduceProbe lets the side that a hash join keeps narrow what is read of the other: the
// values of a key, while they are few, become points or spans of a table below the side
// that is read second, and take the place of its condition on the key.
//
//	big JOIN few ON big.key = few.x      reads the rows of big that few names
//	big WHERE key IN (SELECT …)          the same
//
// Only where a row without a match is given to nobody, and for values of exactly the key
// column's type. It looks through projections, filters and the sides of joins that give
// their rows as they are. Not a table that is read by full keys already.
func reduceProbe(ctx *Context, n plan.Node) plan.Node {
	j, ok := n.(*plan.HashJoin)
	if !ok || ctx.newParam == nil || !dropsProbe(j) {
		return nil
	}
	probe := j.Left
	if j.BuildLeft {
		probe = j.Right
	}
	out := *j
	for i, k := range j.Keys {
		if k.NullsEqual || k.Unknown {
			continue
		}
		e, t := k.Left, types.ArrayOf(k.Right.Type().Base())
		if j.BuildLeft {
			e, t = k.Right, types.ArrayOf(k.Left.Type().Base())
		}
		if t.ArrayOID() == 0 {
			continue
		}
		r := reduction{ctx: ctx, array: t}
		if m := r.narrow(probe, e); m != nil {
			probe = m
			out.Reduce = append(slices.Clip(out.Reduce), plan.KeyReduction{Key: i, Param: r.param, Max: maxReduced})
			break
		}
	}
	if len(out.Reduce) == len(j.Reduce) {
		return nil
	}
	if j.BuildLeft {
		out.Right = probe
	} else {
		out.Left = probe
	}
	return &out
}

// maxReduced is up to how many values are passed on.
const maxReduced = 10000

// dropsProbe says that a row of the side read second is given only with a match.
func dropsProbe(j *plan.HashJoin) bool {
	switch j.Kind {
	case plan.Inner, plan.Semi:
		return true
	case plan.Left, plan.Anti:
		return j.BuildLeft
	case plan.Right:
		return !j.BuildLeft
	}
	return false
}

// reduction is one key on its way to a scan.
type reduction struct {
	ctx   *Context
	array types.T
	param int
}

// narrow gives n reading no more than the rows for which e, over its columns, is one of
// the values; nil where no scan can tell.
func (r *reduction) narrow(n plan.Node, e expr.Expr) plan.Node {
	switch n := n.(type) {
	case *plan.Project:
		if slices.ContainsFunc(n.Exprs, expr.Volatile) {
			return nil
		}
		by := func(c *expr.Col) expr.Expr { return n.Exprs[c.Index] }
		if expr.Copies(e, by) {
			return nil
		}
		if in := r.narrow(n.Input, expr.MapCols(e, by)); in != nil {
			return &plan.Project{Input: in, Exprs: n.Exprs, Cols: n.Cols}
		}
	case *plan.Filter:
		if expr.Volatile(n.Cond) {
			return nil
		}
		if _, ok := walk.ScanUnder(n.Input); ok {
			return r.scan(n.Input, walk.Conjuncts(n.Cond), e)
		}
		if in := r.narrow(n.Input, e); in != nil {
			return &plan.Filter{Input: in, Cond: n.Cond}
		}
	case *plan.Scan, *plan.SaltGather:
		return r.scan(n, nil, e)
	case *plan.HashJoin, *plan.NestedLoop, *plan.LookupJoin, *plan.Apply:
		return r.join(n, e)
	}
	return nil
}

// join looks at the side of a join that e is about.
func (r *reduction) join(n plan.Node, e expr.Expr) plan.Node {
	ins := n.Inputs()
	left := true
	width := plan.Width(ins[0])
	for _, c := range expr.Cols(e) {
		left = left && c < width
	}
	if j := plan.AsJoin(n); left && j.Kind != plan.Right && j.Kind != plan.Full { // it gives nothing for a left row that is not there
		if in := r.narrow(ins[0], e); in != nil {
			ins = slices.Clone(ins)
			ins[0] = in
			return walk.WithInputs(n, ins)
		}
		return nil
	}
	h, ok := n.(*plan.HashJoin)
	if left || !ok || h.Kind != plan.Inner {
		return nil
	}
	for _, c := range expr.Cols(e) {
		if c < width {
			return nil
		}
	}
	moved := expr.MapCols(e, func(c *expr.Col) expr.Expr {
		m := *c
		m.Index -= width
		return &m
	})
	if in := r.narrow(h.Right, moved); in != nil {
		return walk.WithInputs(n, []plan.Node{h.Left, in})
	}
	return nil
}

// scan constrains a scan by conds, and beside them by the values.
func (r *reduction) scan(n plan.Node, conds []expr.Expr, e expr.Expr) plan.Node {
	s, _ := walk.ScanUnder(n)
	reader := keycond.Reader{Scan: s}
	col, ok := reader.Column(e)
	if !ok || s.Key != nil || s.Filter != nil || s.Reduced != nil || s.Sample != nil || s.WithKey || s.ForUpdate ||
		col.Type.Base() != r.array.ElemType().Base() && !(keycond.IsText(col.Type.Kind) && keycond.IsText(r.array.ElemType().Kind)) {
		return nil
	}
	plain := *s
	if len(conds) > 0 && !constrain(r.ctx, &plain, conds) {
		return nil // no row at all: left to the rules that see it
	}
	if full, _ := plain.Key.FullKey(len(s.Table.PrimaryKey)); full && plain.Key != nil {
		return nil
	}
	r.param = r.ctx.newParam()
	in, err := expr.MakeAnyAll("=", e, &expr.Param{N: r.param, T: r.array, Name: "the values of the other side"}, false, 0)
	if err != nil {
		return nil
	}
	narrow := *s
	if !constrain(r.ctx, &narrow, append(slices.Clone(conds), in)) || narrow.Key == nil {
		return nil
	}
	var covered []expr.Expr
	for _, c := range conds {
		if !expr.ContainsExpr(conjunctsOrNone(plain.Filter), c) {
			covered = append(covered, c)
		}
	}
	// What the plain scan's key says alone must be said by the narrowed one's as well.
	for _, c := range conjunctsOrNone(narrow.Filter) {
		if expr.Equal(c, in) {
			return nil // the values do not reach the spans
		}
		if expr.ContainsExpr(covered, c) {
			return nil
		}
	}
	plain.Reduced = &plan.ReducedKey{Param: r.param, Key: narrow.Key, Recheck: walk.AndAll(append(covered, in))}
	return walk.WithScan(n, &plain)
}

func conjunctsOrNone(e expr.Expr) []expr.Expr {
	if e == nil {
		return nil
	}
	return walk.Conjuncts(e)
}
