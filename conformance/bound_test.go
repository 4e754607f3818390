package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage/mem"
)

// settingsOf are sessions that read and print values differently.
var settingsOf = [][]string{
	{},
	{"SET timezone = 'Asia/Tokyo'", "SET extra_float_digits = 0", "SET search_path = b, public"},
	{"SET timezone = 'America/New_York'", "SET bytea_output = 'escape'", "SET search_path = public", "SET datestyle = 'german'", "SET intervalstyle = 'sql_standard'"},
	{"SET timezone = 'Asia/Kolkata'", "SET extra_float_digits = -10", "SET search_path = a", "SET intervalstyle = 'postgres'", "SET standard_conforming_strings = on", "SET datestyle = 'ISO, MDY'"},
}

// boundDefaults and boundChecks mean something else in each of those sessions
// where they are not kept bound, and where they are, some still do.
var boundDefaults = []struct{ typ, def string }{
	{"timestamptz", "'2024-01-01 00:00'"},
	{"timestamptz", "'2024-01-01 00:00'::timestamp"},
	{"timestamptz", "'2024-01-01 00:00'::text::timestamptz"},
	{"timestamp", "'2024-01-01 00:00'::timestamptz"},
	{"timestamptz(3)", "'2024-01-01 00:00:00.123456'"},
	{"text", "'2024-06-01 12:00'::timestamptz::text"},
	{"text", "0.1::float8 + 0.2::float8"},
	{"date", "'3/4/05'"},
	{"text", "'3/4/05'::date"},
	{"date", "'3/4/05'::text::date"},
	{"interval", "'-1 2:00'"},
	{"text", "'-1 2:00'::interval"},
	{"text", "'\\x61ff00'::bytea"},
	{"text", "CASE WHEN '2024-01-01 00:00'::timestamptz = timestamptz '2023-12-31 15:00+00' THEN 'tokyo' ELSE 'elsewhere' END"},
	{"bigint", "nextval('s')"},
	{"bigint", "nextval('s') * 10"},
	{"bigint", "nextval('a.s'::regclass) - 1"},
	{"int", "1.5"},
	{"text", "'s'::regclass::oid > 0"},
	{"text", "to_char(timestamptz '2024-01-01 00:00', 'YYYY-MM-DD HH24:MI TZ')"},
	{"text[]", "ARRAY['2024-01-01'::timestamptz::text, 'x']"},
	{"text", "coalesce(nullif('a', 'a'), greatest('b', 'c'))"},
	{"text", "current_schema()"},
	{"text", "('1 mon -2 days'::interval * 2)::text"},
	{"numeric(5,2)", "1.005"},
	{"varchar(3)", "'ab'"},
	{"text", "extract(hour from timestamptz '2024-01-01 00:00')"},
	{"text", "date_part('hour', '2024-01-01 00:00'::timestamptz)"},
	{"text", "substring('abcdef' from 2 for 3) || trim(both 'x' from 'xyx') || position('b' in 'abc') || overlay('abc' placing 'z' from 2)"},
}

// TestBoundDefaults lets every kind of session make tables with DEFAULTs, and every
// kind of session insert into them.
func TestBoundDefaults(t *testing.T) {
	seeds.Sometimes(t)
	w := newTwins(t, variant{store: "mem"}.open(t))
	p := w.session(t, "CREATE SCHEMA a", "CREATE SCHEMA b", "CREATE SEQUENCE public.s START 100", "CREATE SEQUENCE a.s START 200", "CREATE SEQUENCE b.s START 300")
	for i, maker := range settingsOf {
		m := w.session(t, maker...)
		for j, d := range boundDefaults {
			name := fmt.Sprintf("public.d%d_%d", i, j)
			m.same(t, fmt.Sprintf("CREATE TABLE %s (k int PRIMARY KEY, v %s DEFAULT %s)", name, d.typ, d.def))
			p.same(t, fmt.Sprintf("CREATE TABLE %s_s (k int PRIMARY KEY, v %s)", name, d.typ))
			m.same(t, fmt.Sprintf("ALTER TABLE %s_s ALTER COLUMN v SET DEFAULT %s", name, d.def))
		}
	}
	for n, writer := range settingsOf {
		s := w.session(t, writer...)
		for i := range settingsOf {
			for j := range boundDefaults {
				for _, suffix := range []string{"", "_s"} {
					name := fmt.Sprintf("public.d%d_%d%s", i, j, suffix)
					s.same(t, fmt.Sprintf("INSERT INTO %s (k) VALUES (%d)", name, n))
					p.same(t, fmt.Sprintf("SELECT v FROM %s WHERE k = %d", name, n))
				}
			}
		}
	}
	p.same(t, "ALTER SEQUENCE a.s RENAME TO s2")
	p.same(t, "ALTER SEQUENCE public.s RENAME TO s3")
	for _, writer := range settingsOf {
		s := w.session(t, writer...)
		for i := range settingsOf {
			for _, j := range []int{9, 10, 11} {
				name := fmt.Sprintf("public.d%d_%d", i, j)
				s.same(t, fmt.Sprintf("UPDATE %s SET v = DEFAULT WHERE k = 1", name))
				s.same(t, fmt.Sprintf("SELECT v FROM %s WHERE k = 1", name))
			}
		}
	}
	p.same(t, "DROP SEQUENCE s3")
	p.same(t, "DROP SEQUENCE a.s2")
	for j, d := range boundDefaults {
		p.same(t, fmt.Sprintf("ALTER TABLE public.d0_%d ALTER COLUMN v DROP DEFAULT", j))
		p.same(t, fmt.Sprintf("INSERT INTO public.d0_%d (k) VALUES (50)", j))
		p.same(t, fmt.Sprintf("SELECT v FROM public.d0_%d WHERE k = 50 -- %s", j, strings.ReplaceAll(d.def, "\n", " ")))
	}
}

// boundChecks are conditions over (k int, ts timestamptz, f float8, x text, b bytea).
var boundChecks = []string{
	"ts >= '2024-01-01 00:00'",
	"ts::date >= '2024-01-01'",
	"ts >= '2024-01-01 00:00'::text::timestamptz",
	"ts BETWEEN '2023-12-31 20:00' AND timestamptz '2024-01-02 00:00'",
	"ts IN ('2024-01-01 00:00', '2024-01-01 05:00')",
	"f::text <> '0.30000000000000004'",
	"b::text <> '\\x61ff'",
	"x = ANY (ARRAY['a', 'b', '2024-01-01 00:00'::timestamptz::text])",
	"(k, ts) < (2, '2024-01-01 00:00')",
	"extract(hour from ts) < 12",
	"CASE k WHEN 1 THEN ts > '2024-01-01 00:00' ELSE x IS NOT NULL END",
	"x IS DISTINCT FROM 'a' OR ts = 'epoch'",
	"length(x) + 1 > 0 AND (f > 0) IS NOT FALSE",
	"upper(x) LIKE 'A%' OR NOT x ~ '^[a-z]$'",
}

// TestBoundChecks is the same with CHECKs, and with what ALTER TABLE does to the
// columns they name.
func TestBoundChecks(t *testing.T) {
	seeds.Sometimes(t)
	w := newTwins(t, variant{store: "mem"}.open(t))
	p := w.session(t, "CREATE SCHEMA a", "CREATE SCHEMA b")
	cols := "(k int PRIMARY KEY, ts timestamptz, f float8, x text, b bytea, z varchar(5)"
	for i, maker := range settingsOf {
		m := w.session(t, maker...)
		for j, c := range boundChecks {
			m.same(t, fmt.Sprintf("CREATE TABLE public.c%d_%d %s, CHECK (%s))", i, j, cols, c))
			m.same(t, fmt.Sprintf("CREATE TABLE public.c%d_%d_s %s)", i, j, cols))
			m.same(t, fmt.Sprintf("ALTER TABLE public.c%d_%d_s ADD CHECK (%s)", i, j, c))
		}
	}
	rows := []string{
		"'2024-01-01 00:00', 0.1, 'a', 'x'", "'2023-12-31 23:00', 0.1::float8 + 0.2::float8, 'b', '\\x61ff'", "'2024-01-01 05:00', NULL, NULL, NULL",
		"'2023-12-31 15:00+00', 1, '2024-01-01 00:00:00+09', '\\x00'", "'epoch', 1, 'A1', ''",
	}
	sweep := func(base int) {
		t.Helper()
		for n, writer := range settingsOf {
			s := w.session(t, writer...)
			for i := range settingsOf {
				for j := range boundChecks {
					for r, row := range rows {
						for _, suffix := range []string{"", "_s"} {
							s.same(t, fmt.Sprintf("INSERT INTO public.c%d_%d%s VALUES (%d, %s)", i, j, suffix, base+10*n+r, row))
						}
					}
				}
			}
		}
	}
	sweep(1)
	for i, maker := range settingsOf {
		m := w.session(t, maker...)
		for j, c := range boundChecks {
			for _, suffix := range []string{"", "_s"} {
				name := fmt.Sprintf("c%d_%d%s", i, j, suffix)
				// Rows that other sessions took may violate what this session means by c.
				m.same(t, fmt.Sprintf("ALTER TABLE public.%s ADD CONSTRAINT again CHECK (%s)", name, c))
				m.same(t, fmt.Sprintf("ALTER TABLE public.%s DROP CONSTRAINT IF EXISTS again", name))
				m.same(t, fmt.Sprintf("ALTER TABLE public.%s RENAME COLUMN x TO \"order\"", name))
				m.same(t, fmt.Sprintf("ALTER TABLE public.%s RENAME COLUMN ts TO x", name))
				m.same(t, fmt.Sprintf("ALTER TABLE public.%s ALTER COLUMN z TYPE text", name))
				p.same(t, fmt.Sprintf("ALTER TABLE public.%s RENAME TO r%s", name, name))
				p.same(t, fmt.Sprintf("ALTER TABLE public.r%s RENAME TO %s", name, name))
			}
		}
	}
	sweep(101)
	for i := range settingsOf {
		for j := range boundChecks {
			p.same(t, fmt.Sprintf("ALTER TABLE public.c%d_%d DROP COLUMN x", i, j))
			p.same(t, fmt.Sprintf("INSERT INTO public.c%d_%d VALUES (900, 1, 'q')", i, j))
		}
	}
}

// TestBoundText makes tables from what SHOW CREATE TABLE says of others, in
// another kind of session: the two say the same, and take and fill in the same.
func TestBoundText(t *testing.T) {
	ctx := context.Background()
	db := variant{store: "mem"}.open(t)
	host, port := harness.Serve(t, db)
	conn := harness.Connect(t, host, port).PgConn()
	exec := func(c int, sql string) string {
		return answer(conn, strings.Join(append(append([]string{"RESET ALL"}, settingsOf[c]...), sql), "; "))
	}
	for _, sql := range []string{"CREATE SCHEMA a", "CREATE SCHEMA b", "CREATE SEQUENCE public.s", "CREATE SEQUENCE a.s", "CREATE SEQUENCE b.s"} {
		if _, err := db.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	shown := func(name string) string {
		s := session.Behind(db).Catalog().Snapshot()
		tab, err := s.ResolveTable([]string{"public"}, "", name)
		if err != nil {
			t.Fatal(err)
		}
		return s.ShowCreateTable(tab)
	}
	for i := range settingsOf {
		for j := range max(len(boundDefaults), len(boundChecks)) {
			d := boundDefaults[j%len(boundDefaults)]
			made := fmt.Sprintf("CREATE TABLE public.t (k int PRIMARY KEY, ts timestamptz, f float8, x text, b bytea, v %s DEFAULT %s, CHECK (%s))", d.typ, d.def, boundChecks[j%len(boundChecks)])
			if out := exec(i, made); strings.Contains(out, "ERROR") {
				t.Fatal(made, out)
			}
			first := shown("t")
			if out := exec(0, "DROP TABLE public.t"); strings.Contains(out, "ERROR") {
				t.Fatal(out)
			}
			other := (i + 2) % len(settingsOf)
			if out := exec(other, "SET search_path = public; "+first); strings.Contains(out, "ERROR") {
				t.Errorf("%s\n%s\n%s", made, first, out)
				continue
			}
			if second := shown("t"); second != first {
				t.Errorf("%s\n%s\n%s", made, first, second)
			}
			exec(0, "DROP TABLE public.t")
		}
	}
}

// TestBoundReopened reads the expressions back from the store.
func TestBoundReopened(t *testing.T) {
	ctx := context.Background()
	store := mem.New()
	open := func() *saltsql.DB {
		db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: harness.Quiet})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := open()
	r := rand.New(rand.NewPCG(1, 2))
	shown := map[string]string{}
	for j, d := range boundDefaults {
		s, err := db.NewSession(saltsql.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		setup := []string{"CREATE SCHEMA IF NOT EXISTS a", "CREATE SCHEMA IF NOT EXISTS b", "CREATE SEQUENCE IF NOT EXISTS public.s", "CREATE SEQUENCE IF NOT EXISTS a.s", "CREATE SEQUENCE IF NOT EXISTS b.s"}
		setup = append(setup, settingsOf[r.IntN(len(settingsOf))]...)
		name := fmt.Sprintf("t%d", j)
		setup = append(setup, fmt.Sprintf("CREATE TABLE public.%s (k int PRIMARY KEY, ts timestamptz, f float8, x text, b bytea, v %s DEFAULT %s, CHECK (%s))", name, d.typ, d.def, boundChecks[j%len(boundChecks)]))
		for _, sql := range setup {
			if _, err := s.Exec(ctx, sql); err != nil {
				t.Fatal(sql, err)
			}
		}
		s.Close()
		tab, _ := session.Behind(db).Catalog().Snapshot().ResolveTable([]string{"public"}, "", name)
		shown[name] = session.Behind(db).Catalog().Snapshot().ShowCreateTable(tab)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open()
	defer db.Close()
	for name, was := range shown {
		tab, err := session.Behind(db).Catalog().Snapshot().ResolveTable([]string{"public"}, "", name)
		if err != nil {
			t.Fatal(err)
		}
		if is := session.Behind(db).Catalog().Snapshot().ShowCreateTable(tab); is != was {
			t.Errorf("%s\nreopened\n%s", was, is)
		}
		if _, err := db.Exec(ctx, "INSERT INTO "+name+" (k, ts, x) VALUES (1, '2024-01-01 05:00+09', 'a') ON CONFLICT DO NOTHING"); err != nil && !strings.Contains(err.Error(), "violates check") {
			t.Error(name, err)
		}
	}
}
