package servers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
)

// TestExport writes tables of every salt to files and loads them into another store, with values
// that CSV must quote, NULLs beside empty strings, and names that must be quoted.
func TestExport(t *testing.T) {
	for _, format := range []string{"csv", "parquet"} {
		t.Run(format, func(t *testing.T) { testExport(t, format) })
	}
}

func testExport(t *testing.T, format string) {
	root := t.TempDir()
	dir, again := filepath.Join(root, "out"), filepath.Join(root, "again")
	p := harness.Start(t, "pebble:"+filepath.Join(root, "a"))
	c := p.Connect(t)
	harness.MustExec(t, c, `CREATE SCHEMA "My/Schema"`)
	for _, salt := range harness.Salts {
		harness.MustExec(t, c, fmt.Sprintf(`CREATE TABLE "My/Schema"."T.%d" (id INT, s VARCHAR, "Odd ""col" VARCHAR, n NUMERIC(10,2), ts TIMESTAMP, b BYTEA, a INT[], PRIMARY KEY (id, s DESC)) SALT_BUCKETS = %d`, salt, salt))
		harness.MustExec(t, c, fmt.Sprintf(`INSERT INTO "My/Schema"."T.%d" SELECT i, 'k', CASE i %% 4 WHEN 0 THEN '' WHEN 1 THEN NULL WHEN 2 THEN 'a,"b"' ELSE E'x\ny\\.' END,
			i / 4.0, TIMESTAMP '2024-01-01' + i * INTERVAL '1 s', '\x00ff', ARRAY[i, 2] FROM generate_series(1, 300) i`, salt))
	}
	harness.MustExec(t, c, "CREATE TABLE plain (a INT PRIMARY KEY)")
	harness.MustExec(t, c, "CREATE SEQUENCE q")
	dsn := fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", p.Host, p.Port)
	out := harness.MustCommand(t, "export", "--format", format, "--connect", dsn, dir)
	if !strings.Contains(out, `"My/Schema"."T.16": 300 rows`) || !strings.Contains(out, "not written: 1 sequences, 0 views") {
		t.Errorf("export says %s", out)
	}
	if out, status := harness.Command(t, "export", "--format", format, "--connect", dsn, dir); status != 1 || !strings.Contains(out, "is there already") {
		t.Errorf("a second export into the folder: %d, %s", status, out)
	}
	if out, status := harness.Command(t, "export", "--format", format, "--connect", dsn, filepath.Join(root, "x"), "nothing"); status != 1 || !strings.Contains(out, "there is no table nothing") {
		t.Errorf("an export of what is not there: %d, %s", status, out)
	}
	to := "pebble:" + filepath.Join(root, "b")
	harness.MustCommand(t, "import", "--store", to, "--create", dir)
	if out, status := harness.Command(t, "import", "--store", to, dir, "public.plain", "My/Schema.T.0"); status != 1 || !strings.Contains(out, "duplicate key") {
		t.Errorf("a second import: %d, %s", status, out)
	}
	harness.MustCommand(t, "import", "--store", to, "--upsert", dir)
	harness.MustCommand(t, "export", "--format", format, "--store", to, again)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != len(harness.Salts)+2 {
		t.Fatalf("the export has %d files: %v", len(files), err)
	}
	for _, path := range files {
		a, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(again, filepath.Base(path)))
		if err != nil || string(a) != string(b) {
			t.Errorf("%s: %d bytes were written at first, %d of what was loaded (%v)", filepath.Base(path), len(a), len(b), err)
		}
	}
	var n int
	if err := c.QueryRow(context.Background(), `SELECT count(*) FROM "My/Schema"."T.4" WHERE "Odd ""col" = ''`).Scan(&n); err != nil || n != 75 {
		t.Errorf("%d rows: %v", n, err)
	}
	p.Stop(t)
}
