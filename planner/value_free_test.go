package planner

import (
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestValueFree: only values of a text's own parameters, each for a whole key, leave its plan as it
// is; a value that a join passes on is none of them.
func TestValueFree(t *testing.T) {
	cat := newToyCatalog()
	cat.define(t, &datadriven.TestData{Cmd: "table", CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"t"}}},
		Input: "a int4 key\nb int4\nc int4"})
	for text, want := range map[string]bool{
		"SELECT b FROM t WHERE a = $1":           true,
		"SELECT b FROM t WHERE a IN ($1, $2)":    true,
		"SELECT b FROM t WHERE a IN (1, $1)":     true,
		"SELECT b FROM t WHERE b IN ($1, $2)":    false,
		"SELECT b FROM t WHERE a NOT IN ($1)":    false,
		"SELECT b FROM t WHERE a > $1":           false,
		"SELECT b FROM t WHERE b = $1":           false,
		"SELECT b FROM t WHERE a = $1 AND a = 2": false,
		"SELECT t.b, d.c FROM t CROSS JOIN LATERAL (SELECT c FROM t u WHERE u.a = t.b LIMIT 1) d WHERE t.a = $1": false,
		"SELECT (SELECT c FROM t u WHERE u.a = t.b OFFSET 0) FROM t WHERE a = $1":                                false,
		"SELECT (SELECT max(c) FROM t u WHERE u.a = t.b + v.b) FROM t, t v WHERE t.a = $1 AND v.a = 2":           false,
	} {
		pc := testContext(cat)
		p, err := planText(pc, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := ValueFree(pc, p); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
