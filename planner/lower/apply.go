package lower

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// applied is an Apply whose right side is being lowered.
type applied struct {
	left   *rel
	params []plan.ApplyParam
	of     map[logical.ColumnID]int // params by the column they pass
}

// param gives the parameter that passes a column on; ok is false where the left side does
// not give it.
func (a *applied) param(l *lowering, c *expr.Col) (expr.Expr, bool) {
	at, ok := a.left.position(c.Index)
	if !ok {
		return nil, false
	}
	i, known := a.of[c.Index]
	if !known {
		i = len(a.params)
		if a.of == nil {
			a.of = map[logical.ColumnID]int{}
		}
		a.of[c.Index] = i
		value := &expr.Col{Index: at, T: c.T, Name: l.name(c)}
		a.params = append(a.params, plan.ApplyParam{N: l.meta.NewParam(), Value: value})
	}
	return &expr.Param{N: a.params[i].N, T: c.T, Name: l.name(c), At: c.At}, true
}

// apply lowers the right side with the left side's columns as parameters. What compares
// the two sides stays a filter: nothing is gained by a table of a few rows.
func (l *lowering) apply(n *logical.Join, left *rel) *rel {
	a := &applied{left: left}
	l.applies = append(l.applies, a)
	right := l.node(n.Right)
	l.applies = l.applies[:len(l.applies)-1]
	m := l.match(n, left, right, false)
	node := &plan.Apply{Join: plan.Join{Kind: n.Kind, Left: left.node, Right: right.node, Match: m, MarkName: l.markName(n)}, Params: a.params, Volatile: logical.VolatileRuns(n.Right)}
	return &rel{node: node, cols: joined(n, left, right.cols)}
}
