package keycond

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// maxDisjuncts caps the conjunctions that AND makes of several ORs; what is
// over it stays a filter.
const maxDisjuncts = 1024

// DNF is what a condition says of the key: a disjunction of conjunctions.
//
//	a = 1 AND (b = 2 OR b > 5) AND v = 3   ->   [a = 1, b = 2] OR [a = 1, b > 5], not exact
//
// The zero DNF says nothing: every key may match.
type DNF struct {
	Any   []plan.KeyConj
	Bound bool // any is meant; with any empty, nothing matches
	Exact bool // a row matches the condition if and only if its key matches any
}

var (
	Nothing   = DNF{}
	neverTrue = DNF{Bound: true, Exact: true}
	// alwaysTrue is one conjunction without terms.
	alwaysTrue = DNF{Any: []plan.KeyConj{{}}, Bound: true, Exact: true}
)

func oneTerm(t plan.KeyTerm, exact bool) DNF {
	return DNF{Any: []plan.KeyConj{{Terms: []plan.KeyTerm{t}}}, Bound: true, Exact: exact}
}

// anyOf joins by OR: where one side says nothing of the key, neither does the whole.
func anyOf(list []DNF) DNF {
	out := neverTrue
	for _, d := range list {
		if !d.Bound {
			return Nothing
		}
		out.Exact = out.Exact && d.Exact
		out.Any = append(out.Any, d.Any...)
	}
	out.Any = joinLists(out.Any)
	return out
}

// And joins by AND; ok is false where that is too large, and d stands alone.
func (d DNF) And(e DNF) (out DNF, ok bool) {
	switch {
	case !d.Bound:
		return DNF{Any: e.Any, Bound: e.Bound}, true
	case !e.Bound:
		return DNF{Any: d.Any, Bound: true}, true
	}
	if n := len(d.Any) * len(e.Any); n > maxDisjuncts && len(d.Any) > 1 && len(e.Any) > 1 {
		return DNF{Any: d.Any, Bound: true}, false
	}
	out = DNF{Bound: true, Exact: d.Exact && e.Exact}
	for _, x := range d.Any {
		for _, y := range e.Any {
			c := plan.KeyConj{Terms: append([]plan.KeyTerm(nil), x.Terms...)}
			for _, t := range y.Terms {
				if !ContainsTerm(c.Terms, t) {
					c.Terms = append(c.Terms, t)
				}
			}
			out.Any = append(out.Any, c)
		}
	}
	return out, true
}

// maxTerms caps the terms that AND makes of more than were written; what is over it stays a
// filter.
const maxTerms = 1 << 16

// Conjunction joins conditions by AND one after the other, in the time that it takes to read
// them. The zero value says nothing, as the zero DNF.
type Conjunction struct {
	DNF
	own     bool // the lists of terms are nobody else's
	terms   int
	written int // terms of what was joined
}

// And joins e; false where that is too large, and e is left out.
func (c *Conjunction) And(e DNF) bool {
	n := 0
	for i := range e.Any {
		n += len(e.Any[i].Terms)
	}
	own := true // And makes lists of its own, but where one side is all
	switch {
	case !c.Bound || !e.Bound:
		own = c.own && !e.Bound
	case c.own && len(e.Any) == 1:
		total := c.terms + n*len(c.Any)
		if total > max(maxTerms, 4*(c.written+n)) {
			c.Exact = false
			return false
		}
		for i := range c.Any {
			x := &c.Any[i]
			for _, t := range e.Any[0].Terms {
				if len(x.Terms) > maxCompared || !ContainsTerm(x.Terms, t) {
					x.Terms = append(x.Terms, t)
				}
			}
		}
		c.Exact = c.Exact && e.Exact
		c.terms, c.written = total, c.written+n
		return true
	}
	out, ok := c.DNF.And(e)
	c.DNF = out
	if ok {
		c.own = own
		c.written += n
	}
	c.terms = 0
	for i := range c.Any {
		c.terms += len(c.Any[i].Terms)
	}
	return ok
}

func ContainsTerm(list []plan.KeyTerm, t plan.KeyTerm) bool {
	for _, x := range list {
		if x.Op == t.Op && x.Tuple == t.Tuple && equalInts(x.Columns, t.Columns) && expr.EqualLists(x.Args, t.Args) {
			return true
		}
	}
	return false
}

func equalInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// joinLists makes one list of neighbours that each bind the same column alone:
// a = 1 OR a = 2 is a IN (1, 2).
func joinLists(any []plan.KeyConj) []plan.KeyConj {
	var out []plan.KeyConj
	for i := 0; i < len(any); {
		if !isValueList(&any[i]) {
			out = append(out, any[i])
			i++
			continue
		}
		t := plan.KeyTerm{Op: plan.KeyIn, Columns: any[i].Terms[0].Columns}
		for i < len(any) && isValueList(&any[i]) && any[i].Terms[0].Columns[0] == t.Columns[0] {
			t.Args = append(t.Args, any[i].Terms[0].Args...)
			i++
		}
		if t.Args = distinctArgs(t.Args); len(t.Args) == 1 {
			t.Op = plan.KeyEq
		}
		out = append(out, plan.KeyConj{Terms: []plan.KeyTerm{t}})
	}
	return out
}

// maxCompared bounds the lists in which equal values are looked for, so that long
// ones cost no more than their length; the spans of equal values are one anyway.
const maxCompared = 32

// distinctArgs drops values written twice.
func distinctArgs(args []expr.Expr) []expr.Expr {
	if len(args) > maxCompared {
		return args
	}
	var out []expr.Expr
	for _, a := range args {
		if !expr.ContainsExpr(out, a) {
			out = append(out, a)
		}
	}
	return out
}

func isValueList(c *plan.KeyConj) bool {
	return len(c.Terms) == 1 && (c.Terms[0].Op == plan.KeyEq || c.Terms[0].Op == plan.KeyIn)
}
