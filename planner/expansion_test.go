package planner

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestExpansion: short texts that would make plans of any depth or size.
func TestExpansion(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 20))
	chain := func(n int, body string) string {
		var b strings.Builder
		b.WriteString("WITH c0 AS (SELECT 1 AS x)")
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, ", c%d AS (%s)", i, strings.ReplaceAll(body, "?", fmt.Sprint("c", i-1)))
		}
		return b.String()
	}
	nested := func(n int, open, in, end string) string {
		return strings.Repeat(open, n) + in + strings.Repeat(end, n)
	}
	twice := "SELECT x FROM ? UNION ALL SELECT x FROM ?"
	for _, tt := range []struct {
		name, text string
		refused    bool
	}{
		{"a chain of 500", chain(500, "SELECT x FROM ?") + " SELECT x FROM c500", false},
		{"a chain of 20000", chain(20000, "SELECT x FROM ?") + " SELECT x FROM c20000", true},
		{"a chain that nobody names", chain(20000, "SELECT x FROM ?") + " SELECT 1", true},
		{"each twice, 10", chain(10, twice) + " SELECT x FROM c10", false},
		{"each twice, 40", chain(40, twice) + " SELECT x FROM c40", false},
		{"each twice, 40, that nobody names", chain(40, twice) + " SELECT 1", false},
		{"each written out twice, 40", strings.ReplaceAll(chain(40, twice), "AS (", "AS NOT MATERIALIZED (") + " SELECT x FROM c40", true},
		{"joins, 20000", "SELECT 1 FROM (SELECT 1)" + strings.Repeat(" CROSS JOIN (SELECT 1)", 20000), true},
		{"parentheses", nested(20000, "(", "SELECT 1", ")"), true},
		{"subqueries", nested(20000, "SELECT * FROM (", "SELECT 1 AS x", ") s"), true},
		{"WITH in WITH", nested(20000, "WITH a AS (", "SELECT 1", ") SELECT 1"), true},
		{"a chain of UNION", "SELECT 1" + strings.Repeat(" UNION SELECT 1", 20000), true},
		{"a chain of UNION ALL", "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 20000), true},
		{"a sum", "SELECT 1" + strings.Repeat(" + 1", 20000), true},
		{"AND", "SELECT 1 WHERE true" + strings.Repeat(" AND true", 1000), false},
		{"NOT", "SELECT " + strings.Repeat("NOT ", 20000) + "true", true},
		{"minus", "SELECT " + strings.Repeat("- ", 20000) + "1", true},
		{"casts", "SELECT 1" + strings.Repeat("::int", 20000), true},
		{"subscripts", "SELECT ARRAY[1]" + strings.Repeat("[1]", 20000), true},
		{"IS NULL", "SELECT 1" + strings.Repeat(" IS NULL", 20000), true},
		{"COLLATE", "SELECT 'a'" + strings.Repeat(` COLLATE "C"`, 20000), true},

		{"functions", "SELECT " + nested(20000, "abs(", "1", ")"), true},
		{"arrays", "SELECT " + nested(20000, "ARRAY[", "1", "]"), true},
		{"rows", "SELECT " + nested(20000, "ROW(", "1", ")"), true},
		{"CASE", "SELECT " + nested(20000, "CASE WHEN true THEN ", "1", " END"), true},
		{"EXPLAIN", strings.Repeat("EXPLAIN ", 20000) + "SELECT 1", true},
		{"comments", strings.Repeat("/* ", 20000) + strings.Repeat("*/ ", 20000) + "SELECT 1", false},
		{"array type", "SELECT NULL::int" + strings.Repeat("[]", 20000), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := dialect.Parse(tt.text)
			if err == nil && len(list) == 1 && list[0].Utility == nil {
				_, err = Plan(&Context{Catalog: newToyCatalog()}, list[0])
			}
			code := sqlerr.CodeOf(err)
			if refused := err != nil; refused != tt.refused {
				t.Fatalf("%.200v", err)
			}
			if err != nil && code != sqlerr.StatementTooComplex && code != sqlerr.SyntaxError && code != sqlerr.FeatureNotSupported {
				t.Errorf("%s %.200v", code, err)
			}
		})
	}
}
