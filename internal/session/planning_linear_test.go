package session

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

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

// TestPlanningIsLinear: statements of n parts take memory in proportion to n. A copy per
// parameter, column or row of what grows with them shows as the square.
func TestPlanningIsLinear(t *testing.T) {
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
	for _, text := range []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT, c TEXT)", "CREATE TABLE wide (k INT PRIMARY KEY, " + strings.Join(columns, ", ") + ")"} {
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
	for name, test := range map[string]struct {
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
		"CTEs":  {50, func(n int) string { return "WITH " + list(n, "w# AS (SELECT #)") + " SELECT * FROM w1" }},
	} {
		t.Run(name, func(t *testing.T) {
			one, four := plannedBytes(t, s, test.text(test.n)), plannedBytes(t, s, test.text(4*test.n))
			t.Logf("%d: %d bytes, %d: %d bytes", test.n, one, 4*test.n, four)
			if float64(four) > 6*float64(one) {
				t.Errorf("4 times the text takes %.1f times the memory: %d and %d bytes", float64(four)/float64(one), one, four)
			}
		})
	}
}
