package planner

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/internal/seeds"
)

// shapes are statements whose planning could take more than its share, by what they have many of.
var shapes = []struct {
	name string
	of   func(n int) string
}{
	{"chain", chainOf("JOIN")},
	{"left chain", chainOf("LEFT JOIN")},
	{"full chain", chainOf("FULL JOIN")},
	{"star", starOf},
	{"first rows of a chain", func(n int) string { return chainOf("JOIN")(n) + " ORDER BY t0.a LIMIT 10" }},
	{"first rows of a star", func(n int) string { return starOf(n) + " ORDER BY t0.a LIMIT 10" }},
	{"any rows of a star", func(n int) string { return starOf(n) + " LIMIT 10" }},
	{"one key", func(n int) string {
		from := "t t0"
		for i := 1; i < n; i++ {
			from += fmt.Sprintf(" JOIN t t%d USING (a)", i)
		}
		return "SELECT a FROM " + from
	}},
	{"cross", func(n int) string {
		from := "t t0"
		for i := 1; i < n; i++ {
			from += fmt.Sprintf(", t t%d", i)
		}
		return "SELECT t0.a FROM " + from
	}},
	{"lateral", func(n int) string {
		from := "t t0"
		for i := 1; i < n; i++ {
			from += fmt.Sprintf(", LATERAL (SELECT a, b FROM t x WHERE x.a = t%d.b LIMIT 1) t%d", i-1, i)
		}
		return "SELECT t0.a FROM " + from
	}},
	{"in", nestedIn("SELECT a FROM t", "SELECT a FROM t t%d WHERE a IN (%s)")},
	{"exists", nestedIn("SELECT 1 FROM t t%[1]d WHERE b = 1", "SELECT 1 FROM t t%[1]d WHERE EXISTS (%[2]s AND t%[3]d.a = t%[1]d.b)")},
	{"not in", nestedIn("SELECT a FROM t", "SELECT a FROM t t%d WHERE a NOT IN (%s)")},
	{"scalar", nestedIn("SELECT 1", "SELECT a + (%[2]s) FROM t t%[1]d WHERE a = 1")},
	{"from", nestedIn("SELECT a FROM t", "SELECT a FROM (%[2]s) t%[1]d")},
	{"from where", nestedIn("SELECT a FROM t", "SELECT a FROM (%[2]s) t%[1]d WHERE a > %[1]d")},
	{"from group", nestedIn("SELECT a FROM t", "SELECT max(a) AS a FROM (%[2]s) t%[1]d GROUP BY a")},
	{"from join", nestedIn("SELECT a FROM t", "SELECT t%[1]d.a FROM (%[2]s) t%[1]d JOIN t s%[1]d USING (a)")},
	{"with in with", nestedIn("SELECT a FROM t", "WITH t%[1]d AS (%[2]s) SELECT a FROM t%[1]d")},
	{"with list", func(n int) string {
		list := "c0 AS (SELECT a FROM t)"
		for i := 1; i < n; i++ {
			list += fmt.Sprintf(", c%d AS (SELECT a FROM c%d WHERE a > %d)", i, i-1, i)
		}
		return fmt.Sprintf("WITH %s SELECT a FROM c%d", list, n-1)
	}},
	{"with list twice", func(n int) string {
		list := "c0 AS (SELECT a FROM t)"
		for i := 1; i < n; i++ {
			list += fmt.Sprintf(", c%d AS (SELECT x.a FROM c%d x JOIN c%d y USING (a))", i, i-1, i-1)
		}
		return fmt.Sprintf("WITH %s SELECT a FROM c%d", list, n-1)
	}},
	{"union", func(n int) string { return "SELECT a FROM t" + strings.Repeat(" UNION SELECT b FROM t", n-1) }},
	{"union all", func(n int) string { return "SELECT a FROM t" + strings.Repeat(" UNION ALL SELECT b FROM t", n-1) }},
	{"except", func(n int) string { return "SELECT a FROM t" + strings.Repeat(" EXCEPT SELECT b FROM t", n-1) }},
	{"nested union", nestedIn("SELECT a FROM t", "SELECT %d UNION ALL (%s)")},
	{"and", func(n int) string { return "SELECT a FROM t WHERE b <> 0" + strings.Repeat(" AND b <> c + 1", n) }},
	{"or", func(n int) string { return "SELECT a FROM t WHERE b = 0" + strings.Repeat(" OR b = c + 1", n) }},
	{"or of ands", func(n int) string {
		return "SELECT a FROM t WHERE false" + strings.Repeat(" OR b = 1 AND c = 2", n)
	}},
	{"case", nestedIn("a", "CASE WHEN b = %d THEN 1 ELSE %s END", "SELECT ", " FROM t")},
	{"sublinks", func(n int) string {
		q := "SELECT a"
		for i := range n {
			q += fmt.Sprintf(", (SELECT b FROM t x WHERE x.a = t0.b + %d)", i)
		}
		return q + " FROM t t0"
	}},
	{"exists list", func(n int) string {
		q := "SELECT a FROM t t0 WHERE true"
		for i := range n {
			q += fmt.Sprintf(" AND EXISTS (SELECT 1 FROM t x WHERE x.b = t0.b + %d)", i)
		}
		return q
	}},
	{"exists or", func(n int) string {
		q := "SELECT a FROM t t0 WHERE false"
		for i := range n {
			q += fmt.Sprintf(" OR EXISTS (SELECT 1 FROM t x WHERE x.b = t0.b + %d)", i)
		}
		return q
	}},
	{"windows", func(n int) string {
		q := "SELECT a"
		for i := range n {
			q += fmt.Sprintf(", sum(a) OVER (PARTITION BY b + %d)", i)
		}
		return q + " FROM t"
	}},
}

func chainOf(join string) func(int) string {
	return func(n int) string {
		from := "t t0"
		for i := 1; i < n; i++ {
			from += fmt.Sprintf(" %s t t%d ON t%d.b = t%d.c", join, i, i-1, i)
		}
		return "SELECT t0.a FROM " + from
	}
}

func starOf(n int) string {
	var from, on []string
	for i := range n {
		from = append(from, fmt.Sprintf("t t%d", i))
		if i > 0 {
			on = append(on, fmt.Sprintf("t0.b = t%d.c", i))
		}
	}
	return "SELECT t0.a FROM " + strings.Join(from, ", ") + " WHERE " + strings.Join(on, " AND ")
}

// classesOf is a star whose arms meet in one of two columns: all that meet in one are equal.
func classesOf(n int) string {
	var from, on []string
	for i := range n {
		from = append(from, fmt.Sprintf("t t%d", i))
		if i > 0 {
			on = append(on, fmt.Sprintf("t0.%c = t%d.a", 'b'+i%2, i))
		}
	}
	return "SELECT t0.a FROM " + strings.Join(from, ", ") + " WHERE " + strings.Join(on, " AND ")
}

// nestedIn puts a statement n times into another, as the second of its operands: the first
// is the level, the third the level inside.
func nestedIn(inner, outer string, around ...string) func(int) string {
	return func(n int) string {
		q := inner
		if strings.Contains(inner, "%") {
			q = fmt.Sprintf(inner, 0)
		}
		for i := 1; i < n; i++ {
			if strings.Contains(outer, "[3]") {
				q = fmt.Sprintf(outer, i, q, i-1)
			} else {
				q = fmt.Sprintf(outer, i, q)
			}
		}
		if len(around) == 2 {
			q = around[0] + q + around[1]
		}
		return q
	}
}

// shapesCatalog has the table of the shapes: one whose joins have a choice.
func shapesCatalog(t *testing.T) *toyCatalog {
	cat := newToyCatalog()
	cat.define(t, &datadriven.TestData{Cmd: "table", CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"t"}}, {Key: "salt", Vals: []string{"8"}}},
		Input: "a int4 key\nb int4\nc int4\nindex t_c: c; salt 4"})
	return cat
}

// BenchmarkShapes times planning of statements with many of one thing.
func BenchmarkShapes(b *testing.B) {
	cat := shapesCatalog(&testing.T{})
	for _, s := range shapes {
		for _, n := range []int{10, 30, 100, 240, 500} {
			text := s.of(n)
			b.Run(fmt.Sprintf("%s/%d", s.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					if _, err := planText(testContext(cat), text); err != nil {
						b.Skip(err)
					}
				}
			})
		}
	}
}

// TestShapesAreBounded plans each shape small, large and larger than anyone writes it: the
// memory that planning takes in all grows about with the square at most, and what is too
// much is refused as a limit.
func TestShapesAreBounded(t *testing.T) {
	cat := shapesCatalog(t)
	planned := func(text string) (uint64, error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := planText(testContext(cat), text)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, err
	}
	for i := range seeds.Part(t, len(shapes), seeds.Whole) {
		s := shapes[i]
		small, err := planned(s.of(60))
		if err != nil {
			t.Errorf("%s of 60: %v", s.name, err)
			continue
		}
		large, err := planned(s.of(240))
		if err == nil && large > 20*small+128<<20 {
			t.Errorf("%s: planning 60 takes %d bytes, 240 take %d", s.name, small, large)
		}
		_, most := planned(s.of(700))
		for _, err := range []error{err, most} {
			if err == nil {
				continue
			}
			if state := errorText(err); !strings.HasPrefix(state, "54001") && !strings.HasPrefix(state, "54000") {
				t.Errorf("%s: %s", s.name, state)
			}
		}
	}
}
