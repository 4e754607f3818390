package planner

import (
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// TestCheck builds plans that no rule may make, and the sound ones next to them.
func TestCheck(t *testing.T) {
	cat := newToyCatalog()
	cat.define(t, &datadriven.TestData{
		CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"t"}}, {Key: "salt", Vals: []string{"4"}}},
		Input:   "a int4 key\nb text key\nv int4",
	})
	tab := cat.rels["t"].(*catalog.Table)
	key := func(n int) *plan.KeyCond {
		c := plan.KeyConj{}
		for i := range n {
			c.Terms = append(c.Terms, plan.KeyTerm{Op: plan.KeyEq, Columns: []int{i}, Args: []expr.Expr{bigint(1)}})
		}
		return &plan.KeyCond{Or: []plan.KeyConj{c}}
	}
	scan := func(change func(*plan.Scan)) *plan.Scan {
		s := &plan.Scan{Source: plan.Source{Table: tab, Cols: []int{0, 1, 2}}}
		if change != nil {
			change(s)
		}
		return s
	}
	limited := &plan.SaltGather{Input: scan(func(s *plan.Scan) { s.Limit = bigint(1) })}
	cond := &expr.IsNull{X: &expr.Col{T: types.Of(types.Int4)}}
	for _, c := range []struct {
		name  string
		node  plan.Node
		sound bool
	}{
		{"salted scan alone", scan(nil), false},
		{"gathered", &plan.SaltGather{Input: scan(nil)}, true},
		{"merge without order", &plan.SaltMerge{Input: scan(nil)}, false},
		{"merge", &plan.SaltMerge{Input: scan(func(s *plan.Scan) { s.Order = plan.Reverse })}, true},
		{"point read of a whole key", scan(func(s *plan.Scan) { s.Access, s.Key = plan.PointRead, key(2) }), true},
		{"point read of half a key", scan(func(s *plan.Scan) { s.Access, s.Key = plan.PointRead, key(1) }), false},
		{"limit without a Limit", limited, false},
		{"limit below a Limit", &plan.Limit{Input: limited, Count: bigint(1)}, true},
		{"limit below a Filter", &plan.Limit{Count: bigint(1), Input: &plan.Filter{Input: limited, Cond: cond}}, false},
		{"limit below a Sort", &plan.Limit{Count: bigint(1), Input: &plan.Sort{Input: limited}}, false},
		{"final without partial", &plan.Aggregate{Phase: plan.Final, Input: &plan.SaltGather{Input: scan(nil)}}, false},
		{"partial over a filter", &plan.Aggregate{Phase: plan.Partial, Input: &plan.Filter{Cond: cond, Input: &plan.SaltGather{Input: scan(nil)}}}, false},
		{"column out of range", &plan.SaltGather{Input: scan(func(s *plan.Scan) { s.Cols = []int{3} })}, false},
	} {
		err := check(c.node)
		if (err == nil) != c.sound {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil && sqlerr.CodeOf(err) != sqlerr.InternalError {
			t.Errorf("%s: code %s", c.name, sqlerr.CodeOf(err))
		}
	}
}

func TestRulesOffEqualsNoRule(t *testing.T) {
	for _, name := range RuleNames() {
		if !(&Options{DisableAllRules: true}).disabled(name) || !(&Options{DisableRules: []string{name}}).disabled(name) || (&Options{}).disabled(name) {
			t.Errorf("the switches of rule %s do not work", name)
		}
	}
}
