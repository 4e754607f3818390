package conformance

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/storage/mem"
)

// dumpTool gives the path of a client program of PostgreSQL.
func dumpTool(t *testing.T, name string) string {
	path := filepath.Join(pgtest.BinDir(), name)
	if _, err := exec.LookPath(path); err != nil {
		t.Skip(name + " is not installed")
	}
	return path
}

// pgDump gives what pg_dump writes, without the lines in which two dumps of the same differ.
func pgDump(t *testing.T, dsn string, env []string, args ...string) string {
	t.Helper()
	cmd := childproc.Command(dumpTool(t, "pg_dump"), append(args, dsn)...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pg_dump: %v\n%s", err, stderr.Bytes())
	}
	return sortCopies(restrict.ReplaceAllString(string(out), ""))
}

// sortCopies sorts the rows of each COPY: tables without a key have no order.
func sortCopies(text string) string {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "COPY ") {
			end := i + 1 + slices.Index(lines[i+1:], `\.`)
			slices.Sort(lines[i+1 : end])
			i = end
		}
	}
	return strings.Join(lines, "\n")
}

var restrict = regexp.MustCompile(`(?m)^\\(un)?restrict .*\n`)

// restored runs a dump, and gives what psql says of it; stop ends it at its first error.
func restored(t *testing.T, dsn, text string, stop bool) string {
	t.Helper()
	args := []string{"-X", "-q", "-o", os.DevNull, dsn}
	if stop {
		args = append([]string{"-v", "ON_ERROR_STOP=1"}, args...)
	}
	cmd := childproc.Command(dumpTool(t, "psql"), args...)
	cmd.Stdin = strings.NewReader("SET client_min_messages = error;\n" + text)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("psql: %v\n%s", err, out)
	}
	return string(out)
}

// dumpedDB serves an empty database, and says where.
func dumpedDB(t *testing.T) (dsn string) {
	db, err := saltsql.Open(context.Background(), mem.New(), &saltsql.Options{Logger: harness.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	host, port := harness.Serve(t, db)
	return fmt.Sprintf("host=%s port=%d user=saltsql dbname=saltsql sslmode=disable", host, port)
}

func script(t *testing.T, dsn string, statements []string) {
	t.Helper()
	c, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	for _, sql := range statements {
		if _, err := c.Exec(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// saltedObjects have, beside what psqlObjects have, what PostgreSQL does not know.
var saltedObjects = []string{
	`CREATE TABLE metrics (host varchar, ts timestamp, cpu double precision, "Mem" double precision, CONSTRAINT pk PRIMARY KEY (host, ts DESC)) SALT_BUCKETS = 8`,
	`CREATE TABLE tenants ("Tenant" text, n bigint, v jsonb, PRIMARY KEY ("Tenant", n)) SALT_BUCKETS = 4, SALT_COLUMNS = ("Tenant"), VERSIONS = 3`,
	`CREATE TABLE newest (at timestamptz, x int, PRIMARY KEY (at DESC, x))`,
	`CREATE TABLE packed (k int PRIMARY KEY, a text, b text) IMMUTABLE_ROWS = true, DEFAULT_COLUMN_FAMILY = 'f'`,
	`CREATE TABLE indexed (k int PRIMARY KEY, at timestamp, e text UNIQUE, a int, b int, CONSTRAINT ab UNIQUE (a, b)) WITH (salt_buckets = 4)`,
	`CREATE INDEX by_time ON indexed (at DESC) SALT_BUCKETS = 2`,
	`CREATE INDEX by_text ON indexed (lower(e)) INCLUDE (a) WHERE b > 0`,
	`CREATE TABLE lost (a int, b text DEFAULT 'x', c int PRIMARY KEY, d int CHECK (d > 0), e text)`,
	`ALTER TABLE lost DROP COLUMN a, DROP COLUMN b, DROP COLUMN e, ADD COLUMN f text`,
	`CREATE TYPE z_state AS ENUM ('on', 'off')`,
	`CREATE DOMAIN a_state AS z_state CHECK (VALUE <> 'off')`,
	`CREATE DOMAIN a0_state AS a_state NOT NULL`,
	`CREATE TABLE states (id int PRIMARY KEY, s a0_state, t text CHECK (t::a_state = 'on'))`,
	`INSERT INTO lost VALUES (1, 2, 'f')`,
	`INSERT INTO states VALUES (1, 'on', 'on')`,
	`INSERT INTO metrics SELECT 'web-' || g % 5, timestamp '2024-01-01' + g * interval '1 minute', g / 8.0, NULLIF(g % 3, 0) FROM generate_series(1, 500) g`,
	`INSERT INTO tenants SELECT 't' || g % 3, g, jsonb_build_object('n', g) FROM generate_series(1, 50) g`,
	`INSERT INTO newest SELECT timestamptz '2024-02-29 12:00+00' + g * interval '1 day', g FROM generate_series(1, 20) g`,
	`INSERT INTO packed VALUES (1, 'a', NULL), (2, E'tab\there', 'back\slash')`,
	`INSERT INTO indexed SELECT g, timestamp '2024-01-01' + g * interval '1 hour', 'e' || g, g % 7, g FROM generate_series(1, 100) g`,
	`INSERT INTO keyless VALUES (1, 'x'), (1, 'x'), (NULL, 'y')`,
	`INSERT INTO computed VALUES (1, 5), (2, 7)`,
	`INSERT INTO ints VALUES (-1, -2, -3), (1, 2, 3)`,
	`INSERT INTO floats VALUES (1, 1.5, 'NaN', 123456789.123456789, 5, 5.25), (2, '-Infinity', 1e300, NULL, NULL, NULL)`,
	`INSERT INTO texts VALUES ('k', 'v', 'twenty', 'c', '5f0c3f2e-7c5e-4b0e-9f51-2f3b8b2d4c11', '\x00ff')`,
	`INSERT INTO times VALUES ('2024-02-29', '12:34:56.789', '2024-02-29 01:02:03.456789', '2024-02-29 01:02:03+02', '2024-02-29 01:02:03.456')`,
	`INSERT INTO arrays VALUES (1, '{1,2}', '{a,"b c",""}', '{1.25}', '{2024-01-01 00:00:00+00}')`,
	`INSERT INTO moods VALUES ('sad', 'ok', '{sad,ok}'), ('it''s fine', NULL, NULL)`,
	`INSERT INTO serials DEFAULT VALUES`,
	`INSERT INTO identities DEFAULT VALUES`,
	`INSERT INTO "Odd Name"."Table" VALUES (1, 'a', 2)`,
	`CREATE MATERIALIZED VIEW by_host WITH (primary_key = 'host', salt_buckets = 4) AS SELECT host, count(*) AS n FROM metrics GROUP BY host`,
	`CREATE MATERIALIZED VIEW per_day WITH (primary_key = 'd DESC') AS SELECT at::date AS d, count(*) AS n FROM indexed GROUP BY 1`,
	`SELECT nextval('plain'), nextval('down')`,
}

// TestDump dumps a salted database with pg_dump, restores it here, and finds that a dump of
// that is the same; and into PostgreSQL, where every table has the same rows.
func TestDump(t *testing.T) {
	t.Parallel()
	from := dumpedDB(t)
	script(t, from, psqlObjects)
	script(t, from, saltedObjects)
	text := pgDump(t, from, nil)
	t.Run("here", func(t *testing.T) {
		to := dumpedDB(t)
		script(t, to, rolesOf(psqlObjects)) // pg_dumpall's to make
		if out := restored(t, to, text, true); out != "" {
			t.Error(out)
		}
		if again := pgDump(t, to, nil); again != text {
			t.Errorf("the dump of the restored database differs:\n%s", firstDifference(text, again))
		}
	})
	t.Run("exported", func(t *testing.T) {
		to := dumpedDB(t)
		script(t, to, rolesOf(psqlObjects))
		exportedHere(t, from, to, text)
	})
	t.Run("exported to postgres", func(t *testing.T) { exportedToPostgres(t, from, pgtest.Start(t)) })
	t.Run("postgres", func(t *testing.T) {
		to := pgtest.Start(t)
		plain := pgDump(t, from, []string{"PGOPTIONS=-c saltsql.reloptions=off"}, "--no-owner", "--no-privileges")
		if out := restored(t, to, plain, true); out != "" {
			t.Error(out)
		}
		sameTables(t, from, to)
	})
}

// TestDumpOfPostgres restores a dump of a PostgreSQL's schema of forty tables. What is not
// taken is refused by name, as refused.txt has it; every table that is there has the same
// rows.
func TestDumpOfPostgres(t *testing.T) {
	t.Parallel()
	const refused = "testdata/dump/refused.txt"
	schema, err := os.ReadFile("testdata/dump/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	from, to := pgtest.Start(t), dumpedDB(t)
	if out := restored(t, from, string(schema), true); out != "" {
		t.Fatal(out)
	}
	// A COPY that is refused would leave its rows to be read as statements.
	text := pgDump(t, from, nil, "--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=100")
	var got strings.Builder
	for line := range strings.Lines(restored(t, to, text, false)) {
		if strings.HasPrefix(line, "ERROR:") || strings.HasPrefix(line, "HINT:") {
			got.WriteString(line)
		}
	}
	if *rewrite {
		if err := os.WriteFile(refused, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(refused)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("what is refused differs from %s (-rewrite writes it):\n%s", refused, firstDifference(string(want), got.String()))
	}
	sameTables(t, to, from)
}

// rolesOf are the statements that make roles.
func rolesOf(statements []string) (out []string) {
	for _, s := range statements {
		if strings.HasPrefix(s, "CREATE ROLE") {
			out = append(out, s)
		}
	}
	return out
}

func firstDifference(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(la), len(lb)) {
		if la[i] != lb[i] {
			lo := max(0, i-3)
			return strings.Join(la[lo:min(len(la), i+3)], "\n") + "\n---\n" + strings.Join(lb[lo:min(len(lb), i+3)], "\n")
		}
	}
	return fmt.Sprintf("%d lines, %d lines", len(la), len(lb))
}

// sameTables compares the rows of all tables that are here with those that PostgreSQL has.
func sameTables(t *testing.T, ours, theirs string) {
	t.Helper()
	ctx := context.Background()
	rows := func(dsn, query string) []string {
		c, err := pgx.Connect(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(ctx)
		if _, err := c.Exec(ctx, "SET timezone = 'UTC'"); err != nil {
			t.Fatal(err)
		}
		r, err := c.PgConn().Exec(ctx, query).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		var out []string
		for _, row := range r[len(r)-1].Rows {
			out = append(out, string(bytes.Join(row, []byte("|"))))
		}
		slices.Sort(out)
		return out
	}
	const tables = `SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
		WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'saltsql')
		UNION ALL SELECT format('%I.%I', schemaname, matviewname) FROM pg_matviews WHERE ispopulated ORDER BY 1`
	list := rows(ours, tables)
	if len(list) == 0 {
		t.Fatal("there are no tables")
	}
	for _, table := range list {
		query := `SELECT * FROM ` + table
		if a, b := rows(ours, query), rows(theirs, query); strings.Join(a, "\n") != strings.Join(b, "\n") {
			t.Errorf("%s has %d rows, PostgreSQL %d:\n%s", table, len(a), len(b), firstDifference(strings.Join(a, "\n"), strings.Join(b, "\n")))
		}
	}
}
