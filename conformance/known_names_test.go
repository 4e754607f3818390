package conformance

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/dialect/utility"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// namesOf asks PostgreSQL for names, each with the number of its arguments.
func namesOf(t *testing.T, conn *pgx.Conn, query string) (names []string, args map[string]int) {
	t.Helper()
	rows, err := conn.Query(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	args = map[string]int{}
	for rows.Next() {
		var name string
		var n int
		if err := rows.Scan(&name, &n); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
		args[name] = n
	}
	if err := rows.Err(); err != nil || len(names) < 50 {
		t.Fatalf("%d names: %v", len(names), err)
	}
	return names, args
}

// TestPostgresNames: whatever users of PostgreSQL may call or name is here, or is refused as
// not supported with what to do instead; nothing is said not to exist.
func TestPostgresNames(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	db := openObserved(t, "mem", nil, nil)
	s, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	refused := func(t *testing.T, sql string) {
		t.Helper()
		_, err := s.Prepare(ctx, sql)
		if e := sqlerr.As(err); e == nil || e.Code != sqlerr.FeatureNotSupported || e.Hint == "" {
			t.Errorf("%s: %v", sql, err)
		}
	}

	t.Run("functions", func(t *testing.T) {
		names, args := namesOf(t, conn, `SELECT proname, min(pronargs) FROM pg_proc p WHERE pronamespace = 'pg_catalog'::regnamespace GROUP BY 1 ORDER BY 1`)
		listed := map[string]bool{}
		rows, err := saltsql.All[struct{ Name string }](ctx, db, "SELECT DISTINCT proname AS name FROM pg_proc")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			listed[r.Name] = true
		}
		for _, name := range names {
			if expr.IsFunction(name) {
				if !listed[name] {
					t.Errorf("pg_proc does not list %s", name)
				}
				continue
			}
			call := fmt.Sprintf(`pg_catalog.%q(%s)`, name, strings.TrimSuffix(strings.Repeat("NULL, ", args[name]), ", "))
			if _, err := s.Prepare(ctx, "SELECT "+call); err == nil {
				continue // a cast by the name of its type, or one that has a plan node of its own
			}
			refused(t, "SELECT "+call)
			refused(t, "SELECT * FROM "+call)
			refused(t, "SELECT "+call+" OVER ()")
		}
	})
	t.Run("families", func(t *testing.T) {
		// What is no part of an operator, a type, an index or the system's own tables is called by
		// users, who are to be told more than that.
		names, _ := namesOf(t, conn, `SELECT proname, 0 FROM pg_proc p
			WHERE pronamespace = 'pg_catalog'::regnamespace AND NOT 'internal'::regtype = ANY (proargtypes) AND NOT 'cstring'::regtype = ANY (proargtypes)
			AND prorettype NOT IN (SELECT oid FROM pg_type WHERE typname ~ '_handler$' OR typname IN ('internal', 'trigger', 'event_trigger', 'cstring'))
			AND NOT EXISTS (SELECT FROM pg_operator o WHERE o.oprcode = p.oid OR o.oprrest = p.oid OR o.oprjoin = p.oid)
			AND NOT EXISTS (SELECT FROM pg_type t WHERE p.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin, t.typmodout))
			AND NOT EXISTS (SELECT FROM pg_amproc a WHERE a.amproc = p.oid) AND NOT EXISTS (SELECT FROM pg_cast c WHERE c.castfunc = p.oid)
			AND NOT EXISTS (SELECT FROM pg_aggregate a WHERE p.oid IN (a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn, a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn))
			AND NOT EXISTS (SELECT FROM pg_type WHERE typname = proname) AND p.oid <> 'enum_send'::regproc
			ORDER BY 1`)
		for _, name := range names {
			if expr.IsInternal(name) {
				t.Errorf("%s is refused as if only operators were made of it", name)
			}
		}
	})
	t.Run("types", func(t *testing.T) {
		names, _ := namesOf(t, conn, `SELECT typname, 0 FROM pg_type t WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r', 'm')
			AND NOT EXISTS (SELECT FROM pg_type e WHERE e.oid = t.typelem AND e.typtype IN ('c', 'p')) ORDER BY 1`)
		for _, name := range names {
			sql := fmt.Sprintf("SELECT NULL::pg_catalog.%q", name)
			if _, err := s.Prepare(ctx, sql); err != nil {
				refused(t, sql)
			}
		}
	})
	t.Run("operators", func(t *testing.T) {
		names, args := namesOf(t, conn, `SELECT DISTINCT ON (oprname, oprleft = 0) oprname || CASE WHEN oprleft = 0 THEN ' prefix' ELSE '' END, CASE WHEN oprleft = 0 THEN 1 ELSE 2 END FROM pg_operator`)
		for _, name := range names {
			left := "1"
			if args[name] == 1 {
				left = ""
			}
			op := strings.TrimSuffix(name, " prefix")
			sql := fmt.Sprintf("SELECT %s OPERATOR(pg_catalog.%s) true", left, op)
			if len(left) > 0 && expr.IsOperator(op, 2) || len(left) == 0 && expr.IsOperator(op, 1) {
				continue
			}
			refused(t, sql)
		}
	})
	t.Run("overloads", func(t *testing.T) {
		// Of values whose types there are.
		typed := func(types ...string) (args []string, known bool) {
			for _, name := range types {
				name, variadic := strings.CutPrefix(name, "!")
				if _, err := s.Prepare(ctx, "SELECT NULL::"+name); err != nil {
					return nil, false
				}
				if name = "NULL::" + name; variadic {
					name = "VARIADIC " + name
				}
				args = append(args, name)
			}
			return args, true
		}
		names, _ := namesOf(t, conn, `SELECT concat_ws(' ', oprname, CASE WHEN oprleft <> 0 THEN quote_ident(l.typname) END, quote_ident(r.typname)), 0 FROM pg_operator
			LEFT JOIN pg_type l ON l.oid = oprleft JOIN pg_type r ON r.oid = oprright WHERE 'p' NOT IN (r.typtype, coalesce(l.typtype, 'b')) ORDER BY 1`)
		for _, name := range names {
			op := strings.Fields(name)
			args, known := typed(op[1:]...)
			if !known {
				continue
			}
			sql := fmt.Sprintf("SELECT OPERATOR(pg_catalog.%s) %s", op[0], args[0])
			if len(args) == 2 {
				sql = fmt.Sprintf("SELECT %s OPERATOR(pg_catalog.%s) %s", args[0], op[0], args[1])
			}
			if _, err := s.Prepare(ctx, sql); err != nil {
				refused(t, sql)
			}
		}
		names, _ = namesOf(t, conn, `SELECT concat_ws(' ', quote_ident(proname), (SELECT string_agg(CASE WHEN n = pronargs AND provariadic <> 0 THEN '!' ELSE '' END || quote_ident(t.typname), ' ' ORDER BY n) FROM unnest(proargtypes) WITH ORDINALITY a(o, n) JOIN pg_type t ON t.oid = a.o)), 0 FROM pg_proc p
			WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind IN ('f', 'a') AND NOT EXISTS (SELECT FROM pg_aggregate a WHERE a.aggfnoid = p.oid AND a.aggkind <> 'n') AND NOT EXISTS (SELECT FROM pg_type t WHERE t.oid = ANY (proargtypes) AND t.typtype = 'p') ORDER BY 1`)
		for _, name := range names {
			call := strings.Fields(name)
			args, known := typed(call[1:]...)
			if !known {
				continue
			}
			sql := fmt.Sprintf("SELECT pg_catalog.%s(%s)", call[0], strings.Join(args, ", "))
			if _, err := s.Prepare(ctx, sql); err == nil {
				continue
			}
			if _, err := conn.Prepare(ctx, "", sql); err == nil { // count() is no call
				refused(t, sql)
			}
		}
	})
}

// called are the words of a hint that are functions: f(…), or with an underscore in them.
var called = regexp.MustCompile(`\b((?:saltsql\.|phoenix\.)?[a-z][a-z0-9_]*)\(|\b((?:saltsql\.)?[a-z0-9]+_[a-z0-9_]+)\b`)

// TestHintsNameWhatExists holds that each function that a hint advises is there.
func TestHintsNameWhatExists(t *testing.T) {
	texts := hints(t)
	for _, hint := range expr.Refused() {
		texts = append(texts, hint)
	}
	for _, hint := range utility.Refused() {
		texts = append(texts, hint)
	}
	names, err := saltsql.All[struct{ Name string }](context.Background(), openObserved(t, "mem", nil, nil),
		`SELECT proname AS name FROM pg_proc UNION SELECT relname FROM pg_class UNION SELECT 'saltsql.' || relname FROM pg_class WHERE relnamespace = 'saltsql'::regnamespace
		UNION SELECT unnest(proargnames) FROM pg_proc UNION SELECT attname FROM pg_attribute UNION SELECT name FROM pg_settings UNION SELECT word FROM pg_get_keywords()`)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"pg_catalog": true, "pg_dump": true, "unsigned_int": true, // a schema, a program, a type of columns
		"saltsql.part": true} // a condition, not a function: it names a table
	for _, n := range names {
		known[n.Name] = true
	}
	for _, p := range settings.All() { // those of servers, too
		known[p.Name] = true
	}
	slices.Sort(texts)
	for _, text := range slices.Compact(texts) {
		for _, m := range called.FindAllStringSubmatch(text, -1) {
			if name := m[1] + m[2]; !expr.IsFunction(name) && !expr.IsFunction(expr.PhoenixSchema+"."+name) && !known[name] {
				t.Errorf("%s: there is no %s", text, name)
			}
		}
	}
}
