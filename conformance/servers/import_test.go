package servers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/internal/seeds"
)

// importSource makes files of two tables with keys, in many files, and of one without a key, and
// gives their folder.
func importSource(t *testing.T) (dir string) {
	t.Helper()
	root := t.TempDir()
	p := harness.Start(t, "pebble:"+filepath.Join(root, "from"))
	c := p.Connect(t)
	harness.MustExec(t, c, "CREATE SCHEMA sales")
	for _, ddl := range []string{"sales.a (id INT PRIMARY KEY, s VARCHAR) SALT_BUCKETS = 4", "b (id INT PRIMARY KEY, s VARCHAR)", "keyless (id INT, s VARCHAR)"} {
		name, _, _ := strings.Cut(ddl, " ")
		harness.MustExec(t, c, "CREATE TABLE "+ddl)
		harness.MustExec(t, c, fmt.Sprintf(`INSERT INTO %s SELECT i, CASE i %% 3 WHEN 0 THEN E'two\n"lines"\n' WHEN 1 THEN repeat('x', 100) END FROM generate_series(1, 5000) i`, name))
	}
	dir = filepath.Join(root, "files")
	harness.MustCommand(t, "export", "--file-size", "40kB", "--connect", dsnOf(p), dir)
	p.Stop(t)
	return dir
}

func dsnOf(p *harness.Process) string {
	return fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", p.Host, p.Port)
}

// imported tells how many rows the tables have, and of how many keys and texts.
func imported(t *testing.T, c *pgx.Conn) (all []string) {
	t.Helper()
	for _, table := range []string{"sales.a", "b", "keyless"} {
		var line string
		err := c.QueryRow(context.Background(), "SELECT concat_ws(' ', count(*), count(DISTINCT id), sum(id), count(s), sum(length(s))) FROM "+table).Scan(&line)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, line)
	}
	return all
}

// TestImportGoesOn kills imports with --resume, and the server that they load into, at random moments,
// and has the same command come to its end: each row is there once. Of a table without a key it says
// what is to be done where that is not known.
func TestImportGoesOn(t *testing.T) {
	seeds.Sometimes(t)
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	binary, err := harness.Build()
	if err != nil {
		t.Fatal(err)
	}
	dir := importSource(t)
	const want = "5000 5000 12502500 3333 186692"
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 3 {
		live, notes := "pebble:"+filepath.Join(t.TempDir(), "to"), filepath.Join(t.TempDir(), "notes")
		p := harness.Start(t, live)
		address := fmt.Sprintf("%s:%d", p.Host, p.Port)
		args := []string{"import", "--create", "--resume", "--notes", notes, "--connect", dsnOf(p), dir}
		killed, done := 0, false
		for ; killed < 6 && !done; killed++ {
			cmd := childproc.Command(binary, args...)
			out := new(strings.Builder)
			cmd.Stdout, cmd.Stderr = out, out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(30+rng.IntN(400)) * time.Millisecond)
			if round > 0 && killed%2 == 1 { // the server, which begins again on the same port
				p.Kill()
				_ = cmd.Wait()
				p = harness.Start(t, live, "--listen", address)
			} else {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}
			done = strings.Contains(out.String(), "keyless: ")
			if strings.Contains(out.String(), "TRUNCATE") { // as it says
				harness.MustExec(t, p.Connect(t), "TRUNCATE keyless")
			}
		}
		out, status := harness.Command(t, args...)
		if strings.Contains(out, "TRUNCATE") {
			harness.MustExec(t, p.Connect(t), "TRUNCATE keyless")
			out, status = harness.Command(t, args...)
		}
		if status != 0 {
			t.Fatalf("after %d kills: %d, %s", killed, status, out)
		}
		t.Logf("after %d kills: %s", killed, out)
		if got := imported(t, p.Connect(t)); strings.Join(got, "|") != strings.Join([]string{want, want, want}, "|") {
			t.Errorf("the tables have %q, want %q each", got, want)
		}
		// What is done is left out.
		if out := harness.MustCommand(t, args...); strings.Count(out, ": 0 rows; ") != 3 {
			t.Errorf("run again: %s", out)
		}
		p.Stop(t)
	}
}

// TestImportNotes holds what the notes keep from being loaded twice, or not at all.
func TestImportNotes(t *testing.T) {
	dir := importSource(t)
	p := harness.Start(t, "mem:")
	c := p.Connect(t)
	args := []string{"import", "--resume", "--connect", dsnOf(p), dir}
	refused := func(why string) {
		t.Helper()
		if out, status := harness.Command(t, args...); status != 1 || !strings.Contains(out, why) {
			t.Errorf("%d, %s; want: %s", status, out, why)
		}
	}
	harness.MustExec(t, c, "CREATE SCHEMA sales")
	harness.MustExec(t, c, "CREATE TABLE sales.a (id INT PRIMARY KEY, s VARCHAR)")
	harness.MustExec(t, c, "CREATE TABLE b (id INT PRIMARY KEY CHECK (id <> 4000), s VARCHAR)")
	harness.MustExec(t, c, "CREATE TABLE keyless (id INT, s VARCHAR)")
	harness.MustExec(t, c, "INSERT INTO sales.a VALUES (5000, 'another')")
	refused("violates check constraint")
	refused("violates check constraint")
	harness.MustExec(t, c, "ALTER TABLE b DROP CONSTRAINT b_id_check")
	// A row that was there before is not replaced, in any run.
	refused("duplicate key")
	refused("duplicate key")
	harness.MustExec(t, c, "DELETE FROM sales.a WHERE id = 5000")
	if out := harness.MustCommand(t, args...); !strings.Contains(out, "were loaded before") {
		t.Error(out)
	}
	for i, got := range imported(t, c) {
		if got != "5000 5000 12502500 3333 186692" {
			t.Errorf("table %d has %s", i, got)
		}
	}
	// A COPY that goes on after its run was ended is waited for: what it leaves is not loaded again.
	var notes struct{ Lock int64 }
	text, err := os.ReadFile(filepath.Join(dir, ".imported"))
	if err == nil {
		err = json.Unmarshal(text, &notes)
	}
	undone := bytes.ReplaceAll(text, []byte(`"done": true`), []byte(`"done": false`))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, ".imported"), undone, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	harness.MustExec(t, c, "TRUNCATE keyless")
	before := p.Connect(t)
	harness.MustExec(t, before, fmt.Sprintf("SELECT pg_advisory_lock(%d)", notes.Lock))
	harness.MustExec(t, before, "BEGIN")
	harness.MustExec(t, before, "INSERT INTO keyless VALUES (1, 'x')")
	ended := make(chan string)
	go func() {
		out, _ := harness.Command(t, args...)
		ended <- out
	}()
	for waits := "0"; waits != "1"; time.Sleep(5 * time.Millisecond) {
		if err := c.QueryRow(t.Context(), "SELECT count(*)::text FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").Scan(&waits); err != nil {
			t.Fatal(err)
		}
	}
	harness.MustExec(t, before, "COMMIT")
	if err := before.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out := <-ended; !strings.Contains(out, "waiting for the run before") || !strings.Contains(out, "TRUNCATE") {
		t.Errorf("beside a run that goes on: %s", out)
	}
	if err := os.WriteFile(filepath.Join(dir, ".imported"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	// Another target has notes of its own.
	other := harness.Start(t, "mem:")
	if out, status := harness.Command(t, "import", "--create", "--resume", "--connect", dsnOf(other), dir); status != 1 || !strings.Contains(out, "notes of an import into") {
		t.Errorf("%d, %s", status, out)
	}
	other.Stop(t)
	// A file that is another now was not loaded.
	path := filepath.Join(dir, "public.b.csv")
	if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	refused("has changed since")
	p.Stop(t)
}
