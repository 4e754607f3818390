package conformance

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
)

// tableRoles are the kinds of roles that TestRightsTable asks as; "-" is the superuser. Those that
// begin with "r_" and the name of a right have that right on all that has it, and may look into the
// schema, but for r_out.
var tableRoles = []string{"r_out", "r_none", "r_select", "r_insert", "r_update", "r_delete", "r_truncate", "r_references",
	"r_usage", "r_create", "r_all", "r_noinherit", "r_maker", "r_in", "own", "-"}

// tableObjects makes what the statements of testdata/rights_table name, by whom.
var tableObjects = [][2]string{
	{"-", "CREATE SCHEMA app AUTHORIZATION own"}, {"-", "CREATE SCHEMA out AUTHORIZATION own"},
	{"own", "CREATE TABLE app.t (k int PRIMARY KEY, a int, b text)"}, {"own", "INSERT INTO app.t VALUES (1, 1, 'x'), (2, 2, 'y')"},
	{"own", "CREATE INDEX t_a ON app.t (a)"},
	{"own", "CREATE TABLE app.f (k int PRIMARY KEY)"},
	{"own", "CREATE TABLE app.r (k int PRIMARY KEY, CONSTRAINT r_f FOREIGN KEY (k) REFERENCES app.f, CONSTRAINT r_k CHECK (k > 0))"},
	{"own", "GRANT SELECT ON app.r TO r_select"}, {"own", "GRANT INSERT ON app.r TO r_insert"}, {"own", "GRANT DELETE ON app.r TO r_delete"}, {"own", "GRANT REFERENCES (k) ON app.r TO r_references"},
	{"own", "CREATE VIEW app.v AS SELECT k, a FROM app.t"}, {"own", "CREATE MATERIALIZED VIEW app.m AS SELECT k, a FROM app.t"},
	{"own", "CREATE SEQUENCE app.s"}, {"own", "SELECT nextval('app.s')"},
	{"own", "CREATE TYPE app.e AS ENUM ('x', 'y')"}, {"own", "CREATE DOMAIN app.d AS int"},
	{"own", "REVOKE USAGE ON TYPE app.e FROM PUBLIC"}, {"own", "REVOKE USAGE ON TYPE app.d FROM PUBLIC"},
	{"own", "GRANT USAGE ON TYPE app.e TO r_usage, r_all"}, {"own", "GRANT USAGE ON TYPE app.d TO r_usage, r_all"},
	{"own", "GRANT USAGE ON SCHEMA app TO r_none, r_select, r_insert, r_update, r_delete, r_truncate, r_references, r_usage, r_create, r_all, r_noinherit, r_maker"},
	{"own", "GRANT CREATE ON SCHEMA app TO r_create, r_all"},
	{"own", "GRANT ALL ON app.t, app.v, app.m TO r_all"}, {"own", "GRANT ALL ON app.s TO r_all"},
	{"own", "GRANT SELECT ON app.t, app.v, app.m TO r_select"}, {"own", "GRANT SELECT ON app.s TO r_select"},
	{"own", "GRANT INSERT ON app.t, app.v TO r_insert"}, {"own", "GRANT UPDATE ON app.t, app.v TO r_update"},
	{"own", "GRANT UPDATE ON app.s TO r_update"}, {"own", "GRANT DELETE ON app.t, app.v TO r_delete"},
	{"own", "GRANT TRUNCATE ON app.t TO r_truncate"}, {"own", "GRANT REFERENCES ON app.t TO r_references"},
	{"own", "GRANT USAGE ON SEQUENCE app.s TO r_usage"},
	{"-", "CREATE ROLE spare"}, {"-", "GRANT own TO r_in, r_noinherit"},
}

// tableGone removes what is left of them and of what the statements made.
var tableGone = []string{
	"DROP SCHEMA IF EXISTS app CASCADE", "DROP SCHEMA IF EXISTS application CASCADE", "DROP SCHEMA IF EXISTS out CASCADE", "DROP SCHEMA IF EXISTS made CASCADE",
	"ALTER DEFAULT PRIVILEGES FOR ROLE own REVOKE ALL ON TABLES FROM r_none", "REVOKE own FROM r_none",
	"DROP ROLE IF EXISTS spare, spared, made",
}

// noRights are the kinds of statements that no right is asked for, or that are refused whoever asks.
var noRights = map[string]string{
	"Begin": "transaction", "Commit": "transaction", "Rollback": "transaction", "Savepoint": "transaction", "Release": "transaction",
	"RollbackTo": "transaction", "SetTransaction": "transaction", "SetConstraints": "transaction",
	"Prepare": "what it runs is asked", "Execute": "what it runs is asked", "Deallocate": "of the session", "Discard": "of the session",
	"Fetch": "of the session", "CloseCursor": "of the session", "Listen": "no object", "Unlisten": "no object", "Notify": "no object",
	"Set": "testdata/rights has parameters", "Reset": "testdata/rights has parameters", "Show": "testdata/rights has parameters",
	"UseSchema": "sets search_path", "Checkpoint": "does nothing", "Unsupported": "refused", "CreateExtension": "refused",
	"AlterSystem": "refused", "AttachTable": "wants a table of the store without an owner", "ImportPhoenix": "wants Phoenix's catalog",
	"Cancel": "of sessions",
}

// TestRightsTable runs each statement of testdata/rights_table as each kind of role, here and on
// PostgreSQL: who is refused for want of rights must be the same, in the same words, and so must be
// whether it succeeds. Each kind of statement that there is has a line there, or a reason in noRights.
func TestRightsTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/rights_table")
	if err != nil {
		t.Fatal(err)
	}
	var stmts []string
	kinds := map[string]bool{}
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		stmts = append(stmts, line)
		ours, _, _ := strings.Cut(strings.TrimPrefix(line, "!"), " ~ ")
		list, err := dialect.Parse(ours)
		if err != nil {
			t.Fatalf("%s: %v", ours, err)
		}
		if u := list[0].Utility; u != nil {
			kinds[reflect.TypeOf(u).Elem().Name()] = true
		}
	}
	for _, kind := range utilityKinds(t) {
		if !kinds[kind] && noRights[kind] == "" {
			t.Errorf("no statement of testdata/rights_table is a %s, and noRights does not say why", kind)
		}
	}
	pg, ours := rightsServers(t, 4)
	makeRoles(t, pg, ours)
	fresh := false
	for i := range seeds.Part(t, len(stmts), seeds.Whole) {
		line := stmts[i]
		stmt, changes := strings.CutPrefix(line, "!")
		here, there, other := strings.Cut(stmt, " ~ ")
		if !other {
			there = here
		}
		for _, role := range tableRoles {
			if !fresh {
				for _, s := range tableGone {
					onBoth(t, pg, ours, "-", s, true)
				}
				for _, s := range tableObjects {
					onBoth(t, pg, ours, s[0], s[1], false)
				}
				fresh = true
			}
			want, got := pg.answer(role, there), ours.answer(role, here)
			if sameRights(want, got, other) {
				fresh = !changes || isError(want) && isError(got)
			} else {
				t.Errorf("%s| %s\nPostgreSQL: %s\nsaltsql:    %s", role, line, want, got)
				fresh = false
			}
			onBoth(t, pg, ours, role, "RESET ROLE", true)
			onBoth(t, pg, ours, role, "CLOSE ALL", true)
			pg.as, ours.as = "", ""
		}
	}
}

// rightsServers gives a superuser of the same name on PostgreSQL and here, where tables have salt
// buckets.
func rightsServers(t *testing.T, salt int) (pg, ours *rightsClient) {
	ctx := context.Background()
	dsn := pgtest.Start(t)
	admin, err := pgconn.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(ctx)
	if _, err := admin.Exec(ctx, "CREATE ROLE saltsql SUPERUSER CREATEDB CREATEROLE REPLICATION BYPASSRLS LOGIN; ALTER DATABASE postgres OWNER TO saltsql").ReadAll(); err != nil {
		t.Fatal(err)
	}
	host, port := harness.Serve(t, variant{store: "mem", salt: salt}.open(t))
	return newRightsClient(t, strings.Replace(dsn, "user=postgres", "user=saltsql", 1)),
		newRightsClient(t, fmt.Sprintf("host=%s port=%d user=saltsql dbname=postgres sslmode=disable", host, port))
}

// makeRoles makes tableRoles.
func makeRoles(t *testing.T, pg, ours *rightsClient) {
	for _, role := range tableRoles {
		attributes := map[string]string{"r_noinherit": " NOINHERIT", "r_maker": " CREATEROLE"}[role]
		if role != "-" {
			onBoth(t, pg, ours, "-", "CREATE ROLE "+role+" LOGIN"+attributes, false)
		}
	}
}

// onBoth runs what makes or removes things; where it may, it may fail.
func onBoth(t *testing.T, pg, ours *rightsClient, role, stmt string, may bool) {
	t.Helper()
	for _, c := range []*rightsClient{pg, ours} {
		if got := c.answer(role, stmt); !may && isError(got) {
			t.Fatalf("%s| %s: %s", role, stmt, got)
		}
	}
}

// isError says that an answer of rightsClient is an error.
func isError(answer string) bool { return strings.Contains(answer, " DETAIL [") }

// sameRights compares answers where one of them is a refusal for want of rights, and else whether they
// succeed, but for what is not supported here, and where they give one row whether it is the same. Of
// a statement that PostgreSQL has not the words are others.
func sameRights(want, got string, other bool) bool {
	denied := strings.HasPrefix(want, "42501")
	switch {
	case strings.Contains(want, `column "tableoid"`): // REVOKE asks each column too there, its own first
		return true
	case denied != strings.HasPrefix(got, "42501"):
		return false
	case denied:
		return other || want == got
	}
	if isError(want) || other {
		return isError(want) == isError(got) || other
	}
	return strings.HasPrefix(got, "0A000") || !isError(got) && (!strings.HasSuffix(want, "; SELECT 1") || want == got)
}

// utilityKinds lists the types of internal/dialect/tree that are statements, by their method Tag.
func utilityKinds(t *testing.T) (kinds []string) {
	files, err := filepath.Glob("../internal/dialect/tree/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil && m.Name.Name == "Tag" {
				if star, ok := m.Recv.List[0].Type.(*ast.StarExpr); ok {
					kinds = append(kinds, star.X.(*ast.Ident).Name)
				}
			}
		}
	}
	return kinds
}
