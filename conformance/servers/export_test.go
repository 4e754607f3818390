package servers

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
)

// TestExportParts has processes export a part each, by one snapshot while others write; together they are the tables.
func TestExportParts(t *testing.T) {
	for _, format := range []string{"csv", "parquet"} {
		t.Run(format, func(t *testing.T) { testExportParts(t, format) })
	}
}

func testExportParts(t *testing.T, format string) {
	root := t.TempDir()
	p := harness.Start(t, "pebble:"+filepath.Join(root, "a"))
	c, held := p.Connect(t), p.Connect(t)
	dsn := fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", p.Host, p.Port)
	for _, salt := range []int{0, 1, 5, 16} {
		harness.MustExec(t, c, fmt.Sprintf(`CREATE TABLE "t = %d" (k INT, s VARCHAR, twice INT GENERATED ALWAYS AS (k * 2) STORED, PRIMARY KEY (k)) SALT_BUCKETS = %d`, salt, salt))
		harness.MustExec(t, c, fmt.Sprintf(`INSERT INTO "t = %d" SELECT i, 'row ' || i FROM generate_series(1, 1000) AS i`, salt))
	}
	harness.MustExec(t, c, "CREATE TABLE loose (v INT)")
	harness.MustExec(t, c, "INSERT INTO loose SELECT i % 10 FROM generate_series(1, 1000) AS i")
	harness.MustExec(t, held, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	var snapshot string
	if err := held.QueryRow(context.Background(), "SELECT pg_export_snapshot()").Scan(&snapshot); err != nil {
		t.Fatal(err)
	}
	harness.MustExec(t, c, `DELETE FROM "t = 5" WHERE k % 2 = 0`)
	harness.MustExec(t, c, `INSERT INTO loose VALUES (11)`)
	dir := filepath.Join(root, "out")
	for _, part := range []string{"4/7", "1/7", "7/7", "6/7", "5/7", "3/7"} {
		harness.MustCommand(t, "export", "--format", format, "--snapshot", snapshot, "--part", part, "--connect", dsn, dir)
	}
	to := "pebble:" + filepath.Join(root, "b")
	if out, status := harness.Command(t, "import", "--store", to, "--create", dir); status != 1 || !strings.Contains(out, "is missing") {
		t.Errorf("an import without part 2: %d, %s", status, out)
	}
	harness.MustCommand(t, "export", "--format", format, "--snapshot", snapshot, "--part", "2/7", "--connect", dsn, dir)
	if out, status := harness.Command(t, "export", "--format", format, "--part", "2/7", "--connect", dsn, dir); status != 1 || !strings.Contains(out, "is there already") {
		t.Errorf("a part for the second time: %d, %s", status, out)
	}
	for _, bad := range []string{"0/7", "8/7", "1/300", "1", "x/2"} {
		if out, status := harness.Command(t, "export", "--part", bad, "--connect", dsn, filepath.Join(root, "x")); status == 0 {
			t.Errorf("--part %s: %s", bad, out)
		}
	}
	harness.MustCommand(t, "import", "--store", "pebble:"+filepath.Join(root, "c"), "--create", dir)
	q := harness.Start(t, "pebble:"+filepath.Join(root, "c"))
	for name, want := range map[string]string{`"t = 0"`: "1000 2000", `"t = 1"`: "1000 2000", `"t = 5"`: "1000 2000", `"t = 16"`: "1000 2000", "loose": "1000 9"} {
		sql := "SELECT count(*) || ' ' || max(twice) FROM " + name
		if name == "loose" {
			sql = "SELECT count(*) || ' ' || max(v) FROM loose"
		}
		var got string
		if err := q.Connect(t).QueryRow(context.Background(), sql).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %s, want %s: %v", name, got, want, err)
		}
	}
}

// TestExport writes tables of every salt to files and loads them into another store, with values
// that CSV must quote, NULLs beside empty strings, and names that must be quoted.
func TestExport(t *testing.T) {
	seeds.Sometimes(t)
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
	if !strings.Contains(out, `"My/Schema"."T.16": 300 rows`) {
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
	if err != nil || len(files) != len(harness.Salts)+4 {
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

// TestExportGoesOn writes tables in several files each, ends in the middle and goes on, and writes
// them as they were in a backup: each time the same rows are read of what was written.
func TestExportGoesOn(t *testing.T) {
	seeds.Sometimes(t)
	root := t.TempDir()
	live := "pebble:" + filepath.Join(root, "live")
	p := harness.Start(t, live)
	c := p.Connect(t)
	for _, name := range []string{"a", "b"} {
		harness.MustExec(t, c, fmt.Sprintf("CREATE TABLE %s (id INT PRIMARY KEY, s VARCHAR) SALT_BUCKETS = 4", name))
		harness.MustExec(t, c, fmt.Sprintf(`INSERT INTO %s SELECT i, CASE i %% 3 WHEN 0 THEN E'two\n"lines"\n' WHEN 1 THEN repeat('x', 100) END FROM generate_series(1, 500) i`, name))
	}
	dsn := fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", p.Host, p.Port)
	backups := filepath.Join(root, "backups")
	harness.MustCommand(t, "backup", "--store", live, backups)
	read := func(dir string) map[string]string {
		t.Helper()
		files := map[string]string{}
		paths, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(path)] = string(text)
		}
		return files
	}
	for _, format := range []string{"csv", "parquet"} {
		t.Run(format, func(t *testing.T) {
			dir := func(name string) string { return filepath.Join(root, format, name) }
			args := []string{"export", "--format", format, "--file-size", "4kB"}
			export := func(more ...string) { t.Helper(); harness.MustCommand(t, append(args, more...)...) }
			export("--connect", dsn, dir("whole"))
			whole := read(dir("whole"))
			last := "public.b." + format // so few rows are one group of a Parquet file
			if format == "csv" {
				if last = "public.b.2.csv"; whole[last] == "" || len(whole[last]) > 8<<10 {
					t.Fatalf("the second file of b has %d bytes", len(whole[last]))
				}
			}
			// What an export leaves that is killed within table b.
			export("--connect", dsn, dir("killed"), "a", "b")
			for _, name := range []string{"schema.sql", last} {
				if err := os.Remove(filepath.Join(dir("killed"), name)); err != nil {
					t.Fatal(err)
				}
			}
			for name, text := range map[string]string{".exported": "." + format + "\x00public.a\x00", last: "half", last + ".part": "half"} {
				if err := os.WriteFile(filepath.Join(dir("killed"), name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if out, status := harness.Command(t, append(args, "--connect", dsn, dir("killed"))...); status != 1 || !strings.Contains(out, "--resume") {
				t.Errorf("an export into it: %d, %s", status, out)
			}
			if out := harness.MustCommand(t, append(args, "--resume", "--connect", dsn, dir("killed"))...); !strings.Contains(out, "public.a: written before") {
				t.Errorf("to go on says %s", out)
			}
			if got := read(dir("killed")); !maps.Equal(got, whole) {
				t.Errorf("what went on has %d files, not the %d", len(got), len(whole))
			}
			if out, status := harness.Command(t, append(args, "--resume", "--connect", dsn, dir("killed"))...); status != 1 || !strings.Contains(out, "is there already") {
				t.Errorf("to go on with what is done: %d, %s", status, out)
			}
			harness.MustExec(t, c, "DELETE FROM b WHERE id < 300")
			export("--backup", backups, dir("then"))
			if got := read(dir("then")); !maps.Equal(got, whole) {
				t.Error("the files of the backup are not those of its moment")
			}
			to := "pebble:" + dir("store")
			harness.MustCommand(t, "import", "--create", "--store", to, dir("then"))
			harness.MustCommand(t, "import", "--upsert", "--connect", dsn, dir("then"), "b")
			export("--store", to, dir("again"))
			if got := read(dir("again")); !maps.Equal(got, whole) {
				t.Error("what was loaded is not what was written")
			}
		})
	}
	p.Stop(t)
}
