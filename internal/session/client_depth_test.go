package session

import (
	"context"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

// depthStack is what a goroutine's stack may grow to here: a sixteenth of the usual
// limit, so that recursion without a bound fails at once.
const depthStack = 64 << 20

// TestClientDepth: whatever a client nests in texts and values is served or refused, of
// any depth, on a small stack.
func TestClientDepth(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute, on one goroutine")
	}
	defer debug.SetMaxStack(debug.SetMaxStack(depthStack))
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
	for _, text := range []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT, c TEXT, j JSONB)", "INSERT INTO t VALUES (1, 1, 'x', '[[[1]]]')"} {
		if err := run(text); err != nil {
			t.Fatal(err)
		}
	}
	const deep = 200_000
	refused := []sqlerr.Code{sqlerr.StatementTooComplex, sqlerr.SyntaxError, sqlerr.FeatureNotSupported, sqlerr.ProgramLimitExceeded,
		sqlerr.DatatypeMismatch, sqlerr.UndefinedFunction, sqlerr.UndefinedTable, sqlerr.TooManyColumns}
	forms := map[string]struct{ open, inner, end string }{
		"parentheses":             {"(", "1", ")"},
		"open parentheses":        {"(", "", ""},
		"minus":                   {"- ", "1", ""},
		"NOT":                     {"NOT ", "true", ""},
		"operators before":        {"~ ", "1", ""},
		"OPERATOR before":         {"OPERATOR(pg_catalog.~) ", "1", ""},
		"CASE":                    {"CASE WHEN true THEN ", "1", " END"},
		"CASE of a value":         {"CASE ", "1", " WHEN 1 THEN 1 END"},
		"ELSE":                    {"CASE WHEN true THEN 1 ELSE ", "1", " END"},
		"calls":                   {"abs(", "1", ")"},
		"coalesce":                {"coalesce(", "1", ", 2)"},
		"CAST":                    {"CAST(", "1", " AS int)"},
		"extract":                 {"extract(year FROM ", "now()", ")"},
		"position":                {"position('a' IN ", "'a'", ")::text"},
		"overlay":                 {"overlay(", "'a'", " PLACING 'b' FROM 1)"},
		"trim":                    {"trim(", "'a'", ")"},
		"arrays":                  {"ARRAY[", "1", "]"},
		"bracket lists":           {"[", "1", "]"},
		"rows":                    {"ROW(", "1", ")"},
		"queries":                 {"(SELECT ", "1", ")"},
		"EXISTS":                  {"EXISTS (SELECT ", "1", ")"},
		"ARRAY of queries":        {"ARRAY(SELECT ", "1", ")"},
		"IN of queries":           {"1 IN (SELECT ", "1", ")"},
		"IN":                      {"1 IN (", "1", ")"},
		"ANY":                     {"1 = ANY (", "'{1}'", ")"},
		"windows":                 {"count(*) OVER (PARTITION BY ", "1", ")"},
		"filters":                 {"count(*) FILTER (WHERE ", "true", ")"},
		"orders":                  {"array_agg(1 ORDER BY ", "1", ")"},
		"casts":                   {"", "1", "::int"},
		"subscripts":              {"", "'{1}'::int[]", "[1]"},
		"slices":                  {"", "'{1}'::int[]", "[1:1]"},
		"fields":                  {"", "(a)", ".a"},
		"names":                   {"", "a", ".a"},
		"array types":             {"", "1::int", "[]"},
		"additions":               {"", "1", " + 1"},
		"parameters":              {"", "$1::int", " + $1"},
		"powers":                  {"", "1", " ^ 1"},
		"concatenations":          {"", "'a'", " || 'a'"},
		"json paths":              {"", "'[]'::jsonb", " -> 0"},
		"OPERATOR between":        {"", "1", " OPERATOR(pg_catalog.+) 1"},
		"AND":                     {"", "true", " AND a > 1"},
		"OR":                      {"", "true", " OR a > 1"},
		"AND in OR":               {"a > 1 AND (b > 1 OR ", "true", ")"},
		"IS NULL":                 {"", "1", " IS NULL"},
		"IS TRUE":                 {"", "true", " IS TRUE"},
		"ISNULL":                  {"", "1", " ISNULL"},
		"COLLATE":                 {"", "'a'", ` COLLATE "C"`},
		"AT TIME ZONE":            {"", "now()", " AT TIME ZONE 'UTC'"},
		"BETWEEN":                 {"1 BETWEEN ", "1", " AND 2"},
		"BETWEEN of its operand":  {"(", "1", " BETWEEN 0 AND 2)::int"},
		"SYMMETRIC":               {"(", "1", " BETWEEN SYMMETRIC 0 AND 2)::int"},
		"LIKE":                    {"'a' LIKE ", "'a'", " ESCAPE 'x'"},
		"SIMILAR":                 {"'a' SIMILAR TO (", "'a'", ")"},
		"DISTINCT FROM":           {"(1 IS DISTINCT FROM ", "1", ")::int"},
		"intervals":               {"INTERVAL ", "'1'", ""},
		"comments":                {"/* ", "1", " */"},
		"lists in FROM":           {"1 FROM (SELECT ", "1", ") AS q"},
		"joins":                   {"", "1 FROM t", " CROSS JOIN t"},
		"joins in parentheses":    {"", "1 FROM " + strings.Repeat("(", deep) + "t", ""},
		"functions in FROM":       {"", "1 FROM t", ", generate_series(1, 2)"},
		"UNION":                   {"", "1", " UNION ALL SELECT 1"},
		"INTERSECT":               {"", "1", " INTERSECT SELECT 1"},
		"queries in parentheses":  {"", "1 UNION " + strings.Repeat("(", deep) + "SELECT 1", ""},
		"GROUPING SETS":           {"", "1 FROM t GROUP BY " + strings.Repeat("GROUPING SETS (", deep) + "a", ""},
		"ROLLUP":                  {"", "1 FROM t GROUP BY " + strings.Repeat("ROLLUP (", deep) + "a", ""},
		"ORDER BY in queries":     {"", "1 ORDER BY " + strings.Repeat("(SELECT 1 ORDER BY ", deep) + "1", ""},
		"LIMIT in queries":        {"", "1 LIMIT " + strings.Repeat("(SELECT 1 LIMIT ", deep) + "1", ""},
		"WITH after the SELECT":   {"", "1 FROM (" + strings.Repeat("WITH w AS (", deep) + "SELECT 1", ""},
		"DISTINCT ON":             {"", "DISTINCT ON " + strings.Repeat("(", deep) + "1", ""},
		"schemas before a column": {"", `"a"`, `."a"`},
	}
	names := slices.Sorted(maps.Keys(forms))
	for i := range seeds.Part(t, len(names), 10*time.Second) {
		name, part := names[i], forms[names[i]]
		t.Run(name, func(t *testing.T) {
			depths := []int{150, 3900, 9000, deep}
			if part.open == "" && part.end == "" { // its inner part is deep
				depths = depths[:1]
			}
			for _, n := range depths {
				body := strings.Repeat(part.open, n) + part.inner + strings.Repeat(part.end, n)
				for _, text := range []string{
					"SELECT " + body, "SELECT " + body + " FROM t", "EXPLAIN SELECT " + body, "SELECT 1 FROM t WHERE (" + body + ") IS NULL",
					"INSERT INTO t SELECT 5, " + body, "UPDATE t SET b = " + body + " WHERE a = 2", "DELETE FROM t WHERE a = 2 RETURNING " + body,
					"PREPARE p AS SELECT " + body, "DECLARE c CURSOR WITH HOLD FOR SELECT " + body,
					"CREATE TABLE n (k INT PRIMARY KEY, d INT DEFAULT " + body + ", CHECK ((" + body + ") IS NOT NULL))",
					"INSERT INTO n VALUES (1)", "SHOW CREATE TABLE n", "ALTER TABLE t ALTER COLUMN b SET DEFAULT " + body, "INSERT INTO t (a) VALUES (3)",
					"DROP TABLE IF EXISTS n", "ALTER TABLE t ALTER COLUMN b DROP DEFAULT", "DELETE FROM t WHERE a > 1", "DEALLOCATE ALL", "CLOSE ALL",
				} {
					if n == deep && !strings.HasPrefix(text, "SELECT") {
						continue
					}
					err := run(text)
					if code := sqlerr.CodeOf(err); err != nil && code == sqlerr.InternalError {
						t.Errorf("%d: %.40s: %v", n, text, err)
					} else if n == deep && err != nil && !slices.Contains(refused, code) && code.String()[:2] != "42" && code.String()[:2] != "22" {
						t.Errorf("%d: %.40s: %v %v", n, text, code, err)
					}
				}
			}
		})
	}
	const levels = 100_000
	nest := func(open, inner, end string) string {
		return strings.Repeat(open, levels) + inner + strings.Repeat(end, levels)
	}
	values := []struct{ name, value string }{
		{"brackets", nest("[", "", "]")}, {"open brackets", nest("[", "", "")}, {"objects", nest(`{"a":`, "1", "}")}, {"braces", nest("{", "1", "}")},
		{"parentheses", nest("(", "a", ")")}, {"open parentheses", nest("(", "", "")}, {"groups repeated", nest("(", "a", ")*")}, {"groups", nest("(?:", "a", ")")},
		{"repetitions", nest("", "a", "{1,2}")}, {"stars", nest("", "a", "*")}, {"alternatives", nest("a|", "", "")}, {"classes", nest("[[:", "", ":]]")},
		{"wildcards", nest("%_", "", "")}, {"escapes", nest(`\`, "", "")}, {"quotes", nest(`"`, "", "")}, {"signs", nest("-", "1", "")}, {"dots", nest("a.", "a", "")},
		{"units", nest("1 day ", "", "")}, {"digits", nest("9", "", "")}, {"points", nest("1.", "", "")}, {"formats", nest("%1$s", "", "")}, {"templates", nest(`"x"FM9`, "", "")},
		{"commas", nest("1,", "1", "")}, {"ranges", nest("[1,", "", "]")}, {"names", nest("pg_catalog.", "t", "")}, {"array types", nest("", "int", "[]")},
	}
	for i := range seeds.Part(t, len(values), 10*time.Second) {
		value := values[i]
		t.Run("value: "+value.name, func(t *testing.T) {
			for _, e := range []string{
				"$1::json::text", "$1::jsonb::text", "$1::jsonb = $1::jsonb", "$1::jsonb @> $1::jsonb", "$1::jsonb #> '{0,0}'", "jsonb_pretty($1::jsonb)",
				"jsonb_set($1::jsonb, '{0,0,0}', $1::jsonb)", "'[]'::jsonb #> $1::text[]", "json_strip_nulls($1::json)", "to_jsonb($1::text)", "jsonb_build_array($1::json)",
				"$1::int[]", "$1::text[][]", "$1::json[]", "'a' ~ $1", "'aaaaaaaaaaaaaaaaaaaaaaab' ~ $1", "$1 ~ '(a|b)*c'", "$1 ~ '^(\\(*a)*$'", "regexp_replace($1, '(.)(.)', '\\2', 'g')", "'a' SIMILAR TO $1",
				"'abc' LIKE $1", "$1 LIKE '%a%b%c%'", "$1 LIKE $1", "to_char(1.5, $1)", "to_char(now(), $1)", "to_timestamp('2024', $1)", "to_number('1', $1)", "to_date($1, $1)",
				"$1::numeric", "$1::float8", "$1::interval", "$1::timestamptz", "$1::date", "$1::time", "$1::uuid", "$1::bytea", "$1::bool",
				"format($1, 'x')", "to_regclass($1)", "to_regtype($1)", "parse_ident($1)", "$1::regclass", "quote_ident($1)", "string_to_array($1, ',')", "set_config('search_path', $1, false)",
				"set_config('timezone', $1, false)", "now() AT TIME ZONE $1", "set_config('datestyle', $1, false)", "set_config('work_mem', $1, false)",
			} {
				if strings.HasPrefix(e, "to_") && strings.Contains(e, ", $1)") && !strings.Contains("templates quotes escapes", value.name) {
					continue // each character of a template is one of its parts
				}
				err := run("SELECT "+e, value.value)
				if code := sqlerr.CodeOf(err); err != nil && code == sqlerr.InternalError {
					t.Errorf("%s: %v", e, err)
				}
			}
			for _, options := range []string{"", " (FORMAT csv)"} {
				if _, err := s.CopyFrom(ctx, "COPY t (a, j) FROM STDIN"+options, strings.NewReader("7\t"+value.value+"\n")); sqlerr.CodeOf(err) == sqlerr.InternalError && err != nil {
					t.Errorf("COPY%s: %v", options, err)
				}
			}
			run("RESET ALL")
		})
	}
}
