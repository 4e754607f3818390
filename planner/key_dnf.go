package planner

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
)

// maxDisjuncts caps the conjunctions that AND makes of several ORs; what is
// over it stays a filter.
const maxDisjuncts = 1024

// keyDNF is what a condition says of the key: a disjunction of conjunctions.
//
//	a = 1 AND (b = 2 OR b > 5) AND v = 3   ->   [a = 1, b = 2] OR [a = 1, b > 5], not exact
//
// The zero keyDNF says nothing: every key may match.
type keyDNF struct {
	any   []plan.KeyConj
	bound bool // any is meant; with any empty, nothing matches
	exact bool // a row matches the condition if and only if its key matches any
}

var (
	noKeyCond = keyDNF{}
	neverTrue = keyDNF{bound: true, exact: true}
	// alwaysTrue is one conjunction without terms.
	alwaysTrue = keyDNF{any: []plan.KeyConj{{}}, bound: true, exact: true}
)

func oneTerm(t plan.KeyTerm, exact bool) keyDNF {
	return keyDNF{any: []plan.KeyConj{{Terms: []plan.KeyTerm{t}}}, bound: true, exact: exact}
}

// anyOf joins by OR: where one side says nothing of the key, neither does the whole.
func anyOf(list []keyDNF) keyDNF {
	out := neverTrue
	for _, d := range list {
		if !d.bound {
			return noKeyCond
		}
		out.exact = out.exact && d.exact
		out.any = append(out.any, d.any...)
	}
	out.any = joinLists(out.any)
	return out
}

// and joins by AND; ok is false where that is too large, and d stands alone.
func (d keyDNF) and(e keyDNF) (out keyDNF, ok bool) {
	switch {
	case !d.bound:
		return keyDNF{any: e.any, bound: e.bound}, true
	case !e.bound:
		return keyDNF{any: d.any, bound: true}, true
	}
	if n := len(d.any) * len(e.any); n > maxDisjuncts && len(d.any) > 1 && len(e.any) > 1 {
		return keyDNF{any: d.any, bound: true}, false
	}
	out = keyDNF{bound: true, exact: d.exact && e.exact}
	for _, x := range d.any {
		for _, y := range e.any {
			c := plan.KeyConj{Terms: append([]plan.KeyTerm(nil), x.Terms...)}
			for _, t := range y.Terms {
				if !containsTerm(c.Terms, t) {
					c.Terms = append(c.Terms, t)
				}
			}
			out.any = append(out.any, c)
		}
	}
	return out, true
}

func containsTerm(list []plan.KeyTerm, t plan.KeyTerm) bool {
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
