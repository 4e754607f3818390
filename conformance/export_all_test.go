package conformance

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
)

// exportedHere exports a database, imports it here, and finds that a dump of that is text, one of
// the database. to is empty, but for the roles.
func exportedHere(t *testing.T, from, to, text string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	harness.MustCommand(t, "export", "--connect", from, dir)
	harness.MustCommand(t, "import", "--create", "--connect", to, dir)
	if again := pgDump(t, to, nil); again != text {
		t.Errorf("the dump of what was imported differs:\n%s", firstDifference(text, again))
	}
}

// exportedToPostgres exports a database so that psql loads it into PostgreSQL, which has then the
// same tables with the same rows.
func exportedToPostgres(t *testing.T, from, to string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	harness.MustCommand(t, "export", "--postgres", "--connect", from, dir)
	file := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	all := file("schema.sql")
	for _, table := range askedRows(t, from, exportedTables) {
		path := filepath.Join(dir, inFileName(table[0])+"."+inFileName(table[1])+".csv")
		all += fmt.Sprintf("\\copy %s FROM '%s' WITH (FORMAT csv, HEADER)\n", table[2], path)
	}
	if out := restored(t, to, all+file("after.sql"), true); out != "" {
		t.Error(out)
	}
	sameTables(t, from, to)
}

// exportedTables gives the schema and the name of each table, and both as SQL has them.
const exportedTables = `SELECT schemaname, tablename, format('%I.%I', schemaname, tablename)
	FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'saltsql') ORDER BY 3`

// inFileName is a name as the names of exported files have it.
func inFileName(name string) string { return strings.ReplaceAll(url.PathEscape(name), ".", "%2E") }

// askedRows gives the rows of a query, as texts.
func askedRows(t *testing.T, dsn, query string) (out [][]string) {
	t.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	results, err := c.PgConn().Exec(ctx, query).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	for _, row := range results[len(results)-1].Rows {
		var texts []string
		for _, v := range row {
			texts = append(texts, string(v))
		}
		out = append(out, texts)
	}
	return out
}
