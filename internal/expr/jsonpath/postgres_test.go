package jsonpath_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	exec "github.com/saltsql/saltsql/internal/expr/jsonpath"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/jsonpath"
	"github.com/saltsql/saltsql/internal/types/jsonval"
)

// answers makes of a path over a document all that the functions say, one to a line: the
// path's text, and what each of them gives in its modes.
const answers = `
CREATE FUNCTION answers(doc text, path text, vars text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  d jsonb := doc; v jsonb := vars; p jsonpath; r text; one text; code text; msg text; det text; hint text;
BEGIN
  BEGIN
    p := path;
    r := p::text;
  EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, msg = MESSAGE_TEXT, det = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN code || '|' || msg || '|' || det || '|' || hint;
  END;
  FOR i IN 0..5 LOOP
    BEGIN
      one := CASE i
        WHEN 0 THEN (SELECT string_agg(x::text, ' ; ') FROM jsonb_path_query(d, p, v) x)
        WHEN 1 THEN (SELECT string_agg(x::text, ' ; ') FROM jsonb_path_query_tz(d, p, v, true) x)
        WHEN 2 THEN jsonb_path_exists(d, p, v)::text
        WHEN 3 THEN jsonb_path_exists_tz(d, p, v, true)::text
        WHEN 4 THEN (d @? p)::text
        ELSE (SELECT string_agg(x::text, ' ; ') FROM jsonb_path_query(d, p, v, true) x) END;
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, msg = MESSAGE_TEXT, det = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
      one := code || '|' || msg || '|' || det || '|' || hint;
    END;
    r := r || E'\n' || coalesce(one, 'null');
  END LOOP;
  RETURN r;
END $$`

func failure(err error) string {
	e := sqlerr.As(err)
	if e == nil {
		return err.Error()
	}
	return e.Code.String() + "|" + e.Message + "|" + e.Detail + "|" + e.Hint
}

// here is what answers gives, computed by this package.
func here(doc, vars *jsonval.Value, text string, loc *time.Location) string {
	p, err := jsonpath.Parse(text)
	if err != nil {
		return failure(err)
	}
	stored := string(p.AppendStored(nil))
	back, err := jsonpath.Parse(stored)
	if err != nil {
		return "stored as " + stored + ": " + failure(err)
	}
	if again := string(back.AppendStored(nil)); again != stored {
		return "stored as " + stored + ", then " + again
	}
	out := []string{string(p.Append(nil))}
	if got := string(back.Append(nil)); got != out[0] {
		return "stored as " + stored + ", which prints as " + got
	}
	query := func(tz, silent, noVars bool) *exec.Query {
		q := &exec.Query{Path: back, Doc: doc, Vars: vars, Silent: silent, TZ: tz, Zone: loc, Now: time.Now()}
		if noVars {
			q.Vars = nil
		}
		return q
	}
	rows := func(q *exec.Query) {
		found, err := q.Find()
		var s []string
		for _, v := range found {
			s = append(s, string(v.Append(nil)))
		}
		switch {
		case err != nil:
			out = append(out, failure(err))
		case s == nil:
			out = append(out, "null")
		default:
			out = append(out, strings.Join(s, " ; "))
		}
	}
	exists := func(q *exec.Query) {
		ok, known, err := q.Exists()
		switch {
		case err != nil:
			out = append(out, failure(err))
		case !known:
			out = append(out, "null")
		default:
			out = append(out, strconv.FormatBool(ok))
		}
	}
	rows(query(false, false, false))
	rows(query(true, true, false))
	exists(query(false, false, false))
	exists(query(true, true, false))
	exists(query(false, true, true))
	rows(query(false, true, false))
	return strings.Join(out, "\n")
}

type pair struct{ doc, path, vars string }

// TestAgainstPostgres asks random paths of random documents here and in PostgreSQL, which
// must give the same values, or the same SQLSTATE, message, detail and hint. SALTSQL_PATHS
// is how many it asks.
func TestAgainstPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	count := 3000
	if n, err := strconv.Atoi(os.Getenv("SALTSQL_PATHS")); err == nil {
		count = n
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	const zone = "America/New_York"
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{answers, "SET TimeZone = '" + zone + "'", "SET statement_timeout = '60s'"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	seed := seeds.First(t)
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	const batch = 250
	faults, errorsSeen := 0, 0
	for asked := 0; asked < count && faults < 20; asked += batch {
		pairs := make([]pair, batch)
		for i := range pairs {
			pairs[i] = g.pair()
		}
		packed, err := json.Marshal(pack(pairs))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := conn.Query(ctx, `SELECT answers(x->>0, x->>1, x->>2) FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS _(x, n) ORDER BY n`, string(packed))
		if err != nil {
			t.Fatal(err)
		}
		want, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			var pe *pgconn.PgError
			if errors.As(err, &pe) {
				t.Fatalf("%s: %s", pe.Code, pe.Message)
			}
			t.Fatal(err)
		}
		for i, p := range pairs {
			// A message of PostgreSQL's may end within a character.
			want[i] = strings.ToValidUTF8(want[i], "")
			doc, err := jsonval.Parse(p.doc)
			if err != nil {
				t.Fatal(p.doc, err)
			}
			vars, err := jsonval.Parse(p.vars)
			if err != nil {
				t.Fatal(p.vars, err)
			}
			if strings.Contains(want[i], "|") {
				errorsSeen++
			}
			if got := here(doc, vars, p.path, loc); got != want[i] {
				faults++
				t.Errorf("seed %d\npath %s\ndoc %s vars %s\nhere\n%s\npostgres\n%s", seed, p.path, p.doc, p.vars, got, want[i])
			}
		}
	}
	t.Logf("seed %d: %d pairs, %d with errors", seed, count, errorsSeen)
}

func pack(pairs []pair) [][]string {
	out := make([][]string, len(pairs))
	for i, p := range pairs {
		out[i] = []string{p.doc, p.path, p.vars}
	}
	return out
}

// generator makes paths that mostly parse, and documents in which they find something.
type generator struct {
	*rand.Rand
	filters, subs int
}

func (g *generator) pick(of ...string) string { return of[g.IntN(len(of))] }
func (g *generator) one(in int) bool          { return g.IntN(in) == 0 }

func (g *generator) pair() pair {
	p := pair{doc: g.doc(4), vars: "{}"}
	if g.one(2) {
		p.vars = `{"x": ` + g.doc(1) + `, "y": ` + g.doc(2) + `, "n": ` + g.number() + `}`
	}
	p.path = g.pick("", "", "lax ", "strict ", "strict ")
	if g.one(3) {
		p.path += g.predicate(3)
	} else {
		p.path += g.expr(3)
	}
	if g.one(12) {
		p.path = g.damage(p.path)
	}
	return p
}

// damage changes a few bytes.
func (g *generator) damage(s string) string {
	for range 1 + g.IntN(2) {
		at := g.IntN(len(s) + 1)
		switch g.IntN(3) {
		case 0:
			s = s[:at] + g.pick(" ", ".", "(", ")", "?", "@", "last", "is unknown", "!", "&&", "1", "00", "1e", ".5", "a", "$", `"`, `\`, `\u00e4`, `\x41`, "/**/", "/*", "**", "{", "}", "[", "]", ",", "to", "==", "=", "-", "\t", "null", "NULL", "True", "starts with", "like_regex", "flag", "strict", "é") + s[at:]
		case 1:
			s = s[:min(at, len(s))]
		default:
			end := min(len(s), at+1+g.IntN(4))
			s = s[:at] + s[end:]
		}
	}
	return strings.ToValidUTF8(s, "")
}

func (g *generator) number() string {
	return g.pick("0", "1", "2", "-1", "1.5", "-2.50", "10", "3.0", "100000000000000000000", "0.00001", "1e3", "12345.678", "-0.5", "2147483648", "0.000000000000000000000000000000000000000000000000000000000000000000001", "1e310", "1000000000000", "10000", "20000.0000")
}

func (g *generator) text() string {
	return g.pick("", "a", "b", "abc", "aBc", "x y", "é", "1", "1.5", "1e400", " 2 ", "NaN", "inf", "0x1p3", "a\\nb", "null",
		"2017-03-10", "12:34:56", "12:34:56.789", "12:34:56+03", "12:34:56 -04:30", "2017-03-10 12:34:56", "2017-03-10T12:34:56.5", "2017-03-10 12:34:56+05:30", "2017-03-10T12:34:56 +02", "2017-03-11", "2017-03-10 00:00:00", "2017-03-10 05:00:00+00", "16:34:56+00", "10.03.2017", "0001-01-01", "5874897-01-01", "294277-01-01 00:00:00", "2017-02-30", "24:00:00", "23:59:60", "12:34:56.9999999", "10/03/17 1:02 PM", "2017-03-12 02:30:00")
}

func (g *generator) quoted(s string) string { return `"` + s + `"` }

func (g *generator) doc(depth int) string {
	n := 9
	if depth == 0 {
		n = 5
	}
	switch g.IntN(n) {
	case 0:
		return g.number()
	case 1:
		return g.pick("true", "false", "null")
	case 2, 3, 4:
		if g.one(2) {
			return g.number()
		}
		return g.quoted(g.text())
	case 5, 6:
		var parts []string
		for range g.IntN(4) {
			parts = append(parts, g.doc(depth-1))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	var parts []string
	for range g.IntN(4) {
		parts = append(parts, g.quoted(g.key())+": "+g.doc(depth-1))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (g *generator) key() string {
	return g.pick("a", "b", "a", "b", "c", "key", "value", "id", "é", "abcdef")
}

func (g *generator) expr(depth int) string {
	if depth > 0 {
		switch g.IntN(8) {
		case 0:
			return g.expr(depth-1) + g.pick(" + ", " - ", "*", " / ", " % ", "-") + g.expr(depth-1)
		case 1:
			return g.pick("-", "+", "- ") + g.expr(depth-1)
		case 2:
			s := "(" + g.expr(depth-1) + ")"
			if g.one(2) {
				s += g.steps(depth - 1)
			}
			return s
		case 3:
			return "(" + g.predicate(depth-1) + ")" + g.step(depth-1) + g.steps(depth-1)
		}
	}
	return g.primary(depth) + g.steps(depth)
}

func (g *generator) primary(depth int) string {
	switch g.IntN(14) {
	case 0:
		return g.pick("0", "1", "2", "1.5", ".5", "3.", "1e2", "10", "(2)", "100000000000", "0.0")
	case 1:
		return g.quoted(g.text())
	case 2:
		return g.pick("true", "false", "null")
	case 3:
		return g.pick("$x", "$y", "$n", `$"x"`, "$z")
	case 4, 5, 6:
		if g.subs > 0 || g.one(60) {
			return "last"
		}
	}
	if g.filters > 0 && !g.one(5) || g.one(80) {
		return "@"
	}
	return "$"
}

func (g *generator) steps(depth int) (s string) {
	for range g.IntN(3) {
		s += g.step(depth)
	}
	return s
}

func (g *generator) level() string { return g.pick("0", "1", "2", "last") }

func (g *generator) step(depth int) string {
	switch g.IntN(15) {
	case 0, 1, 2, 3:
		return g.pick(".", " . ") + g.keyStep()
	case 4:
		return ".*"
	case 5:
		return "[*]"
	case 6:
		return g.pick(".**", ".**{"+g.level()+"}", ".**{"+g.level()+" to "+g.level()+"}")
	case 7, 8:
		g.subs++
		defer func() { g.subs-- }()
		s := "[" + g.sub(depth)
		for g.one(3) {
			s += g.pick(",", ", ") + g.sub(depth)
		}
		return s + "]"
	case 9, 10:
		if depth > 0 {
			g.filters++
			defer func() { g.filters-- }()
			return g.pick("?(", " ? (") + g.predicate(depth-1) + ")"
		}
	case 11:
		return ".datetime(" + g.pick("", "", "", `"yyyy-mm-dd"`, `"HH24:MI:SS"`, `"yyyy-mm-dd HH24:MI:SS TZH"`, `"dd.mm.yyyy"`, `"HH24:MI:SS.FF2"`, `"yyyy-mm-dd HH24:MI:SS.FF1"`, `"HH24:MI:SSTZH"`, `"HH24:MI:SSTZH:TZM"`, `"dd/mm/yy HH12:MI AM"`, `"FMyyyy-mm-dd"`, `"yyyy@mm"`, `"yyyy TZ"`, `""`, `"yyyy-mm-ddTZH"`, `"\"x\"yyyy"`, `"yyyy-ddd"`, `"J"`, `"yyyy-mm-dd HH12"`, `"Day"`, `"SSSS"`, `"yyyy-mm-dd HH24:MI:SS.US"`) + ")"
	}
	return g.pick(".type()", ".size()", ".double()", ".ceiling()", ".floor()", ".abs()", ".keyvalue()", ".type()", ".keyvalue()")
}

func (g *generator) keyStep() string {
	return g.pick("a", "b", "c", "key", "value", `id`, "type", "size", "last", "is", "é", "abcdef")
}

func (g *generator) sub(depth int) string {
	e := func() string {
		if depth == 0 || g.one(2) {
			return g.pick("0", "1", "2", "last", "last - 1", "1.9", "-1", "$n", "3")
		}
		return g.expr(depth - 1)
	}
	if g.one(3) {
		return e() + " to " + e()
	}
	return e()
}

func (g *generator) predicate(depth int) string {
	if depth > 0 {
		switch g.IntN(9) {
		case 0:
			return g.predicate(depth-1) + g.pick(" && ", " || ", "||", "&&") + g.predicate(depth-1)
		case 1:
			return g.pick("!", "! ") + g.pick("exists("+g.expr(depth-1)+")", "("+g.predicate(depth-1)+")")
		case 2:
			return "(" + g.predicate(depth-1) + ") is unknown"
		case 3:
			return "exists (" + g.expr(depth-1) + ")"
		case 4:
			return "(" + g.predicate(depth-1) + ")"
		case 5:
			return g.expr(depth-1) + " starts with " + g.pick(`"a"`, `""`, `"2017"`, "$x", "$y", "$z")
		case 6:
			return g.expr(depth-1) + " like_regex " + g.pick(`"^a"`, `"A.C"`, `"^\\\\d+"`, `"a.b"`, `"^b"`, `"("`, `"."`) +
				g.pick("", "", ` flag "i"`, ` flag "s"`, ` flag "m"`, ` flag "q"`, ` flag "iqsm"`, ` flag "x"`, ` flag "qx"`, ` flag "w"`)
		}
	}
	return g.expr(max(depth-1, 0)) + g.pick(" == ", " < ", ">", " <= ", " >= ", " != ", "<>") + g.expr(max(depth-1, 0))
}

func Example() {
	p, _ := jsonpath.Parse("$.a ? (@ > 1)")
	doc, _ := jsonval.Parse(`{"a": [1, 2, 3.50]}`)
	found, _ := (&exec.Query{Path: p, Doc: doc}).Find()
	for _, v := range found {
		fmt.Println(string(v.Append(nil)))
	}
	// Output:
	// 2
	// 3.50
}
