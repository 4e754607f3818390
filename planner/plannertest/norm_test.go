package plannertest_test

import (
	"testing"

	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/norm"
	"github.com/saltsql/saltsql/planner/plannertest"
)

// Each rule, from whatever the ones before it have made, gives a tree that still gives every
// column that is asked for and names none that nothing gives; and there is an end: no rule
// changes anything any more. Doing all of it again changes nothing either, where split_ors
// finds nothing: it keeps the conditions from which it derives others.
func TestRulesKeepTheTreeWhole(t *testing.T) {
	fired := map[string]int{}
	all := plannertest.Each(t, 1900, func(q *plannertest.Statement) {
		s := q.Bind()
		asked := logical.SetOf(s.Out...)
		once, err := norm.Statement(s, norm.Options{Env: q.Context.Env, Made: func(by string, n logical.Node) {
			fired[by]++
			p := logical.NewFacts(s.Meta).Of(n)
			if !p.Free.Empty() {
				q.Wrong("%s: columns %v are named and not given", by, p.Free.Cols())
			}
			if missing := asked.Minus(p.Out); !missing.Empty() {
				q.Wrong("%s: columns %v are asked for and not given", by, missing.Cols())
			}
		}})
		if err != nil {
			q.Wrong("%v", err)
			return
		}
		var again []string
		_, err = norm.Statement(once, norm.Options{Env: q.Context.Env, Fired: func(rule string) { again = append(again, rule) }})
		if err != nil || len(again) > 0 && again[0] != "split_ors" {
			q.Wrong("normalized again: %v changed it, %v", again, err)
		}
	})
	for _, name := range norm.RuleNames() {
		if all && fired[name] == 0 {
			t.Errorf("%s never fired: nothing is tested of it", name)
		}
	}
}
