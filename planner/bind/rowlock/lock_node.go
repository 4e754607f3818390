package rowlock

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// lockNode makes the Lock over all that a query gives before its select list. Tables give
// their keys and versions, which projections on the way pass on with all of the table.
func (k *Locks) lockNode(m *logical.Meta, named map[int]logical.Node, input logical.Node) *logical.Lock {
	w := keyed{meta: m, tables: k.tables, of: map[*logical.Get]*logical.Get{}}
	input = w.node(input)
	lock := &logical.Lock{Plan: &plan.Lock{Tables: make([]plan.LockTable, len(k.tables))}, Input: input}
	at := map[logical.ColumnID]int{}
	add := func(ids []logical.ColumnID) {
		for _, id := range ids {
			if _, ok := at[id]; !ok {
				at[id] = len(lock.Cols)
				lock.Cols = append(lock.Cols, id)
			}
		}
	}
	for i, t := range k.tables {
		lock.Plan.Tables[i] = plan.LockTable{Table: t.get.Table, At: len(lock.Cols), NoWait: t.noWait, SkipLocked: t.skipLocked}
		add(w.of[t.get].Out())
	}
	add(input.Out())
	again, rest := splitLocked(m, named, input, at)
	lock.Plan.Cond = expr.MapCols(again, func(c *expr.Col) expr.Expr {
		moved := *c
		moved.Index = at[c.Index]
		return &moved
	})
	for i, t := range k.tables {
		for j, id := range t.get.Cols {
			if rest.Has(id) {
				lock.Plan.Tables[i].Fixed = append(lock.Plan.Tables[i].Fixed, j)
			}
		}
	}
	return lock
}

// keyed copies a tree, down to the tables that are locked, which give their keys.
type keyed struct {
	meta   *logical.Meta
	tables []lockedTable
	of     map[*logical.Get]*logical.Get
}

func (w *keyed) node(n logical.Node) logical.Node {
	if get, ok := n.(*logical.Get); ok {
		if !slices.ContainsFunc(w.tables, func(t lockedTable) bool { return t.get == get }) {
			return n
		}
		c := *get
		c.WithKey, c.ForUpdate = true, true
		c.Key = w.meta.Add(logical.Column{Name: plan.RowKeyColumn, Type: types.Of(types.Bytea)})
		c.Version = w.meta.Add(logical.Column{Name: plan.VersionColumn, Type: types.Of(types.Int8)})
		w.of[get] = &c
		return &c
	}
	ins := slices.Clone(n.Inputs())
	for i, in := range ins {
		ins[i] = w.node(in)
	}
	n = logical.WithInputs(n, ins)
	p, ok := n.(*logical.Project)
	if !ok {
		return n
	}
	given := map[logical.ColumnID]bool{}
	for _, id := range p.Input.Out() {
		given[id] = true
	}
	c := &logical.Project{Input: p.Input, Exprs: slices.Clone(p.Exprs), Cols: slices.Clone(p.Cols)}
	for _, t := range w.tables {
		get := w.of[t.get]
		if get == nil {
			continue // it stands elsewhere
		}
		for _, id := range get.Out() {
			if given[id] && !slices.Contains(p.Cols, id) {
				c.Exprs, c.Cols = append(c.Exprs, w.meta.Ref(id)), append(c.Cols, id)
			}
		}
	}
	return c
}

// splitLocked gives the conditions under which rows are given, as far as they can be asked
// again of columns that are in at, and the columns that all else depends on.
func splitLocked(m *logical.Meta, named map[int]logical.Node, n logical.Node, at map[logical.ColumnID]int) (again expr.Expr, rest logical.ColSet) {
	var conds []expr.Expr
	facts := logical.NewFacts(m).Naming(named)
	ask := func(e expr.Expr) {
		for _, x := range logical.Conjuncts(e) {
			known := !logical.HoldsQuery(x) && !logical.VolatileExpr(x)
			for _, id := range expr.Cols(x) {
				_, here := at[id]
				known = known && here
			}
			if known {
				conds = append(conds, x)
			} else {
				facts.ExprCols(&rest, x)
			}
		}
	}
	var walk func(n logical.Node, inner bool)
	walk = func(n logical.Node, inner bool) {
		switch n := n.(type) {
		case *logical.Sort: // rows that have changed keep their place
		case *logical.Select:
			if inner {
				ask(n.Cond)
			} else {
				facts.ExprCols(&rest, n.Cond)
			}
		case *logical.Project:
			for i, e := range n.Exprs {
				if c, ok := e.(*expr.Col); !ok || c.Index != n.Cols[i] {
					facts.ExprCols(&rest, e)
				}
			}
		case *logical.Join:
			left := inner && n.Kind != plan.Full
			if inner = inner && n.Kind == plan.Inner; inner {
				ask(n.On)
			} else {
				facts.ExprCols(&rest, n.On)
			}
			walk(n.Left, left)
			walk(n.Right, inner)
			return
		default:
			inner = false
			logical.MapExprs(n, func(e expr.Expr) expr.Expr {
				facts.ExprCols(&rest, e)
				return e
			})
		}
		for _, in := range n.Inputs() {
			walk(in, inner)
		}
	}
	walk(logical.Inline(n, named), true)
	return logical.AndAll(conds), rest
}
