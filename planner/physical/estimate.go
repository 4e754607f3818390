package physical

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// What is taken of what nothing is known of: the part of rows that a condition lets through,
// the groups among rows, and the rows of a relation that is computed.
const (
	partEqual    = 0.01
	partRange    = 0.2
	partOther    = 0.33
	partGroups   = 0.1
	rowsComputed = 100
	rowsVirtual  = 500
	rowsLookup   = 4 // those of a virtual relation that have one value
)

// estimate guesses the rows of a tree.
func (c *chooser) estimate(n logical.Node) float64 {
	if r, ok := c.rows[n]; ok {
		return r
	}
	r := c.guess(n)
	if c.facts.Of(n).AtMostOne() {
		r = min(r, 1)
	}
	c.rows[n] = r
	return r
}

func (c *chooser) guess(n logical.Node) float64 {
	if get, conds, ok := Table(n); ok {
		return max(c.o.Access.Scan(get, conds).Rows, 0.1)
	}
	switch n := n.(type) {
	case *logical.Virtual:
		return rowsVirtual
	case *logical.Values:
		return float64(len(n.Rows))
	case *logical.FuncScan:
		return rowsComputed
	case *logical.Select:
		r := c.estimate(n.Input)
		for _, cond := range logical.Conjuncts(n.Cond) {
			r *= partOf(cond)
		}
		return max(r, 0.1)
	case *logical.ProjectSet:
		return c.estimate(n.Input) * 10
	case *logical.GroupBy:
		if len(n.Groups) == 0 {
			return 1
		}
		return c.groups(n.Groups, n.Input)
	case *logical.DistinctOn:
		return c.groups(n.Exprs, n.Input)
	case *logical.Limit:
		r := c.estimate(n.Input)
		if n.Count != nil {
			if k, ok := constRows(n.Count); ok {
				r = min(r, k)
			}
		}
		return r
	case *logical.Union:
		r := 0.0
		for _, p := range n.Parts {
			r += c.estimate(p)
		}
		return r
	case *logical.SetOp:
		return c.estimate(n.Left) / 2
	case *logical.With:
		c.noteWith(n.ID, n.Query)
		return c.estimate(n.Body)
	case *logical.WithRef:
		if r, ok := c.withs[n.ID]; ok {
			return r
		}
		return rowsComputed
	case *logical.RecursiveUnion:
		return c.estimate(n.Start) * 10
	case *logical.Join:
		return c.joinRows(n)
	}
	if ins := n.Inputs(); len(ins) == 1 {
		return c.estimate(ins[0])
	}
	return rowsComputed
}

func (c *chooser) noteWith(id int, query logical.Node) {
	if c.withs == nil {
		c.withs = map[int]float64{}
	}
	c.withs[id] = c.estimate(query)
}

// groups guesses how many values expressions have together.
func (c *chooser) groups(exprs []expr.Expr, in logical.Node) float64 {
	rows := c.estimate(in)
	n := 1.0
	for _, e := range exprs {
		if col, ok := logical.CastFree(e).(*expr.Col); ok {
			n *= c.distinct(in, col.Index)
		} else {
			n *= max(rows*partGroups, 1)
		}
	}
	return max(min(n, rows), min(rows, 1))
}

// partOf guesses the part of rows that a condition lets through.
func partOf(cond expr.Expr) float64 {
	switch e := cond.(type) {
	case *expr.Call:
		switch e.Fn.Name {
		case "=":
			return partEqual
		case "<", "<=", ">", ">=":
			return partRange
		}
	case *expr.InList:
		return min(partEqual*float64(len(e.List)), 1)
	case *expr.Or:
		p := 0.0
		for _, a := range e.Args {
			p += partOf(a)
		}
		return min(p, 1)
	case *expr.And:
		p := 1.0
		for _, a := range e.Args {
			p *= partOf(a)
		}
		return p
	case *expr.Not:
		return 1 - min(partOf(e.X), 0.9)
	case *expr.IsNull:
		return 0.1
	}
	return partOther
}

// distinct guesses how many values a column has in a tree.
func (c *chooser) distinct(n logical.Node, id logical.ColumnID) float64 {
	rows := c.estimate(n)
	if c.facts.Of(n).UniqueBy(logical.SetOf(id)) {
		return max(rows, 1)
	}
	if get := c.source(n, id); get != nil {
		return max(min(c.o.Access.Distinct(get, id), rows), 1)
	}
	return max(rows*partGroups, 1)
}

// source finds the table that gives a column.
func (c *chooser) source(n logical.Node, id logical.ColumnID) *logical.Get {
	for {
		if g, ok := n.(*logical.Get); ok {
			return g
		}
		var next logical.Node
		for _, in := range n.Inputs() {
			if c.facts.Of(in).Out.Has(id) {
				next = in
			}
		}
		if next == nil {
			return nil
		}
		n = next
	}
}

// joinRows guesses the rows of a join.
func (c *chooser) joinRows(n *logical.Join) float64 {
	l, r := c.estimate(n.Left), c.estimate(n.Right)
	inner := l * r * c.selectivity(n.Left, n.Right, append(logical.Conjuncts(n.On), logical.Conjuncts(n.Cond)...))
	return rowsOf(n.Kind, l, r, inner)
}

// rowsOf turns the rows of an inner join into those of its kind.
func rowsOf(k plan.JoinKind, l, r, inner float64) float64 {
	switch k {
	case plan.Left:
		return max(inner, l)
	case plan.Right:
		return max(inner, r)
	case plan.Full:
		return max(inner, l+r)
	case plan.Semi:
		return max(min(inner, l)*0.9, 0.1)
	case plan.Anti:
		return max(l-min(inner, l), l*0.1)
	case plan.Mark, plan.Single:
		return l
	}
	return max(inner, 0.1)
}

// selectivity is the part of all pairs that conditions let through.
func (c *chooser) selectivity(left, right logical.Node, conds []expr.Expr) float64 {
	part, keys := 1.0, 1.0
	lp, rp := c.facts.Of(left), c.facts.Of(right)
	var lcols, rcols logical.ColSet
	for _, cond := range conds {
		x, y, _, ok := logical.Equality(cond)
		if !ok {
			part *= partOf(cond)
			continue
		}
		xc, okX := logical.CastFree(x).(*expr.Col)
		yc, okY := logical.CastFree(y).(*expr.Col)
		if okX && okY && lp.Out.Has(yc.Index) && rp.Out.Has(xc.Index) {
			xc, yc = yc, xc
		}
		if !okX || !okY || !lp.Out.Has(xc.Index) || !rp.Out.Has(yc.Index) {
			part *= partEqual
			continue
		}
		lcols.Add(xc.Index)
		rcols.Add(yc.Index)
		keys /= max(c.distinct(left, xc.Index), c.distinct(right, yc.Index))
	}
	// Where a key is bound, one row of its side matches at most, however the columns of
	// the key depend on each other.
	if !rcols.Empty() {
		unique := 0.0
		if rp.UniqueBy(rcols) {
			unique = c.base(right)
		}
		if lp.UniqueBy(lcols) {
			unique = max(unique, c.base(left))
		}
		if unique > 0 {
			keys = 1 / max(unique, 1)
		}
	}
	return part * keys
}

// base is how many rows a side has before its conditions.
func (c *chooser) base(n logical.Node) float64 {
	if get, _, ok := Table(n); ok {
		return c.o.Access.Rows(get)
	}
	return c.estimate(n)
}
