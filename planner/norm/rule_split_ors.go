package norm

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/plan"
)

// splitOrs takes from an OR over several relations what can be tested sooner:
//
//	(a.x = b.x AND p) OR (a.x = b.x AND q)   a.x = b.x AND (p OR q)
//	(a.x = 1 AND b.y = 2) OR (a.x = 3)       (a.x = 1 OR a.x = 3) too, at a
//
// Only comparisons of columns and constants, which cannot fail: others may stand behind
// what guards them.
func splitOrs(z *normalizer, n logical.Node) logical.Node {
	n = logical.MapInputs(n, func(in logical.Node) logical.Node { return splitOrs(z, in) })
	switch m := n.(type) {
	case *logical.Select:
		conds, changed := factorOrs(logical.Conjuncts(m.Cond))
		if changed {
			return &logical.Select{Input: m.Input, Cond: logical.AndAll(conds)}
		}
	case *logical.Join:
		if m.Apply {
			return n
		}
		conds, factored := factorOrs(logical.Conjuncts(m.On))
		conds, derived := z.deriveOrs(conds, m)
		if factored || derived {
			j := *m
			j.On = logical.AndAll(conds)
			return &j
		}
	}
	return n
}

// factorOrs takes the terms that all arms of an OR have out of it.
func factorOrs(conds []expr.Expr) (out []expr.Expr, changed bool) {
	for i, c := range conds {
		or, ok := c.(*expr.Or)
		if !ok {
			if changed {
				out = append(out, c)
			}
			continue
		}
		common := commonTerms(or)
		if len(common) == 0 {
			if changed {
				out = append(out, c)
			}
			continue
		}
		if !changed {
			out, changed = slices.Clone(conds[:i]), true
		}
		out = append(out, common...)
		if rest := withoutTerms(or, common); rest != nil {
			out = append(out, rest)
		}
	}
	if !changed {
		return conds, false
	}
	return out, true
}

// commonTerms lists the terms that all arms of an OR have, each once.
func commonTerms(or *expr.Or) []expr.Expr {
	var common []expr.Expr
	var seen expr.Distinct
	for _, term := range logical.Conjuncts(or.Args[0]) {
		if seen.Add(term) && harmless(term) {
			common = append(common, term)
		}
	}
	for _, arm := range or.Args[1:] {
		if len(common) == 0 {
			break
		}
		var terms expr.Distinct
		for _, t := range logical.Conjuncts(arm) {
			terms.Add(t)
		}
		common = slices.DeleteFunc(common, func(t expr.Expr) bool { return !terms.Has(t) })
	}
	return common
}

// withoutTerms is an OR without terms that all its arms have; nil is true: an arm had
// nothing else.
func withoutTerms(or *expr.Or, terms []expr.Expr) expr.Expr {
	var without expr.Distinct
	for _, t := range terms {
		without.Add(t)
	}
	arms := make([]expr.Expr, len(or.Args))
	for i, arm := range or.Args {
		var rest []expr.Expr
		for _, t := range logical.Conjuncts(arm) {
			if !without.Has(t) {
				rest = append(rest, t)
			}
		}
		if len(rest) == 0 {
			return nil
		}
		arms[i] = logical.AndAll(rest)
	}
	return &expr.Or{Args: arms}
}

// deriveOrs adds, for each OR that names both sides of a join, what it says of one side
// alone, where push_filters may take it to that side.
func (z *normalizer) deriveOrs(conds []expr.Expr, n *logical.Join) (out []expr.Expr, changed bool) {
	left, right := z.facts.Of(n.Left).Out, z.facts.Of(n.Right).Out
	both := n.Kind == plan.Inner || n.Kind == plan.Semi
	out = conds
	var seen expr.Distinct
	for _, c := range conds {
		seen.Add(c)
	}
	add := func(cond expr.Expr) {
		if cond == nil || !seen.Add(cond) {
			return
		}
		if !changed {
			out, changed = slices.Clone(conds), true
		}
		out = append(out, cond)
	}
	for _, c := range conds {
		or, ok := c.(*expr.Or)
		if !ok || z.derived[or] {
			continue
		}
		if z.derived == nil {
			z.derived = map[*expr.Or]bool{}
		}
		z.derived[or] = true
		if cols := z.facts.ColsOf(or); !cols.Intersects(left) || !cols.Intersects(right) {
			continue
		}
		if both || n.Kind == plan.Right {
			add(z.ofSide(or, left))
		}
		if both || n.Kind == plan.Left {
			add(z.ofSide(or, right))
		}
	}
	return out, changed
}

// ofSide is what an OR says of the columns of one side; nil if an arm says nothing.
func (z *normalizer) ofSide(or *expr.Or, side logical.ColSet) expr.Expr {
	arms := make([]expr.Expr, len(or.Args))
	for i, arm := range or.Args {
		var of []expr.Expr
		for _, t := range logical.Conjuncts(arm) {
			if cols := z.facts.ColsOf(t); !cols.Empty() && cols.SubsetOf(side) && harmless(t) {
				of = append(of, t)
			}
		}
		if len(of) == 0 {
			return nil
		}
		arms[i] = logical.AndAll(of)
	}
	return &expr.Or{Args: arms}
}

// harmless says that a condition compares columns with each other or with constants, so
// that it can be evaluated for any row.
func harmless(c expr.Expr) bool {
	plain := func(e expr.Expr) bool {
		switch logical.CastFree(e).(type) {
		case *expr.Col, *expr.Const, *expr.Param:
			return true
		}
		return false
	}
	switch c := c.(type) {
	case *expr.Call:
		switch c.Fn.Name {
		case "=", "<>", "<", "<=", ">", ">=":
			return len(c.Args) == 2 && plain(c.Args[0]) && plain(c.Args[1])
		}
	case *expr.InList:
		return plain(c.X) && !slices.ContainsFunc(c.List, func(e expr.Expr) bool { return !plain(e) })
	case *expr.AnyAll:
		return plain(c.X) && plain(c.Array)
	case *expr.IsNull:
		return plain(c.X)
	}
	return false
}
