package session

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/mem"
)

// repeated joins item n times, # being the number.
func repeated(n int, item, sep string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(strings.ReplaceAll(item, "#", fmt.Sprint(i)))
	}
	return b.String()
}

func nested(n int, open, inner, end string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
}

// sizeShapes are texts of n parts.
var sizeShapes = []struct {
	name string
	n    int
	text func(n int) string
}{
	{"casts", 1000, func(n int) string { return "SELECT 1" + strings.Repeat("::int", n) }},
	{"AT TIME ZONE", 1000, func(n int) string { return "SELECT now()" + strings.Repeat(" AT TIME ZONE 'UTC'", n) }},
	{"additions", 1000, func(n int) string { return "SELECT a" + strings.Repeat(" + 1", n) + " FROM t" }},
	{"concatenations", 500, func(n int) string { return "SELECT c" + strings.Repeat(" || 'x'", n) + " FROM t" }},
	{"powers", 500, func(n int) string { return "SELECT a" + strings.Repeat(" ^ 1", n) + " FROM t" }},
	{"parameters added", 500, func(n int) string { return "SELECT $1::int + " + repeated(n, "$1", " + ") }},
	{"IS NULL", 1000, func(n int) string { return "SELECT a" + strings.Repeat(" IS NULL IS TRUE", n) + " FROM t" }},
	{"IS NULL in parentheses", 100, func(n int) string { return "SELECT " + nested(n, "(", "a", " IS NULL)") + " FROM t" }},
	{"IS DISTINCT", 100, func(n int) string { return "SELECT " + nested(n, "(", "1", " IS DISTINCT FROM 1)::int") }},
	{"COLLATE", 1000, func(n int) string { return "SELECT c" + strings.Repeat(` COLLATE "C"`, n) + " FROM t" }},
	{"subscripts", 500, func(n int) string { return "SELECT '{1}'::int[]" + strings.Repeat("[1]", n) }},
	{"LIKE", 100, func(n int) string { return "SELECT " + nested(n, "(", "'a'", " LIKE 'a')::text") }},
	{"BETWEEN", 100, func(n int) string { return "SELECT " + nested(n, "(", "1", " BETWEEN 0 AND 2)::int") }},
	{"BETWEEN of columns", 100, func(n int) string { return "SELECT 1 FROM t WHERE " + repeated(n, "a + # BETWEEN b AND b + #", " OR ") }},
	{"nested CASE of values", 100, func(n int) string {
		return "SELECT " + nested(n, "CASE ", "a", " WHEN 1 THEN 2 WHEN 2 THEN 3 END") + " FROM t"
	}},
	{"IN of two types", 100, func(n int) string { return "SELECT " + nested(n, "(", "a", " IN (b, b::numeric, 3))::int") + " FROM t" }},
	{"row IN in row IN", 100, func(n int) string {
		return "SELECT " + nested(n, "((", "a", ", 1) IN ((1, 1), (2, 2)))::int") + " FROM t"
	}},
	{"nullif", 100, func(n int) string { return "SELECT " + nested(n, "nullif(", "a", ", 1)") + " FROM t" }},
	{"rows compared", 100, func(n int) string { return "SELECT " + nested(n, "((", "a", ", 1) < (1, 2))::int") + " FROM t" }},
	{"quantified", 100, func(n int) string { return "SELECT " + nested(n, "(", "a", " = ANY (ARRAY[1, 2]))::int") + " FROM t" }},
	{"IS TRUE", 100, func(n int) string { return "SELECT " + nested(n, "(", "a > 1", " IS NOT TRUE)") + " FROM t" }},
	{"BETWEEN SYMMETRIC", 100, func(n int) string { return "SELECT " + nested(n, "(", "1", " BETWEEN SYMMETRIC 0 AND 2)::int") }},
	{"minus", 200, func(n int) string { return "SELECT " + strings.Repeat("- ", n) + "a FROM t" }},
	{"NOT", 200, func(n int) string { return "SELECT " + strings.Repeat("NOT ", n) + "a > 1 FROM t" }},
	{"parentheses", 200, func(n int) string { return "SELECT " + nested(n, "(", "a", ")") + " FROM t" }},
	{"AND of OR", 500, func(n int) string { return "SELECT 1 FROM t WHERE " + repeated(n, "(b = # OR b = -#)", " AND ") }},
	{"nested AND and OR", 100, func(n int) string {
		return "SELECT 1 FROM t WHERE " + nested(n, "(b = 1 OR (b = 2 AND ", "b = 3", "))")
	}},
	{"keys AND OR", 50, func(n int) string {
		return "SELECT 1 FROM p WHERE " + repeated(n, "(k = # AND l = # OR k > #)", " OR ")
	}},
	{"nested CASE", 100, func(n int) string {
		return "SELECT " + nested(n, "CASE WHEN a > 1 THEN ", "1", " ELSE 2 END") + " FROM t"
	}},
	{"CASE of a value", 500, func(n int) string { return "SELECT CASE a " + repeated(n, "WHEN # THEN '#'", " ") + " END FROM t" }},
	{"COALESCE", 500, func(n int) string { return "SELECT coalesce(" + repeated(n, "a + #", ", ") + ") FROM t" }},
	{"nested COALESCE", 200, func(n int) string { return "SELECT " + nested(n, "coalesce(a, ", "b", ")") + " FROM t" }},
	{"greatest", 500, func(n int) string { return "SELECT greatest(" + repeated(n, "a + #", ", ") + ") FROM t" }},
	{"calls", 200, func(n int) string { return "SELECT " + nested(n, "upper(", "c", ")") + " FROM t" }},
	{"calls of constants", 200, func(n int) string { return "SELECT " + nested(n, "upper(", "'c'", ")") }},
	{"concat", 300, func(n int) string {
		return "SELECT concat(" + repeated(min(n, 90), "c", ", ") + ") FROM t WHERE c IN (" + repeated(n, "'#'", ", ") + ")"
	}},
	{"position", 100, func(n int) string { return "SELECT " + nested(n, "position(", "'x'", " IN 'abc')::text") }},
	{"overlay", 100, func(n int) string {
		return "SELECT " + nested(n, "overlay(", "c", " PLACING 'x' FROM 1 FOR 1)") + " FROM t"
	}},
	{"substring", 100, func(n int) string { return "SELECT " + nested(n, "substring(", "c", " FOR 10 FROM 1)") + " FROM t" }},
	{"trim", 100, func(n int) string { return "SELECT " + nested(n, "trim(LEADING 'x' FROM ", "c", ")") + " FROM t" }},
	{"trim of a sum", 50, func(n int) string {
		return "SELECT " + nested(n, "trim(BOTH ", "c", " FROM 'x')") + " || " + repeated(n, "c", " || ") + " FROM t"
	}},
	{"wide trim", 100, func(n int) string {
		return "SELECT " + nested(n, "trim(BOTH ", "c || "+repeated(10*n, "c", " || "), " FROM 'x')") + " FROM t"
	}},
	{"wide position", 100, func(n int) string {
		return "SELECT " + nested(n, "position(", repeated(10*n, "c", " || "), " IN 'x')::text") + " FROM t"
	}},
	{"wide AT TIME ZONE", 100, func(n int) string {
		return "SELECT to_timestamp(" + repeated(10*n, "a", " + ") + ")" + strings.Repeat(" AT TIME ZONE 'UTC'", n) + " FROM t"
	}},
	{"wide ORDER BY", 60, func(n int) string {
		return "SELECT " + nested(n, "(SELECT 1 ORDER BY ", repeated(10*n, "1 + 1", ", "), ")")
	}},
	{"wide LIMIT", 60, func(n int) string {
		return "SELECT " + nested(n, "(SELECT 1 LIMIT ", repeated(10*n, "1", " + "), ")")
	}},
	{"wide OFFSET", 60, func(n int) string {
		return "SELECT " + nested(n, "(SELECT 1 OFFSET ", repeated(10*n, "1", " + "), ")")
	}},
	{"wide window", 60, func(n int) string {
		return "SELECT " + nested(n, "(SELECT count(*) OVER w FROM t WINDOW w AS (ORDER BY ", repeated(10*n, "1", " + "), "))")
	}},
	{"wide frame", 60, func(n int) string {
		return "SELECT " + nested(n, "count(*) OVER (ORDER BY a ROWS ", repeated(10*n, "1", " + "), " PRECEDING)")
	}},
	{"queries", 100, func(n int) string { return nested(n, "SELECT * FROM (", "SELECT a FROM t", ") AS q") }},
	{"queries of columns", 60, func(n int) string {
		return nested(n, "SELECT * FROM (", "SELECT "+repeated(20, "a AS c#", ", ")+" FROM t", ") AS q")
	}},
	{"queries in parentheses", 200, func(n int) string { return nested(n, "(", "SELECT 1 ORDER BY 1", ")") }},
	{"scalar queries", 100, func(n int) string { return "SELECT " + nested(n, "(SELECT ", "1", ")") }},
	{"set operations", 100, func(n int) string { return repeated(n, "SELECT #", " UNION ALL ") }},
	{"EXCEPT and INTERSECT", 100, func(n int) string { return repeated(n, "(SELECT #)", " EXCEPT ") }},
	{"WITH of WITH", 100, func(n int) string {
		return "WITH w AS (SELECT 1)" + strings.Join(strings.Split(repeated(n, ", w# AS (SELECT * FROM w)", ""), "\x00"), "") + " SELECT * FROM w1"
	}},
	{"WITH inside WITH", 100, func(n int) string { return nested(n, "WITH w AS (", "SELECT 1", ") SELECT * FROM w") }},
	{"joins", 300, func(n int) string { return "SELECT 1 FROM t AS x " + repeated(n, "JOIN t AS t# ON true", " ") }},
	{"joins in parentheses", 200, func(n int) string { return "SELECT 1 FROM " + nested(n, "(", "t AS a JOIN t ON true", ")") }},
	{"DISTINCT ON", 300, func(n int) string { return "SELECT DISTINCT ON (" + repeated(n, "a + #", ", ") + ") a FROM t" }},
	{"windows", 300, func(n int) string { return "SELECT a FROM t WINDOW " + repeated(n, "w# AS (ORDER BY a)", ", ") }},
	{"grouping sets", 200, func(n int) string {
		return "SELECT 1 FROM t GROUP BY GROUPING SETS (" + repeated(n, "(a, b)", ", ") + ")"
	}},
	{"HAVING", 200, func(n int) string { return "SELECT b FROM t GROUP BY b HAVING " + repeated(n, "sum(a) > #", " AND ") }},
	{"HAVING of sums", 100, func(n int) string { return "SELECT 1 FROM t HAVING " + repeated(n, "sum(a + #) > #", " AND ") }},
	{"groups of sums", 200, func(n int) string { return "SELECT " + repeated(n, "a + b + #", ", ") + " FROM t GROUP BY a, b" }},
	{"row IN", 300, func(n int) string { return "SELECT 1 FROM p WHERE (k, l) IN (" + repeated(n, "(#, #)", ", ") + ")" }},
	{"rows", 300, func(n int) string {
		return "SELECT ROW(" + repeated(n, "1", ", ") + ") = ROW(" + repeated(n, "1", ", ") + ")"
	}},
	{"IN of texts", 1000, func(n int) string { return "SELECT 1 FROM t WHERE c NOT IN (" + repeated(n, "'x#'", ", ") + ")" }},
	{"IN of expressions", 500, func(n int) string { return "SELECT 1 FROM t WHERE a IN (" + repeated(n, "b + #", ", ") + ")" }},
	{"= ANY", 1000, func(n int) string { return "SELECT 1 FROM t WHERE a = ANY ('{" + repeated(n, "#", ",") + "}')" }},
	{"= ANY of ARRAY", 1000, func(n int) string { return "SELECT 1 FROM t WHERE a = ANY (ARRAY[" + repeated(n, "#", ",") + "])" }},
	{"INSERT of columns unknown", 300, func(n int) string { return "INSERT INTO t (" + repeated(n, "n#", ", ") + ") VALUES (1)" }},
	{"SET of columns unknown", 300, func(n int) string { return "UPDATE t SET " + repeated(n, "n# = 1", ", ") }},
	{"SET of a row", 300, func(n int) string {
		return "UPDATE t SET (" + repeated(n, "n#", ", ") + ") = (" + repeated(n, "1", ", ") + ")"
	}},
	{"ON CONFLICT", 300, func(n int) string {
		return "INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET b = " + repeated(n, "t.b + excluded.b", " + ")
	}},
	{"CREATE TABLE", 100, func(n int) string {
		return "CREATE TABLE IF NOT EXISTS n (k INT PRIMARY KEY, " + repeated(n, "c# INT DEFAULT 1 + 1", ", ") + ")"
	}},
	{"CHECK", 50, func(n int) string {
		return "CREATE TABLE IF NOT EXISTS n (k INT PRIMARY KEY, " + repeated(n, "CHECK (k > #)", ", ") + ")"
	}},
	{"long CHECK", 200, func(n int) string {
		return "CREATE TABLE IF NOT EXISTS n (k INT PRIMARY KEY, CHECK (" + repeated(n, "k > #", " OR ") + "))"
	}},
	{"ALTER TABLE", 50, func(n int) string { return "ALTER TABLE t " + repeated(n, "ADD COLUMN c# INT", ", ") }},
	{"DROP TABLE", 300, func(n int) string { return "DROP TABLE IF EXISTS " + repeated(n, "none#", ", ") }},
	{"statements", 300, func(n int) string { return "SELECT 1" + strings.Repeat("; ", n) }},
	{"schemas", 100, func(n int) string { return "SET search_path = " + repeated(n, "s#", ", ") }},
	{"EXECUTE", 300, func(n int) string { return "EXECUTE none (" + repeated(n, "#", ", ") + ")" }},
	{"PREPARE", 300, func(n int) string {
		return "PREPARE none (" + repeated(n, "int", ", ") + ") AS SELECT " + repeated(n, "$1", " + ")
	}},
	{"EXPLAIN", 200, func(n int) string {
		return "EXPLAIN SELECT 1 FROM t WHERE " + repeated(n, "(b > # OR c = '#')", " AND ")
	}},
	{"comments", 1000, func(n int) string { return "SELECT 1 " + strings.Repeat("/* /* */ */ -- x\n", n) }},
	{"nested comments", 1000, func(n int) string { return "SELECT 1 " + nested(n, "/*", "", "*/") }},
	{"hints", 300, func(n int) string { return "SELECT /*+ " + repeated(n, "NO_INDEX(t)", " ") + " */ a FROM t" }},
	{"strings on lines", 1000, func(n int) string { return "SELECT 'a'" + strings.Repeat("\n'a'", n) }},
	{"escapes", 1000, func(n int) string {
		return "SELECT E'" + strings.Repeat(`\u0041`, n) + "', U&'" + strings.Repeat(`\0041`, n) + "'"
	}},
	{"quotes", 1000, func(n int) string { return "SELECT '" + strings.Repeat("''", n) + "'" }},
	{"dollar quotes", 300, func(n int) string { return "SELECT $x$" + repeated(n, "$d#", "") + "$x$" }},
	{"dollar quotes without end", 300, func(n int) string { return "SELECT " + repeated(n, "$d#$ $d#$", " || ") }},
	{"long names", 300, func(n int) string { return "SELECT " + repeated(n, "1 AS a"+strings.Repeat("b", 80), ", ") }},
	{"names", 200, func(n int) string { return "SELECT a" + strings.Repeat(".a", n) }},
	{"type modifiers", 300, func(n int) string { return "SELECT 1::int" + strings.Repeat("[]", n) }},
	{"errors at the end", 1000, func(n int) string { return "SELECT 'é'" + strings.Repeat(" || 'é'", n) + " nope nope" }},
}

// sizeValues are expressions of a parameter of n parts.
var sizeValues = []struct {
	name, expr string
	n          int
	value      func(n int) string
}{
	{"array", "$1::int[]::text", 2000, func(n int) string { return "{" + repeated(n, "#", ",") + "}" }},
	{"array of texts", "$1::text[]::text", 2000, func(n int) string { return "{" + strings.Repeat(`"a\"b",`, n) + "x}" }},
	{"array of holes", "$1::int[]::text", 2000, func(n int) string { return "{" + strings.Repeat(`{},`, n) + "{}}" }},
	{"json array", "$1::jsonb::text", 2000, func(n int) string { return "[" + repeated(n, "#", ",") + "]" }},
	{"json object", "$1::jsonb::text", 2000, func(n int) string { return "{" + repeated(n, `"k#": #`, ",") + "}" }},
	{"json of one key", "$1::jsonb::text", 2000, func(n int) string { return "{" + repeated(n, `"k": #`, ",") + "}" }},
	{"deep json", "$1::jsonb::text", 1000, func(n int) string { return nested(n, "[", "", "]") }},
	{"deep json path", "($1::jsonb #> '{0,0,0,0}')::text", 1000, func(n int) string { return nested(n, "[", "", "]") }},
	{"deep json pretty", "length(jsonb_strip_nulls($1::jsonb)::text)", 1000, func(n int) string { return nested(n, `{"a":`, "1", "}") }},
	{"json equal", "$1::jsonb = $1::jsonb", 1000, func(n int) string { return nested(n, "[", "", "]") }},
	{"json elements", "(SELECT count(*) FROM jsonb_array_elements($1::jsonb))", 2000, func(n int) string { return "[" + repeated(n, "#", ",") + "]" }},
	{"json with lines", "$1::jsonb::text", 2000, func(n int) string { return "[" + strings.Repeat("\n1,", n) + "nope]" }},
	{"LIKE", "'abc' LIKE $1", 2000, func(n int) string { return strings.Repeat("%a_", n) }},
	{"regular expression", "'abc' ~ $1", 500, func(n int) string { return "once" + repeated(n, "|a#", "") }},
	{"regular expression classes", "'abc' ~ $1", 500, func(n int) string { return "once[" + strings.Repeat("a-z0-9", n) + "]" }},
	{"regular expression literals", "'abc' ~ $1", 1000, func(n int) string { return "once" + strings.Repeat("ab", n) }},
	{"replace by expression", "length(regexp_replace($1, 'a', 'bb', 'g'))", 2000, func(n int) string { return strings.Repeat("ab", n) }},
	{"split", "array_length(string_to_array($1, ','), 1)", 2000, func(n int) string { return strings.Repeat("ab,", n) }},
	{"split by expression", "array_length(regexp_split_to_array($1, ','), 1)", 2000, func(n int) string { return strings.Repeat("ab,", n) }},
	{"to_char", "length(to_char(12.5, $1))", 500, func(n int) string { return strings.Repeat(`"x" `, n) }},
	{"to_char of a time", "length(to_char(timestamp '2024-01-01', $1))", 1000, func(n int) string { return strings.Repeat("YYYY ", n) }},
	{"format", "length(format($1, 'x'))", 1000, func(n int) string { return strings.Repeat("%1$s %%", n) }},
	{"interval", "$1::interval::text", 500, func(n int) string { return strings.Repeat("1 day ", n) }},
	{"timestamp", "$1::timestamp::text", 500, func(n int) string { return strings.Repeat("2024 ", n) }},
	{"reverse", "length(reverse($1))", 2000, func(n int) string { return strings.Repeat("aé", n) }},
	{"translate", "length(translate($1, 'ab', 'x'))", 2000, func(n int) string { return strings.Repeat("ab", n) }},
	{"replace", "length(replace($1, 'a', 'xyz'))", 2000, func(n int) string { return strings.Repeat("ab", n) }},
	{"initcap", "length(initcap($1))", 2000, func(n int) string { return strings.Repeat("ab ", n) }},
	{"bytea", "length($1::bytea)", 2000, func(n int) string { return strings.Repeat(`\\001`, n) }},
	{"to_regclass", "to_regclass($1)::text", 1000, func(n int) string { return strings.Repeat(`a.`, n) + "b" }},
	{"parse_ident", "array_length(parse_ident($1), 1)", 1000, func(n int) string { return strings.Repeat(`a.`, n) + "b" }},
	{"array_to_string", "length(array_to_string($1::int[], ','))", 2000, func(n int) string { return "{" + repeated(n, "#", ",") + "}" }},
	{"array of an array", "($1::int[] || $1::int[])::text", 2000, func(n int) string { return "{" + repeated(n, "#", ",") + "}" }},
	{"uuid", "$1::uuid::text", 2000, func(n int) string { return strings.Repeat("-", n) }},
	{"setting", "set_config('application_name', $1, false)", 2000, func(n int) string { return strings.Repeat("x", n) }},
	{"a path", "set_config('search_path', $1, false)", 300, func(n int) string { return repeated(n, "s#", ", ") }},
}

// sizeRuns makes expressions that are kept once compiled differ.
var sizeRuns int

// allocatedBy is the least memory that do takes in all, of a few times: the first fills
// pools, which the collector would empty.
func allocatedBy(do func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := uint64(math.MaxUint64)
	for range 4 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// TestClientSizeIsLinear: what a client sends takes memory in proportion to its size to
// be read, planned, run or refused. A copy per part or level of what grows with them shows
// as the square.
func TestClientSizeIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute, on one goroutine")
	}
	ctx := context.Background()
	store := mem.New()
	defer store.Close()
	db, err := Open(ctx, store, &Options{PlanCache: -1, NoEstimates: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, text := range []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT, c TEXT)", "CREATE TABLE p (k INT, l INT, PRIMARY KEY (k, l))"} {
		if _, err := s.Exec(ctx, text); err != nil {
			t.Fatal(err)
		}
	}
	run := func(text string, args ...any) error {
		rows, err := s.Query(ctx, text, args...)
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		if err := rows.Err(); err != nil && err != io.EOF {
			return err
		}
		return rows.Close()
	}
	check := func(t *testing.T, n int, do func(n int) error) {
		t.Helper()
		var oneErr, fourErr error
		one := allocatedBy(func() { oneErr = do(n) })
		four := allocatedBy(func() { fourErr = do(4 * n) })
		t.Logf("%d: %d bytes, %d: %d bytes (%.60v, %.60v)", n, one, 4*n, four, oneErr, fourErr)
		// What is refused at once for its size is no measure, and little is noise.
		most := 6.0
		if strings.HasSuffix(t.Name(), "/wide_window") {
			most = 18 // each query hands on the columns of those inside it: as deep, so wide
		}
		if float64(four) > most*float64(one)+64<<10 {
			t.Errorf("4 times the size takes %.1f times the memory: %d and %d bytes", float64(four)/float64(one), one, four)
		}
	}
	for i := range seeds.Part(t, len(sizeShapes), 10*time.Second) {
		shape := sizeShapes[i]
		t.Run(shape.name, func(t *testing.T) {
			check(t, shape.n, func(n int) error {
				defer s.Exec(ctx, "DROP TABLE IF EXISTS n")
				defer s.Exec(ctx, "ROLLBACK")
				if _, err := s.Exec(ctx, "BEGIN"); err != nil {
					t.Fatal(err)
				}
				return run(shape.text(n))
			})
		})
	}
	for _, value := range sizeValues {
		t.Run("value: "+value.name, func(t *testing.T) {
			check(t, value.n, func(n int) error {
				sizeRuns++
				return run("SELECT "+value.expr, strings.Replace(value.value(n), "once", fmt.Sprint("once", sizeRuns), 1))
			})
		})
	}
}
