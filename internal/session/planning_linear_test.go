package session

import (
	"context"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/mem"
)

// plannedBytes is how much memory planning text takes, in all: the least of a few, since
// the collector empties pools now and then.
func plannedBytes(t *testing.T, s *Session, text string) uint64 {
	t.Helper()
	ctx := context.Background()
	least := uint64(math.MaxUint64)
	for range 3 {
		list, err := s.Split(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := s.PrepareParsed(ctx, list[0], nil); err != nil {
			t.Fatalf("%.60s: %v", text, err)
		}
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// TestPlanningIsLinear: statements of n parts, lists, terms and levels of each kind, take memory in
// proportion to n, and as much as a part of other statements. A copy per parameter, column or row of
// what grows with them shows as the square, and a copy per level as a power.
func TestPlanningIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long beside the race detector, on one goroutine")
	}
	store := mem.New()
	defer store.Close()
	db, err := Open(context.Background(), store, &Options{PlanCache: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var columns []string
	for i := range 800 {
		columns = append(columns, fmt.Sprintf("c%d INT", i))
	}
	made := []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT, c TEXT)", "CREATE TABLE wide (k INT PRIMARY KEY, " + strings.Join(columns, ", ") + ")",
		"CREATE TABLE sink (x INT)", "CREATE VIEW v0 AS SELECT a AS x FROM t"}
	for i := range 32 {
		made = append(made, fmt.Sprintf("CREATE VIEW v%d AS SELECT x + x AS x FROM v%d WHERE x > %[2]d", i+1, i))
	}
	for _, text := range append(made, "ANALYZE t", "ANALYZE wide") { // so that what is known of them is known to all
		if _, err := s.Exec(context.Background(), text); err != nil {
			t.Fatal(err)
		}
	}
	list := func(n int, item string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(item, "#", fmt.Sprint(i))
		}
		return strings.Join(parts, ", ")
	}
	placeholders := func(n, width int) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteByte('(')
			for j := range width {
				if j > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(&b, "$%d", i*width+j+1)
			}
			b.WriteByte(')')
		}
		return b.String()
	}
	tests := map[string]struct {
		n    int
		text func(n int) string
	}{
		"VALUES of parameters": {1000, func(n int) string { return "INSERT INTO t VALUES " + placeholders(n, 3) }},
		"VALUES alone":         {1000, func(n int) string { return "SELECT * FROM (VALUES " + placeholders(n, 3) + ") v (a, b, c)" }},
		"VALUES of literals":   {1000, func(n int) string { return "INSERT INTO t VALUES " + list(n, "(#, #, 'x')") }},
		"IN of parameters":     {1000, func(n int) string { return "SELECT * FROM t WHERE a IN " + placeholders(1, n) }},
		"IN of literals":       {1000, func(n int) string { return "SELECT * FROM t WHERE b IN (" + list(n, "#") + ")" }},
		"select list":          {400, func(n int) string { return "SELECT " + list(n, "a + # AS x#") + " FROM t" }},
		"columns":              {200, func(n int) string { return "SELECT " + list(n, "c#") + " FROM wide" }},
		"columns written": {200, func(n int) string {
			return "INSERT INTO wide (k, " + list(n, "c#") + ") VALUES (0, " + list(n, "#") + ")"
		}},
		"columns updated":  {200, func(n int) string { return "UPDATE wide SET " + list(n, "c# = #") + " WHERE k = 1" }},
		"columns returned": {200, func(n int) string { return "DELETE FROM wide WHERE k = 1 RETURNING " + list(n, "c#") }},
		"aggregates":       {200, func(n int) string { return "SELECT " + list(n, "sum(c#)") + " FROM wide" }},
		"groups":           {200, func(n int) string { return "SELECT count(*) FROM wide GROUP BY " + list(n, "c#") }},
		"order":            {200, func(n int) string { return "SELECT k FROM wide ORDER BY " + list(n, "c#") }},
		"AND": {200, func(n int) string {
			return "SELECT k FROM wide WHERE " + strings.ReplaceAll(list(n, "c# > 0"), ",", " AND")
		}},
		"OR of keys": {200, func(n int) string {
			return "SELECT k FROM wide WHERE " + strings.ReplaceAll(list(n, "k = #"), ",", " OR")
		}},
		"OR": {200, func(n int) string {
			return "SELECT k FROM wide WHERE " + strings.ReplaceAll(list(n, "c# = 0"), ",", " OR")
		}},
		"CASE": {400, func(n int) string {
			return "SELECT CASE " + strings.ReplaceAll(list(n, "WHEN a = # THEN #"), ",", "") + " END FROM t"
		}},
		"array": {1000, func(n int) string { return "SELECT ARRAY[" + list(n, "a + #") + "] FROM t" }},
		"UNION": {50, func(n int) string { return "SELECT 1" + strings.ReplaceAll(list(n, " UNION ALL SELECT #"), ",", "") }},
		"AND of one key": {750, func(n int) string {
			return "SELECT a FROM t WHERE " + strings.ReplaceAll(list(n, "a <> #"), ",", " AND")
		}},
		"AND, not in a key": {750, func(n int) string {
			return "SELECT a FROM t WHERE " + strings.ReplaceAll(list(n, "b <> #"), ",", " AND")
		}},
		"NOT of OR": {750, func(n int) string {
			return "SELECT a FROM t WHERE NOT (" + strings.ReplaceAll(list(n, "a = #"), ",", " OR") + ")"
		}},
		"AND in OR": {400, func(n int) string {
			return "SELECT a FROM t WHERE b = 1 OR " + strings.ReplaceAll(list(n, "(a <> #)"), ",", " AND")
		}},
		"OR of an AND": {750, func(n int) string {
			return "SELECT a FROM t WHERE (" + strings.ReplaceAll(list(n, "b <> #"), ",", " AND") + ") OR " + strings.ReplaceAll(list(n, "b = #"), ",", " OR")
		}},
		"a sum":              {400, func(n int) string { return "SELECT a + " + strings.ReplaceAll(list(n, "#"), ",", " +") + " FROM t" }},
		"queries in queries": {12, levels("SELECT a AS x FROM t", "SELECT x + x AS x FROM (%s) s", "SELECT x FROM (", ") s WHERE x > 0")},
		"filters in queries": {12, levels("SELECT a AS x FROM t", "SELECT x + x AS x FROM (%s) s WHERE x > 0")},
		"groups in queries":  {12, levels("SELECT a AS x FROM t", "SELECT x + x AS x FROM (%s) s GROUP BY x + x", "SELECT x FROM (", ") s WHERE x > 0")},
		"sets in queries":    {12, levels("SELECT a AS x FROM t", "SELECT x + x AS x FROM (%s) s UNION ALL SELECT 1", "SELECT x FROM (", ") s WHERE x > 0")},
		"views on views":     {8, func(n int) string { return fmt.Sprintf("SELECT x FROM v%d WHERE x > 0", n) }},
		"CTEs used twice": {8, func(n int) string {
			text := "WITH w0 AS (SELECT a AS x FROM t)"
			for i := range n {
				text += fmt.Sprintf(", w%d AS (SELECT l.x + r.x AS x FROM w%d l JOIN w%[2]d r ON l.x = r.x)", i+1, i)
			}
			return text + fmt.Sprintf(" SELECT x FROM w%d", n)
		}},
		"CTEs": {50, func(n int) string { return "WITH " + list(n, "w# AS (SELECT #)") + " SELECT * FROM w1" }},
	}
	names := slices.Sorted(maps.Keys(tests))
	for i := range seeds.Part(t, len(names), seeds.Whole) {
		name, test := names[i], tests[names[i]]
		t.Run(name, func(t *testing.T) {
			one, four := plannedBytes(t, s, test.text(test.n)), plannedBytes(t, s, test.text(4*test.n))
			t.Logf("%d: %d bytes, %d: %d bytes", test.n, one, 4*test.n, four)
			if float64(four) > 6*float64(one) {
				t.Errorf("4 times the text takes %.1f times the memory: %d and %d bytes", float64(four)/float64(one), one, four)
			}
			if text := test.text(1); !strings.HasPrefix(text, "SELECT") || strings.Contains(text, "$1") {
				return
			}
			for _, kind := range []string{"EXPLAIN %s", "COPY (%s) TO STDOUT", "DECLARE c CURSOR FOR %s", "INSERT INTO sink SELECT 1 FROM (%s) s"} {
				part := plannedBytes(t, s, fmt.Sprintf(kind, test.text(4*test.n)))
				if float64(part) > 2*float64(four)+1<<20 {
					t.Errorf("%s takes %d bytes, the query %d", kind, part, four)
				}
			}
		})
	}
}
