package keycond

import (
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

var int8T = types.Of(types.Int8)

func number(n int64) expr.Expr { return &expr.Const{Value: types.Datum{Int: n}, T: int8T} }

func term(op plan.KeyOp, col int, args ...expr.Expr) plan.KeyTerm {
	return plan.KeyTerm{Op: op, Columns: []int{col}, Args: args}
}

func conjs(d DNF) (terms []int) {
	for _, c := range d.Any {
		terms = append(terms, len(c.Terms))
	}
	return terms
}

// AND keeps what one side says where the other says nothing, and is exact only where both
// sides are; OR says nothing where a side does.
func TestAndOr(t *testing.T) {
	a, b := oneTerm(term(plan.KeyEq, 0, number(1)), true), oneTerm(term(plan.KeyGt, 1, number(5)), true)
	rough := oneTerm(term(plan.KeyLt, 1, number(9)), false)
	and := func(d, e DNF) DNF {
		out, ok := d.And(e)
		if !ok {
			t.Fatal("too large")
		}
		return out
	}
	for i, tt := range []struct {
		got          DNF
		bound, exact bool
		terms        []int
	}{
		{and(a, b), true, true, []int{2}},
		{and(a, a), true, true, []int{1}}, // the same term once
		{and(a, rough), true, false, []int{2}},
		{and(a, Nothing), true, false, []int{1}},
		{and(Nothing, b), true, false, []int{1}},
		{and(a, neverTrue), true, true, nil},
		{and(alwaysTrue, b), true, true, []int{1}},
		{anyOf([]DNF{a, Nothing}), false, false, nil},
		{anyOf([]DNF{a, b}), true, true, []int{1, 1}},
		{anyOf([]DNF{a, rough}), true, false, []int{1, 1}},
		{anyOf(nil), true, true, nil},
		{and(anyOf([]DNF{a, b}), rough), true, false, []int{2, 2}},
	} {
		terms := conjs(tt.got)
		same := len(terms) == len(tt.terms)
		for j := range terms {
			same = same && terms[j] == tt.terms[j]
		}
		if tt.got.Bound != tt.bound || tt.got.Exact != tt.exact || !same {
			t.Errorf("case %d: bound %v, exact %v, %v terms", i, tt.got.Bound, tt.got.Exact, terms)
		}
	}
}

// What would be more than maxDisjuncts conjunctions stays the first side alone, not exact.
func TestAndTooLarge(t *testing.T) {
	var list []DNF
	for n := range int64(40) {
		list = append(list, oneTerm(term(plan.KeyGt, 0, number(n)), true))
	}
	many := anyOf(list)
	if len(many.Any) != 40 {
		t.Fatalf("%d conjunctions", len(many.Any))
	}
	out, ok := many.And(many)
	if ok || out.Exact || !out.Bound || len(out.Any) != 40 {
		t.Errorf("ok %v, exact %v, %d conjunctions", ok, out.Exact, len(out.Any))
	}
}

func TestContradicts(t *testing.T) {
	null := &expr.Const{Value: types.Datum{Null: true}, T: int8T}
	for i, tt := range []struct {
		terms []plan.KeyTerm
		want  bool
	}{
		{nil, false},
		{[]plan.KeyTerm{term(plan.KeyEq, 0, number(1)), term(plan.KeyEq, 0, number(1))}, false},
		{[]plan.KeyTerm{term(plan.KeyEq, 0, number(1)), term(plan.KeyEq, 0, number(2))}, true},
		{[]plan.KeyTerm{term(plan.KeyEq, 0, number(1)), term(plan.KeyEq, 1, number(2))}, false},
		{[]plan.KeyTerm{term(plan.KeyGt, 0, number(5)), term(plan.KeyLt, 0, number(5))}, true},
		{[]plan.KeyTerm{term(plan.KeyGe, 0, number(5)), term(plan.KeyLe, 0, number(5))}, false},
		{[]plan.KeyTerm{term(plan.KeyGe, 0, number(5)), term(plan.KeyLt, 0, number(5))}, true},
		{[]plan.KeyTerm{term(plan.KeyGt, 0, number(5)), term(plan.KeyLe, 0, number(9))}, false},
		{[]plan.KeyTerm{term(plan.KeyEq, 0, null)}, true},
		{[]plan.KeyTerm{term(plan.KeyIsNull, 0)}, false},
		{[]plan.KeyTerm{term(plan.KeyIsNull, 0), term(plan.KeyGt, 0, number(1))}, true},
		{[]plan.KeyTerm{term(plan.KeyIsNull, 0), term(plan.KeyGt, 1, number(1))}, false},
	} {
		if got := Contradicts(&plan.KeyConj{Terms: tt.terms}, []types.T{int8T, int8T}); got != tt.want {
			t.Errorf("case %d: %v", i, got)
		}
	}
}
