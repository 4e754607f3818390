package planner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/planner/bind"
	"github.com/saltsql/saltsql/planner/norm"
	"github.com/saltsql/saltsql/planner/physical"
)

// considered plans a statement and counts the pairs that were compared, and the paths that
// tables were asked about for them.
func considered(t *testing.T, cat *toyCatalog, text string) (pairs, paths int) {
	t.Helper()
	stmts, err := dialect.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	ctx := testContext(cat)
	s, err := bind.Statement(ctx.forBind(), stmts[0])
	if err != nil {
		t.Fatal(err)
	}
	if s, err = norm.Statement(s, norm.Options{Env: ctx.Env}); err != nil {
		t.Fatal(err)
	}
	o := ctx.physical()
	o.Considered = func(n, asked int) { pairs, paths = n, asked }
	physical.Statement(s, o)
	return pairs, paths
}

// orderCatalog has the table of statements whose joins are ordered.
func orderCatalog(t testing.TB) *toyCatalog {
	cat := newToyCatalog()
	cat.define(t, &datadriven.TestData{Cmd: "table", CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"t"}}},
		Input: "a int4 key\nb int4\nc int4\nindex t_c: c"})
	return cat
}

// TestJoinOrderIsBounded asserts how many pairs of relations are compared: what the shape
// of the query has where that is little, and a bound where it has more.
func TestJoinOrderIsBounded(t *testing.T) {
	cat := orderCatalog(t)
	chain := chainOf("JOIN")
	for _, c := range []struct {
		name string
		n    int
		text string
		most int
	}{
		{"chain of 2", 2, chain(2), 1},
		{"chain of 10", 10, chain(10), 165},
		{"star of 10", 10, starOf(10), 9 * 256},
		{"star of 10 with equal arms", 10, classesOf(10), 5600},
		{"chain of 30", 30, chain(30), 4495},
		{"star of 30", 30, starOf(30), 6001 + 30*30},
		{"chain of 60", 60, chain(60), 6001 + 60*60},
		{"chain of 200", 200, chain(200), 6001 + 60*60},
		{"first rows of a chain of 10", 10, chain(10) + " ORDER BY t0.a LIMIT 5", 165 + 10*10},
		{"any rows of a chain of 30", 30, chain(30) + " LIMIT 5", 4495 + 2000 + 30},
		{"any rows of a star of 10", 10, starOf(10) + " LIMIT 5", 9*256 + 10*10*10},
		{"any rows of a star of 30", 30, starOf(30) + " LIMIT 5", 6001 + 30*30 + 2000 + 30},
	} {
		got, paths := considered(t, cat, c.text)
		if got > c.most || got == 0 {
			t.Errorf("%s: %d pairs were compared, want 1 to %d", c.name, got, c.most)
		}
		// Of each relation: by its key, and by its index, under each condition that names it.
		if most := 6 * c.n; paths > most || paths == 0 {
			t.Errorf("%s: tables were asked %d times, want 1 to %d", c.name, paths, most)
		}
	}
}

// TestDeepStatements plans statements whose trees are deep.
func TestDeepStatements(t *testing.T) {
	cat := newToyCatalog()
	cat.define(t, &datadriven.TestData{Cmd: "table", CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"t"}}},
		Input: "a int4 key\nb int4\nc int4"})
	joins := "t t0"
	for i := 1; i < 500; i++ {
		joins += fmt.Sprintf(" LEFT JOIN t t%d ON t%d.b = t%d.a", i, i-1, i)
	}
	nested := "SELECT a FROM t"
	for i := range 300 {
		nested = fmt.Sprintf("SELECT a FROM t t%d WHERE a IN (%s)", i, nested)
	}
	for _, text := range []string{"SELECT t0.a FROM " + joins, nested} {
		if _, err := planText(testContext(cat), text); err != nil && !strings.HasPrefix(errorText(err), "54001") {
			t.Errorf("%.60s …: %v", text, err)
		}
	}
}

// TestEqualColumnsJoinInAnyOrder counts the pairs of relations that are compared where columns
// are equated one after another: any two of them may be joined first, unless they are many.
func TestEqualColumnsJoinInAnyOrder(t *testing.T) {
	cat := newToyCatalog()
	cat.define(t, &datadriven.TestData{Cmd: "table", CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"t"}}},
		Input: "a int4 key\nb int4\nc int4\nd numeric"})
	chain := func(n int, col string) string {
		text := "SELECT t0.a FROM t t0"
		for i := 1; i < n; i++ {
			text += fmt.Sprintf(" JOIN t t%d ON t%d.%s = t%d.%s", i, i-1, col, i, col)
		}
		return text
	}
	for _, c := range []struct {
		text string
		want int
	}{
		{chain(3, "b"), 6},  // all pairs of disjoint sets
		{chain(4, "b"), 25}, // likewise
		{chain(3, "d"), 4},  // of numerics, equal ones may differ: those as written
		{chain(7, "b"), 56}, // too many
		{"SELECT t0.a FROM t t0, t t1, t t2 WHERE t0.b = t1.b AND t1.b = t2.b AND t2.b = t2.c", 6},
		{"SELECT t0.a FROM t t0, t t1, t t2 WHERE t0.b = t1.b AND t1.b = t2.b AND t1.b = t2.c", 4}, // two of one relation
	} {
		if got, _ := considered(t, cat, c.text); got != c.want {
			t.Errorf("%s: %d pairs, want %d", c.text, got, c.want)
		}
	}
}
