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

// or joins by OR: where one side says nothing of the key, neither does the whole.
func (d keyDNF) or(e keyDNF) keyDNF {
	if !d.bound || !e.bound {
		return noKeyCond
	}
	out := keyDNF{bound: true, exact: d.exact && e.exact}
	out.any = append(append(out.any, d.any...), e.any...)
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
		if x.Op == t.Op && x.Tuple == t.Tuple && equalInts(x.Columns, t.Columns) && equalLists(x.Args, t.Args) {
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
	for _, c := range any {
		if last := len(out) - 1; last >= 0 && isValueList(&out[last]) && isValueList(&c) &&
			out[last].Terms[0].Columns[0] == c.Terms[0].Columns[0] {
			a, b := &out[last].Terms[0], &c.Terms[0]
			args := append([]expr.Expr(nil), a.Args...)
			for _, e := range b.Args {
				if !containsExpr(args, e) {
					args = append(args, e)
				}
			}
			joined := plan.KeyTerm{Op: plan.KeyIn, Columns: a.Columns, Args: args}
			if len(args) == 1 {
				joined.Op = plan.KeyEq
			}
			out[last] = plan.KeyConj{Terms: []plan.KeyTerm{joined}}
			continue
		}
		out = append(out, c)
	}
	return out
}

func isValueList(c *plan.KeyConj) bool {
	return len(c.Terms) == 1 && (c.Terms[0].Op == plan.KeyEq || c.Terms[0].Op == plan.KeyIn)
}
