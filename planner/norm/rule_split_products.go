package norm

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// splitProducts looks for a match in each factor of a product by itself, where a join only asks
// whether there is one:
//
//	a SEMI (b, c) ON b.x = a.x AND c.y = a.y    (a SEMI b ON b.x = a.x) SEMI c ON c.y = a.y
//	a ANTI (b, c) ON b.x = a.x AND c.y = a.y    those of (a MARK b ON …) MARK c ON … that lack a mark
//
// A row of the product matches where each factor has one that does, so that the product, which
// may be of any size, is never made. Not a join whose match may be unknown (Cond), nor what is
// volatile.
func splitProducts(z *normalizer, n logical.Node) logical.Node {
	n = logical.MapInputs(n, func(in logical.Node) logical.Node { return splitProducts(z, in) })
	j, ok := n.(*logical.Join)
	if !ok || j.Kind != plan.Semi && j.Kind != plan.Anti && j.Kind != plan.Mark {
		return n
	}
	if j.Apply || j.Cond != nil || logical.VolatileExpr(j.On) || logical.Volatile(j.Right) {
		return n
	}
	factors := z.factors(j)
	if len(factors) < 2 {
		return n
	}
	kind := plan.Mark
	if j.Kind == plan.Semi {
		kind = plan.Semi
	}
	var marks []expr.Expr
	out := j.Left
	for _, f := range factors {
		one := &logical.Join{Kind: kind, Left: out, Right: f.node, On: logical.AndAll(f.on)}
		if kind == plan.Mark {
			one.Mark = z.meta.Add(logical.Column{Name: "exists", Type: types.Of(types.Bool)})
			marks = append(marks, z.meta.Ref(one.Mark))
		}
		out = one
	}
	all, cols := logical.AndAll(marks), j.Left.Out()
	p := &logical.Project{Input: out, Exprs: z.meta.Refs(cols), Cols: cols}
	switch j.Kind {
	case plan.Anti:
		p.Input = &logical.Select{Input: out, Cond: &expr.Not{X: all}}
		return p
	case plan.Mark:
		p.Exprs, p.Cols = append(p.Exprs, all), j.Out()
		return p
	}
	return out
}

// factor is a part of a product that no condition joins with the others.
type factor struct {
	node logical.Node
	on   []expr.Expr // of the join with the left side
}

// factors takes a join's right side apart. A condition that names no column of it is the first
// factor's.
func (z *normalizer) factors(j *logical.Join) []factor {
	leaves, within := z.leavesOf(j.Right, z.facts.ColsOf(j.On))
	on := logical.Conjuncts(j.On)
	of := make([]int, len(leaves)) // by leaf: the first leaf of its factor
	for i := range of {
		of[i] = i
	}
	// join makes one factor of those whose columns a condition names, and gives its first leaf.
	join := func(c expr.Expr) int {
		cols, to := z.facts.ColsOf(c), -1
		for i, leaf := range leaves {
			if !cols.Intersects(z.facts.Of(leaf).Out) {
				continue
			}
			if to < 0 {
				to = of[i]
			}
			low, high := min(to, of[i]), max(to, of[i])
			for k := range of {
				if of[k] == high {
					of[k] = low
				}
			}
			to = low
		}
		return max(to, 0)
	}
	for _, c := range within {
		join(c)
	}
	for _, c := range on {
		join(c)
	}
	list := make([]factor, len(leaves))
	for i, leaf := range leaves {
		if f := &list[of[i]]; f.node == nil {
			f.node = leaf
		} else {
			f.node = &logical.Join{Kind: plan.Inner, Left: f.node, Right: leaf}
		}
	}
	for _, c := range within {
		f := &list[join(c)]
		f.node = &logical.Select{Input: f.node, Cond: c}
	}
	for _, c := range on {
		f := &list[join(c)]
		f.on = append(f.on, c)
	}
	return slices.DeleteFunc(list, func(f factor) bool { return f.node == nil })
}

// leavesOf gives the relations that inner joins have made n of, and the conditions among them. used are the
// columns that are asked of it.
func (z *normalizer) leavesOf(n logical.Node, used logical.ColSet) (leaves []logical.Node, conds []expr.Expr) {
	switch m := n.(type) {
	case *logical.Select:
		if !z.isGuard(m.Cond) {
			leaves, conds = z.leavesOf(m.Input, used.Union(z.facts.ColsOf(m.Cond)))
			return leaves, append(conds, logical.Conjuncts(m.Cond)...)
		}
	case *logical.Project:
		if computed := z.facts.Of(n).Out.Minus(z.facts.Of(m.Input).Out); !computed.Intersects(used) {
			return z.leavesOf(m.Input, used)
		}
	case *logical.Join:
		if m.Kind == plan.Inner && !m.Apply {
			used = used.Union(z.facts.ColsOf(m.On))
			leaves, conds = z.leavesOf(m.Left, used)
			right, more := z.leavesOf(m.Right, used)
			return append(leaves, right...), slices.Concat(conds, more, logical.Conjuncts(m.On))
		}
	}
	return []logical.Node{n}, nil
}
