package session

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/pebble"
)

// stored counts the tables of a store.
func stored(t *testing.T, st storage.Store) int {
	t.Helper()
	list, err := st.Admin().Tables(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestDraft: what a block makes of the catalog it alone sees until COMMIT, rows and entries with it,
// and nothing is left of what it gives up.
func TestDraft(t *testing.T) {
	for name, open := range map[string]func(*testing.T) storage.Store{
		"mem": func(*testing.T) storage.Store { return mem.New() },
		"pebble": func(t *testing.T) storage.Store {
			st, err := pebble.Open(t.TempDir(), &pebble.Options{Logger: slog.New(slog.DiscardHandler), NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			return st
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := open(t)
			a, b, expect := twoClients(t, st)
			migrate := func() {
				t.Helper()
				a.must("BEGIN")
				a.must("CREATE SCHEMA app")
				a.must("CREATE TYPE app.mood AS ENUM ('sad', 'ok')")
				a.must("CREATE TABLE app.t (k SERIAL PRIMARY KEY, v TEXT, m app.mood DEFAULT 'ok')")
				a.must("INSERT INTO app.t (v) SELECT 'v' || i FROM generate_series(1, 1500) AS g(i)")
				a.must("INSERT INTO log VALUES (1)")
				a.must("CREATE UNIQUE INDEX t_v ON app.t (v)")
				a.must("ALTER TABLE app.t ADD COLUMN n INT")
				a.must("ALTER TABLE app.t ADD CONSTRAINT small CHECK (k < 10000)")
				a.must("UPDATE app.t SET n = k WHERE k <= 10")
				a.must("CREATE VIEW app.w AS SELECT k, n FROM app.t WHERE n > 5")
				a.must("CREATE SEQUENCE app.q")
				a.must("CREATE TABLE app.u AS SELECT k, v FROM app.t WHERE k < 4")
				a.must("COMMENT ON TABLE app.t IS 'made'")
				expect(a, "SELECT nextval('app.q')", "SELECT 1; 1")
				expect(a, "SELECT count(*), max(m) FROM app.t", "SELECT 1; 1500|ok")
				expect(a, "SELECT k FROM app.t WHERE v = 'v77'", "SELECT 1; 77")
				expect(a, "SELECT count(*) FROM app.w", "SELECT 1; 5")
				expect(b, "SELECT count(*) FROM app.t", "42P01")
				expect(b, "SELECT count(*) FROM pg_class WHERE relname IN ('t', 't_v', 'w', 'q', 'u', 't_k_seq')", "SELECT 1; 0")
				expect(b, "SELECT count(*) FROM log", "SELECT 1; 0")
			}
			a.must("CREATE TABLE log (k INT PRIMARY KEY)")
			before := stored(t, st)
			migrate()
			a.must("SAVEPOINT s")
			expect(a, "INSERT INTO app.t (v) VALUES ('v5')", "23505")
			a.must("ROLLBACK TO s")
			expect(a, "CREATE UNIQUE INDEX t_m ON app.t (m)", "23505")
			a.must("ROLLBACK TO s")
			expect(a, "ALTER TABLE app.t ALTER n SET NOT NULL", "23502")
			a.must("ROLLBACK TO s")
			a.must("DROP TABLE app.u")
			a.must("CREATE TABLE app.u (k INT PRIMARY KEY)")
			a.must("INSERT INTO app.u VALUES (9)")
			expect(a, "SELECT count(*) FROM app.u", "SELECT 1; 1")
			a.must("ROLLBACK TO s")
			expect(a, "SELECT count(*) FROM app.u", "SELECT 1; 3")
			a.must("ROLLBACK")
			expect(a, "SELECT count(*) FROM app.t", "42P01")
			expect(a, "SELECT count(*) FROM log", "SELECT 1; 0")
			if n := stored(t, st); n != before {
				t.Errorf("%d tables of the store after ROLLBACK, %d before", n, before)
			}
			migrate()
			expect(a, "SELECT 1/0", "22012")
			a.must("COMMIT")
			expect(a, "SELECT count(*) FROM app.t", "42P01")
			if n := stored(t, st); n != before {
				t.Errorf("%d tables of the store after an error, %d before", n, before)
			}
			migrate()
			a.must("COMMIT")
			expect(b, "SELECT count(*), count(n), max(m) FROM app.t", "SELECT 1; 1500|10|ok")
			expect(b, "SELECT k FROM app.t WHERE v = 'v77'", "SELECT 1; 77")
			expect(b, "SELECT count(*) FROM log", "SELECT 1; 1")
			expect(b, "SELECT nextval('app.q') > 1", "SELECT 1; t")
			expect(b, "INSERT INTO app.t (v) VALUES ('v5')", "23505")
			expect(b, "INSERT INTO app.t (k, v) VALUES (10000, 'x')", "23514")
			if got := b.query("CHECK TABLE app.t ALL"); !strings.Contains(got, "t_v|1500|0|0|0|0|0") {
				t.Errorf("CHECK TABLE: %s", got)
			}
			if n := stored(t, st); n != before+3 {
				t.Errorf("%d tables of the store after COMMIT, %d before", n, before)
			}
		})
	}
}

// TestDraftBeside: what another session commits meanwhile makes COMMIT fail where the draft goes by it,
// or has its names, and then nothing of the block is left.
func TestDraftBeside(t *testing.T) {
	st := mem.New()
	a, b, _ := twoClients(t, st)
	a.must("CREATE TABLE log (k SERIAL PRIMARY KEY)")
	for _, test := range []struct{ first, block, beside, want string }{
		{"", "CREATE TABLE t (k INT PRIMARY KEY)", "CREATE TABLE t (k INT PRIMARY KEY)", "42P07"},
		{"", "CREATE TABLE t (k INT PRIMARY KEY)", "CREATE TABLE u (k INT PRIMARY KEY)", "COMMIT"},
		{"CREATE TABLE u (k INT PRIMARY KEY)", "CREATE TABLE t (k INT PRIMARY KEY)", "CREATE INDEX t ON u (k)", "42P07"},
		{"", "CREATE SCHEMA app", "CREATE SCHEMA app", "42P06"},
		{"", "CREATE TYPE t AS ENUM ('a')", "CREATE TYPE t AS ENUM ('a')", "42710"},
		{"CREATE SCHEMA app", "CREATE TABLE app.t (k INT PRIMARY KEY)", "DROP SCHEMA app", "40001"},
		{"CREATE TYPE mood AS ENUM ('a')", "CREATE TABLE t (k INT PRIMARY KEY, m mood)", "DROP TYPE mood", "40001"},
		{"CREATE TABLE u (k INT PRIMARY KEY)", "CREATE VIEW t AS SELECT k FROM u", "DROP TABLE u", "40001"},
		{"CREATE TABLE u (k INT PRIMARY KEY)", "CREATE TABLE t (k INT PRIMARY KEY REFERENCES u)", "DROP TABLE u", "40001"},
		{"CREATE TABLE u (k INT PRIMARY KEY)", "ALTER TABLE u RENAME TO t", "ALTER TABLE u ADD COLUMN c INT", "40001"},
		{"CREATE TABLE u (k INT PRIMARY KEY)", "ALTER TABLE u ADD COLUMN c INT", "INSERT INTO u VALUES (1)", "COMMIT"},
		{"CREATE TABLE u (k INT PRIMARY KEY)", "COMMENT ON TABLE u IS 'x'", "DROP TABLE u", "40001"},
		{"CREATE TABLE u (k INT PRIMARY KEY)", "DROP TABLE u", "CREATE TABLE t (k INT PRIMARY KEY REFERENCES u)", "40001"},
		{"CREATE TABLE u (k INT PRIMARY KEY)", "DROP TABLE u", "CREATE TABLE t (k INT PRIMARY KEY)", "COMMIT"},
		{"CREATE TYPE mood AS ENUM ('a')", "DROP TYPE mood", "CREATE TABLE t (k INT PRIMARY KEY, m mood)", "40001"},
		{"CREATE SCHEMA app", "DROP SCHEMA app", "CREATE VIEW app.v AS SELECT 1 AS one", "40001"},
	} {
		before := stored(t, st)
		if test.first != "" {
			a.must(test.first)
		}
		a.must("BEGIN")
		a.must("INSERT INTO log DEFAULT VALUES")
		a.must(test.block)
		b.must(test.beside)
		if got := a.query("COMMIT"); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s beside %s: %q, not %q", test.block, test.beside, got, test.want)
		}
		rows := "SELECT 1; 0"
		if test.want == "COMMIT" {
			rows = "SELECT 1; 1"
		}
		if got := a.query("SELECT count(*) FROM log"); got != rows {
			t.Errorf("%s beside %s: %q rows, not %q", test.block, test.beside, got, rows)
		}
		a.must("DELETE FROM log")
		for _, text := range []string{"DROP VIEW IF EXISTS t", "DROP TABLE t", "DROP TABLE u", "DROP INDEX t", "DROP TYPE t", "DROP TYPE mood", "DROP SCHEMA app CASCADE"} {
			a.query(text)
		}
		if n := stored(t, st); n != before {
			t.Errorf("%s beside %s: %d tables of the store, %d before", test.block, test.beside, n, before)
		}
	}
}

// TestDraftKilled kills the process at each call of the store that COMMIT makes: after it all of the
// block is there, or nothing.
func TestDraftKilled(t *testing.T) {
	calls := draftKilled(t, fault.FailBefore, 1<<30)
	for i := range seeds.Part(t, 2*calls, seeds.Whole) {
		draftKilled(t, []fault.Action{fault.FailBefore, fault.FailAfter}[i%2], 1+i/2)
	}
}

// draftKilled kills at the nth call, and gives how many calls COMMIT made.
func draftKilled(t *testing.T, do fault.Action, nth int) (calls int) {
	ctx := context.Background()
	inner := mem.New()
	st := fault.Wrap(inner)
	db, err := Open(ctx, st, &Options{Lease: time.Second, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	a := newClient(t, db, SessionOptions{})
	a.must("CREATE TABLE log (k INT PRIMARY KEY)")
	a.must("CREATE TABLE anew (k INT PRIMARY KEY)")
	a.must("INSERT INTO anew VALUES (1)")
	before := stored(t, inner)
	a.must("BEGIN")
	a.must("INSERT INTO log VALUES (1)")
	a.must("CREATE TABLE t (k SERIAL PRIMARY KEY, v INT)")
	a.must("INSERT INTO t (v) VALUES (1), (2)")
	a.must("CREATE INDEX t_v ON t (v)")
	a.must("CREATE TABLE gone (k INT PRIMARY KEY)")
	a.must("DROP TABLE gone")
	a.must("ALTER TABLE log ADD COLUMN w INT")
	a.must("DROP TABLE anew")
	a.must("CREATE TABLE anew (k TEXT PRIMARY KEY)")
	a.must("INSERT INTO anew VALUES ('x')")
	quiet := st.Calls("")
	st.Add(fault.Rule{Nth: nth, Times: -1, Do: do})
	told := a.query("COMMIT")
	calls = st.Calls("") - quiet
	killed := st.Fired()
	db.Close()
	db, err = Open(ctx, inner, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := newClient(t, db, SessionOptions{})
	rows, all, column := b.query("SELECT count(*) FROM log"), b.query("SELECT k FROM t WHERE v = 2"), b.query("SELECT w FROM log WHERE k = 5")
	tables, anew := stored(t, inner)-before, b.query("SELECT k FROM anew")
	switch {
	case anew != "SELECT 1; x" && anew != "SELECT 1; 1" || (anew == "SELECT 1; x") != (rows == "SELECT 1; 1"):
		t.Errorf("%s at call %d, told %q: log %q, anew %q", do, nth, told, rows, anew)
	case rows == "SELECT 1; 1" && all == "SELECT 1; 2" && column == "SELECT 0" && (tables == 2 || tables == 3 && killed > 0): // what was dropped goes later, where the lease is a dead one's
	case rows == "SELECT 1; 0" && strings.HasPrefix(all, "42P01") && strings.HasPrefix(column, "42703") && tables == 0 && told != "COMMIT":
	default:
		t.Errorf("%s at call %d, told %q: log %q, t %q, column %q, %d tables more", do, nth, told, rows, all, column, tables)
	}
	db.Close()
	inner.Close()
	if killed == 0 && (told != "COMMIT" || rows != "SELECT 1; 1") {
		t.Errorf("COMMIT without a fault: %q, %q", told, rows)
	}
	return calls
}

// TestDraftPublishedEarly: what no draft can do is done at once with what the block has made before it;
// what the block has dropped stays until COMMIT.
func TestDraftPublishedEarly(t *testing.T) {
	a, b, expect := twoClients(t, mem.New())
	for _, end := range []string{"ROLLBACK", "ROLLBACK TO s", "ROLLBACK TO r", "COMMIT"} {
		a.must("CREATE TABLE old (k INT PRIMARY KEY)")
		a.must("CREATE TABLE other (k INT PRIMARY KEY)")
		a.must("INSERT INTO old VALUES (1)")
		a.must("BEGIN")
		a.must("CREATE TABLE made (k INT PRIMARY KEY)")
		a.must("INSERT INTO made VALUES (7)")
		a.must("SAVEPOINT r")
		a.must("DROP TABLE old")
		a.must("SAVEPOINT s")
		a.must("ALTER TABLE other ADD CHECK (k > 0)") // reads the rows
		expect(a, "SELECT * FROM old", "42P01")
		a.must("ROLLBACK TO s")
		expect(a, "SELECT * FROM made", "SELECT 1; 7")
		expect(a, "SELECT * FROM old", "42P01")
		a.must("ROLLBACK TO s")
		expect(b, "SELECT * FROM old", "SELECT 1; 1")
		expect(b, "SELECT * FROM made", "SELECT 0")
		a.must(end)
		if strings.HasPrefix(end, "ROLLBACK TO") {
			a.must("COMMIT")
		}
		old, made := "SELECT 1; 1", "SELECT 1; 7"
		switch end {
		case "ROLLBACK":
			made = "SELECT 0"
		case "COMMIT", "ROLLBACK TO s":
			old = "42P01"
		}
		expect(b, "SELECT * FROM old", old)
		expect(b, "SELECT * FROM made", made)
		a.must("DROP TABLE IF EXISTS old, made, other")
	}
	a.must("CREATE TABLE old (k INT PRIMARY KEY)")
	a.must("INSERT INTO old VALUES (1)")
	a.must("CREATE TABLE other (k INT PRIMARY KEY)")
	a.must("BEGIN")
	a.must("DROP TABLE old")
	a.must("CREATE TABLE old (k TEXT PRIMARY KEY)")
	expect(a, "ALTER TABLE other ADD CHECK (k > 0)", "25001")
	a.must("ROLLBACK")
	expect(a, "SELECT * FROM old", "SELECT 1; 1")
	// A statement that is refused outside of the block publishes nothing.
	a.must("BEGIN")
	a.must("CREATE TABLE made (k INT PRIMARY KEY)")
	a.must("INSERT INTO other VALUES (1)")
	expect(a, "CREATE INDEX other_k ON other (k)", "25001")
	a.must("ROLLBACK")
	expect(b, "SELECT * FROM made", "42P01")
}
