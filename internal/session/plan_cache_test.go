package session

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage/mem"
)

// uses are the ways in which a session runs a text: each must answer as a session that never saw
// it, on a DB that keeps no plans.
var uses = []struct {
	name string
	run  func(c *client, text string) string
}{
	{"simple", (*client).query},
	{"prepared", func(c *client, text string) string {
		if _, ok := c.s.stmts["p"]; !ok {
			if got := c.parse("p", text); got != "" {
				return got
			}
		}
		return c.run("p")
	}},
	{"extended", func(c *client, text string) string {
		if got := c.parse("", text); got != "" {
			return got
		}
		return c.run("")
	}},
	{"execute", func(c *client, text string) string {
		if _, ok := c.s.stmts["x"]; !ok {
			if got := c.query("PREPARE x AS " + text); got != "PREPARE" {
				return got
			}
		}
		return c.query("EXECUTE x")
	}},
}

// TestPlanDependencies changes, between two uses of a text, each thing that its plan
// depends on.
func TestPlanDependencies(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long beside the race detector, on one goroutine")
	}
	setup := []string{
		"CREATE SCHEMA alice", "CREATE SCHEMA bob",
		"CREATE TABLE alice.t (k INT PRIMARY KEY, v TEXT)", "INSERT INTO alice.t VALUES (1, 'of alice'), (2, 'x')",
		"CREATE TABLE bob.t (k INT PRIMARY KEY, v TEXT)", "INSERT INTO bob.t VALUES (1, 'of bob'), (2, 'y')",
		"CREATE TABLE u (k INT PRIMARY KEY, v TEXT)", "INSERT INTO u VALUES (1, 'of public')",
		"CREATE TABLE z (at TIMESTAMPTZ PRIMARY KEY, f FLOAT8, b BYTEA)",
		`INSERT INTO z VALUES ('2024-01-01 00:00+00', 0.1, '\x0102')`,
	}
	texts := []string{
		"SELECT v FROM t WHERE k = 1", "SELECT v FROM t WHERE k = 2", "SELECT * FROM t ORDER BY k", "SELECT v FROM u WHERE k = 1",
		"UPDATE t SET v = v || '!' WHERE k = 1 RETURNING v", "DELETE FROM t WHERE k = 2",
		"SELECT count(*) FROM z WHERE at >= '2024-01-01 00:00'", "SELECT TIMESTAMPTZ '2024-01-01 00:00' AS x, '2024-01-01'::timestamptz::text AS y",
		"SELECT extract(hour from TIMESTAMPTZ '2024-01-01 00:00+00'), DATE '2024-01-01'::timestamptz",
		"SELECT 0.1::float8::text, f::text, (0.1::float4)::text FROM z", `SELECT '\x0102'::bytea::text, b::text, '\x0102'::bytea FROM z`,
		"SELECT 0.1::float8 || 'x'", "SELECT 't'::regclass::oid::text = 'alice.t'::regclass::oid::text", "SELECT 't'::regclass", "SELECT 'u'::regclass::text",
		"SELECT current_user, session_user, current_schema, current_schemas(true), current_setting('search_path')",
		"SELECT 'now'::timestamptz < now() + interval '1 hour'", "SELECT to_char(TIMESTAMPTZ '2024-01-01 00:00+00', 'HH24')",
		"SELECT format('%s', 0.1::float8), concat(0.1::float8, TIMESTAMPTZ '2024-01-01 00:00+00')", "SELECT ARRAY[0.1::float8]::text, to_json(0.1::float8)",
		"SELECT to_regclass('t')::text, current_setting('timezone'), current_setting('application_name')",
		"SELECT make_timestamptz(2024, 1, 1, 0, 0, 0), date_trunc('day', TIMESTAMPTZ '2024-01-01 03:00+00')",
		"SELECT '2/1/2024'::date, DATE '1 feb 24' - DATE '2/1/24', DATE '2024-01-02'::text, INTERVAL '-1 2:00'::text, INTERVAL '-1 2:00' > INTERVAL '-1 day'",
		"SELECT 'today'::date = current_date, CASE WHEN current_user = 'bob' THEN 'b' ELSE 'other' END",
	}
	// What is prepared keeps what these literals are under the settings of then: see
	// conformance/testdata/pg_prepared_literals.slt.
	literals := []string{"count(*) FROM z WHERE at >=", "SELECT TIMESTAMPTZ '2024-01-01 00:00' AS x", "SELECT '2/1/2024'::date"}
	for _, change := range []struct {
		name  string
		steps []string // by the session itself, or after "other: " by another one
		user  string   // of the session after the change: another one, of this user
	}{
		{name: "nothing"},
		{name: "user", user: "bob"},
		{name: "user without a schema", user: "carol"},
		{name: "search_path", steps: []string{"SET search_path = bob, public"}},
		{name: "search_path to one that is missing", steps: []string{"SET search_path = nowhere, bob"}},
		{name: "search_path then its schema", steps: []string{"SET search_path = late, alice, public", "other: CREATE SCHEMA late", "other: CREATE TABLE late.t (k INT PRIMARY KEY, v TEXT)"}},
		{name: "a table before it on the path", steps: []string{"other: CREATE TABLE alice.u (k INT PRIMARY KEY, v TEXT)", "other: INSERT INTO alice.u VALUES (1, 'of alice')"}},
		{name: "a temporary table before it", steps: []string{"CREATE TEMP TABLE t (k INT PRIMARY KEY, v TEXT)", "INSERT INTO t VALUES (1, 'for now')", "other: CREATE TEMP TABLE t (k INT PRIMARY KEY, v TEXT)"}},
		{name: "a temporary table dropped", steps: []string{"CREATE TEMP TABLE t (k INT PRIMARY KEY, v TEXT)", "SELECT v FROM t WHERE k = 1", "DISCARD TEMP"}},
		{name: "drop", steps: []string{"other: DROP TABLE alice.t"}},
		{name: "drop and create", steps: []string{"other: DROP TABLE alice.t", "other: CREATE TABLE alice.t (k INT PRIMARY KEY, v TEXT)", "other: INSERT INTO alice.t VALUES (1, 'new')"}},
		{name: "rename", steps: []string{"other: ALTER TABLE alice.t RENAME TO t2", "other: ALTER TABLE bob.t RENAME COLUMN v TO w"}},
		{name: "truncate", steps: []string{"other: TRUNCATE alice.t"}},
		{name: "schema dropped", steps: []string{"other: DROP SCHEMA alice CASCADE"}},
		{name: "time zone", steps: []string{"SET timezone = 'Asia/Tokyo'"}},
		{name: "time zone in a block", steps: []string{"BEGIN", "SET LOCAL timezone = 'Asia/Tokyo'"}},
		{name: "time zone rolled back", steps: []string{"BEGIN", "SET timezone = 'Asia/Tokyo'", "SELECT TIMESTAMPTZ '2024-01-01 00:00' AS x, '2024-01-01'::timestamptz::text AS y", "ROLLBACK"}},
		{name: "time zone to a savepoint", steps: []string{"BEGIN", "SAVEPOINT a", "SET timezone = 'Asia/Tokyo'", "SELECT TIMESTAMPTZ '2024-01-01 00:00' AS x, '2024-01-01'::timestamptz::text AS y", "ROLLBACK TO a"}},
		{name: "set_config", steps: []string{"SELECT set_config('timezone', 'Asia/Tokyo', false)", "SELECT set_config('search_path', 'bob', false)"}},
		{name: "float digits", steps: []string{"SET extra_float_digits = -3"}},
		{name: "bytea_output", steps: []string{"SET bytea_output = 'escape'"}},
		{name: "DateStyle", steps: []string{"SET datestyle = german"}},
		{name: "IntervalStyle", steps: []string{"SET intervalstyle = sql_standard"}},
		{name: "application_name", steps: []string{"SET application_name = 'x'"}},
		{name: "rules", steps: []string{"SET saltsql.rules = off"}},
		{name: "hints", steps: []string{"SET saltsql.hints = 'SERIAL'"}},
		{name: "join order", steps: []string{"SET saltsql.join_order = written"}},
		{name: "reset", steps: []string{"SET timezone = 'Asia/Tokyo'", "SET search_path = bob", "SELECT v FROM t WHERE k = 1", "RESET ALL"}},
	} {
		for _, use := range uses {
			t.Run(change.name+"/"+use.name, func(t *testing.T) {
				now := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
				// play gives the answers to the texts after the change.
				play := func(cached bool) []string {
					st := mem.New()
					defer st.Close()
					opts := &Options{NoEstimates: true, Now: func() time.Time { return now }}
					if !cached {
						opts.PlanCache = -1
					}
					db, err := Open(context.Background(), st, opts)
					if err != nil {
						t.Fatal(err)
					}
					defer db.Close()
					other := newClient(t, db, SessionOptions{User: "admin"})
					for _, text := range setup {
						other.must(text)
					}
					var out []string
					for _, text := range texts {
						c := newClient(t, db, SessionOptions{User: "alice"})
						if cached {
							c.must("BEGIN")
							use.run(c, text)
							use.run(c, text)
							c.must("ROLLBACK")
						}
						if change.user != "" {
							c = newClient(t, db, SessionOptions{User: change.user})
						}
						for _, step := range change.steps {
							if rest, ok := strings.CutPrefix(step, "other: "); !ok {
								c.must(step)
							} else if text == texts[0] {
								other.must(rest)
							}
						}
						if c.s.TxStatus() == TxIdle {
							c.must("BEGIN")
						}
						if cached {
							out = append(out, use.run(c, text))
						} else {
							out = append(out, c.query(text))
						}
						c.must("ROLLBACK")
						c.s.Close()
					}
					return out
				}
				want, got := play(false), play(true)
				for i, text := range texts {
					if use.name != "extended" && use.name != "simple" && slices.ContainsFunc(literals, func(l string) bool { return strings.Contains(text, l) }) {
						continue
					}
					if got[i] != want[i] && !strings.HasPrefix(got[i], "0A000 cached plan must not change") {
						t.Errorf("%s\n got %s\nwant %s", text, got[i], want[i])
					}
				}
			})
		}
	}
}

// must runs a statement of the test's own.
func (c *client) must(text string) {
	c.t.Helper()
	if got := c.query(text); len(got) > 6 && got[5] == ' ' && got[0] >= '0' && got[0] <= '9' {
		c.t.Fatalf("%s: %s", text, got)
	}
}
