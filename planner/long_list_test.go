package planner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/planner/explain"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// TestLongLists plans lists of the length that programs generate. Planning must
// cost no more than their length: at its square this test does not end.
func TestLongLists(t *testing.T) {
	cat := newToyCatalog()
	cat.define(t, &datadriven.TestData{
		CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"t"}}, {Key: "salt", Vals: []string{"4"}}},
		Input:   "a int4 key\nb text key\nv int4 default 1 + 1",
	})
	const n = 20000
	list := func(sep, format string, n int) string {
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(items, sep)
	}
	for _, c := range []struct {
		name, text string
		access     plan.Access
		gathered   bool
	}{
		{"in", "SELECT v FROM t WHERE b = 'x' AND a IN (" + list(", ", "%d", n) + ")", plan.MultiPointRead, false},
		{"in, over the points", "SELECT v FROM t WHERE b IN (" + list(", ", "'%d'", 6) + ") AND a IN (" + list(", ", "%d", n) + ")", plan.MultiPointRead, true},
		{"or", "SELECT v FROM t WHERE a = -1 OR " + list(" OR ", "a = %d", 900), plan.SkipScan, true},
		{"rows", "SELECT v FROM t WHERE (a, b) IN (" + list(", ", "(%d, 'x')", 5000) + ")", plan.MultiPointRead, false},
		{"and", "SELECT v FROM t WHERE a > -1 AND " + list(" AND ", "v <> %d", 900), plan.RangeScan, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := planText(testContext(cat), c.text)
			if err != nil {
				t.Fatal(err)
			}
			n := p.Root
			if pr, ok := n.(*plan.Project); ok {
				n = pr.Input
			}
			_, gathered := n.(*plan.SaltGather)
			s, ok := walk.ScanUnder(n)
			if !ok || s.Access != c.access || gathered != c.gathered {
				t.Errorf("got %s", explain.Lines(p, explain.Options{}, nil)[0])
			}
		})
	}
	p, err := planText(testContext(cat), "INSERT INTO t (a, b) VALUES "+list(", ", "(%d, 'x')", n))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(p.Root.(*plan.Insert).Input.(*plan.Values).Rows); got != n {
		t.Errorf("%d rows, want %d", got, n)
	}
}
