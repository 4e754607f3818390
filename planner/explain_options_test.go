package planner

import (
	"testing"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/explain"
)

func TestExplainOptions(t *testing.T) {
	for _, c := range []struct {
		text string
		want explain.Options
		code string
	}{
		{"EXPLAIN SELECT 1", explain.Options{}, ""},
		{"EXPLAIN ANALYZE VERBOSE SELECT 1", explain.Options{Analyze: true, Verbose: true, Timing: true, Summary: true}, ""},
		{"EXPLAIN (ANALYZE, TIMING off, SUMMARY off, FORMAT JSON) SELECT 1", explain.Options{Analyze: true, JSON: true}, ""},
		{"EXPLAIN (COSTS off, BUFFERS, WAL off) SELECT 1", explain.Options{NoRows: true}, ""},
		{"EXPLAIN (SUMMARY) SELECT 1", explain.Options{Summary: true}, ""},
		{"EXPLAIN (TIMING) SELECT 1", explain.Options{}, "22023"},
		{"EXPLAIN (FORMAT JSON, FORMAT YAML) SELECT 1", explain.Options{YAML: true}, ""},
		{"EXPLAIN (FORMAT XML) SELECT 1", explain.Options{}, "0A000"},
		{"EXPLAIN (FORMAT tree) SELECT 1", explain.Options{}, "22023"},
		{"EXPLAIN (WAL) SELECT 1", explain.Options{}, "0A000"},
		{"EXPLAIN (nonsense) SELECT 1", explain.Options{}, "42601"},
		{"EXPLAIN (ANALYZE maybe) SELECT 1", explain.Options{}, "42601"},
	} {
		stmts, err := dialect.Parse(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		got, err := ExplainOptions(stmts[0].Utility.(*tree.Explain).Options)
		switch {
		case c.code != "" && (err == nil || sqlerr.CodeOf(err).String() != c.code):
			t.Errorf("%s: error %v, want %s", c.text, err, c.code)
		case c.code == "" && (err != nil || got != c.want):
			t.Errorf("%s: %+v, %v", c.text, got, err)
		}
	}
}
