package physical

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// Columns that inner joins equate one after another are equal, each to each: any two of
// them may join first.
//
//	c.nation = s.nation AND s.nation = n.nation      c.nation = n.nation too
//
// The conditions of such a class are complete then: where two sets of relations come
// together, each of which holds equal values, one of them says all.

// What is added to a group, for the search not to drown in it.
const (
	maxEqual   = 6  // columns of a class
	maxEquated = 20 // conditions in all
)

// equate adds the conditions that follow to a group of inner joins, and tells which class
// each is of.
func (c *chooser) equate(g *group) {
	var classes []*equals
	for _, o := range g.ops {
		x, y, ok := equalColumns(o)
		if !ok {
			continue
		}
		a, b := find(classes, x), find(classes, y)
		switch {
		case a == nil && b == nil:
			classes = append(classes, &equals{cols: []*expr.Col{x, y}, ops: []*op{o}})
		case a == nil:
			b.add(o, x)
		case b == nil || a == b:
			a.add(o, y)
		default:
			a.cols, a.ops = append(a.cols, b.cols...), append(append(a.ops, o), b.ops...)
			classes = slices.DeleteFunc(classes, func(e *equals) bool { return e == b })
		}
	}
	added := 0
	for i, e := range classes {
		n := len(e.cols)
		leaves, ok := e.leaves(g)
		if n < 3 || n > maxEqual || !ok || added+n*(n-1)/2-len(e.ops) > maxEquated {
			continue
		}
		var more []*op
		for k, x := range e.cols {
			for j := k + 1; ok && j < n; j++ {
				y := e.cols[j]
				if slices.ContainsFunc(e.ops, func(o *op) bool { return o.equates(x, y) }) {
					continue
				}
				eq, err := expr.ResolveOp("=", x, y, 0)
				if ok = err == nil; ok {
					more = append(more, &op{kind: plan.Inner, on: []expr.Expr{eq}, left: leaves[k], right: leaves[j]})
				}
			}
		}
		if !ok {
			continue
		}
		for _, o := range more {
			c.addOp(g, o)
		}
		added += len(more)
		for _, o := range append(e.ops, more...) {
			o.class = i + 1
		}
	}
}

// equals are columns that are equal, by ops.
type equals struct {
	cols []*expr.Col
	ops  []*op
}

func find(classes []*equals, x *expr.Col) *equals {
	for _, e := range classes {
		if slices.ContainsFunc(e.cols, func(c *expr.Col) bool { return c.Index == x.Index }) {
			return e
		}
	}
	return nil
}

// add adds a column, if it is not there, and why.
func (e *equals) add(o *op, x *expr.Col) {
	if find([]*equals{e}, x) == nil {
		e.cols = append(e.cols, x)
	}
	e.ops = append(e.ops, o)
}

// leaves gives the relations of the columns; false where two are of one, which no join
// compares.
func (e *equals) leaves(g *group) (of []set, ok bool) {
	var seen set
	for _, x := range e.cols {
		i := slices.IndexFunc(g.outs, func(out logical.ColSet) bool { return out.Has(x.Index) })
		if i < 0 || seen.has(1<<i) {
			return nil, false
		}
		seen |= 1 << i
		of = append(of, 1<<i)
	}
	return of, true
}

// equates says that o equates just these columns.
func (o *op) equates(x, y *expr.Col) bool {
	a, b, ok := equalColumns(o)
	return ok && (a.Index == x.Index && b.Index == y.Index || a.Index == y.Index && b.Index == x.Index)
}

// equalColumns gives the columns that a join equates as they are: of one type, of whose
// values those that are equal are the same.
func equalColumns(o *op) (x, y *expr.Col, ok bool) {
	if o.kind != plan.Inner || len(o.on) != 1 {
		return nil, nil, false
	}
	call, ok := o.on[0].(*expr.Call)
	if !ok || call.Fn.Name != "=" || len(call.Args) != 2 || call.Fn.Stable {
		return nil, nil, false
	}
	x, okX := call.Args[0].(*expr.Col)
	y, okY := call.Args[1].(*expr.Col)
	if !okX || !okY || x.T.Base() != y.T.Base() {
		return nil, nil, false
	}
	switch x.T.Kind {
	case types.Int2, types.Int4, types.Int8, types.Date, types.Timestamp, types.Timestamptz, types.Text, types.UUID, types.Bytea:
		return x, y, true
	}
	return nil, nil, false
}

// oneOfClass leaves one join of each class: one between two relations that most of the joins
// are about, for together they may be about a key.
func oneOfClass(ops []*op) []*op {
	if !slices.ContainsFunc(ops, func(o *op) bool { return o.class > 0 }) {
		return ops
	}
	about := func(uses set) (n int) {
		for _, o := range ops {
			if o.uses == uses {
				n++
			}
		}
		return n
	}
	var out []*op
	for _, o := range ops {
		if o.class == 0 {
			out = append(out, o)
			continue
		}
		if i := slices.IndexFunc(out, func(have *op) bool { return have.class == o.class }); i < 0 {
			out = append(out, o)
		} else if about(o.uses) > about(out[i].uses) {
			out[i] = o
		}
	}
	return out
}
