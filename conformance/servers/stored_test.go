package servers

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
)

var writeStored = flag.String("stored.write", "", "make testdata/stores/NAME.tgz, a store as this version makes it, and what it answers")

// storedScript makes a store that has some of everything that lies in a store.
var storedScript = []string{
	"CREATE SCHEMA app",
	"CREATE ROLE clerk LOGIN CONNECTION LIMIT 3",
	"ALTER ROLE clerk SET statement_timeout = '9s'",
	`CREATE TABLE app.typed (a INT, b VARCHAR, c BIGINT, d SMALLINT, e DOUBLE PRECISION, f REAL, g DECIMAL(20,5), h BOOLEAN, i DATE, j TIME, k TIMESTAMP, l TIMESTAMPTZ,
		n BYTEA, o JSONB, p UUID, q INT[], r TEXT DEFAULT 'default', CONSTRAINT typed_pk PRIMARY KEY (a, b DESC)) SALT_BUCKETS = 4`,
	`INSERT INTO app.typed SELECT i, 'b' || i % 3, i * 10000000000, i, i / 7.0, i / 3.0, i / 9.0, i % 2 = 0, DATE '2024-01-01' + i, TIME '01:02:03.456', TIMESTAMP '2024-01-01 00:00:00.123456' + i * INTERVAL '1 hour',
		TIMESTAMPTZ '2024-01-01 00:00:00+02' + i * INTERVAL '1 day', decode(md5(i::text), 'hex'), jsonb_build_object('i', i, 'l', jsonb_build_array(i, NULL)),
		md5(i::text)::uuid, ARRAY[i, -i] FROM generate_series(-20, 20) i`,
	"INSERT INTO app.typed (a, b) VALUES (100, '')",
	"CREATE INDEX typed_i ON app.typed (i, h) INCLUDE (r)",
	"CREATE UNIQUE INDEX typed_p ON app.typed (p) WHERE a > 0",
	"CREATE INDEX typed_lower ON app.typed (lower(b))",
	"CREATE TABLE plain (k BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v VARCHAR NOT NULL CHECK (v <> ''))",
	"INSERT INTO plain (v) SELECT 'v' || i FROM generate_series(1, 500) i",
	"DELETE FROM plain WHERE k % 10 = 0",
	"UPDATE plain SET v = 'changed' WHERE k % 7 = 0",
	"CREATE TABLE child (id INT PRIMARY KEY, k BIGINT REFERENCES plain (k)) SALT_BUCKETS = 8",
	"INSERT INTO child SELECT i, i FROM generate_series(1, 9) i",
	"CREATE TABLE altered (k INT PRIMARY KEY, gone INT, kept INT) SALT_BUCKETS = 16",
	"INSERT INTO altered SELECT i, i, i FROM generate_series(1, 50) i",
	"ALTER TABLE altered DROP COLUMN gone",
	"ALTER TABLE altered ADD COLUMN late VARCHAR",
	"CREATE TABLE hidden (v INT)",
	"INSERT INTO hidden VALUES (3), (1), (2)",
	"CREATE SEQUENCE app.counter START 7 INCREMENT 3",
	"SELECT nextval('app.counter') FROM generate_series(1, 4)",
	"CREATE VIEW app.sums AS SELECT h, count(*) AS n, sum(g) AS g FROM app.typed GROUP BY h",
	"COMMENT ON TABLE plain IS 'a comment'",
	"GRANT SELECT ON app.typed TO clerk",
}

// storedQuestions are asked of every stored store.
var storedQuestions = []string{
	"SELECT * FROM app.typed ORDER BY a, b DESC",
	"SELECT a, r FROM app.typed WHERE i = DATE '2024-01-06'",
	"SELECT a FROM app.typed WHERE p = md5('5')::uuid AND a > 0",
	"SELECT count(*) FROM app.typed WHERE lower(b) = 'b1'",
	"SELECT count(*), sum(k), count(*) FILTER (WHERE v = 'changed') FROM plain",
	"SELECT * FROM child JOIN plain USING (k) ORDER BY id",
	"SELECT count(*), sum(kept), min(late) FROM altered",
	"SELECT v FROM hidden ORDER BY v",
	"SELECT * FROM app.sums ORDER BY h",
	"SELECT last_value >= 16 FROM app.counter",
	"SELECT relname, relkind, obj_description(oid) FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'app'::regnamespace) ORDER BY 1",
	"SELECT conname, contype, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace IN ('public'::regnamespace, 'app'::regnamespace) ORDER BY 1",
	"SELECT rolname, rolconnlimit, rolconfig FROM pg_roles WHERE rolname = 'clerk'",
	"SELECT has_table_privilege('clerk', 'app.typed', 'SELECT'), has_table_privilege('clerk', 'plain', 'SELECT')",
}

func askStored(t *testing.T, c *pgx.Conn) string {
	t.Helper()
	var out strings.Builder
	for _, q := range storedQuestions {
		fmt.Fprintf(&out, "%s\n", q)
		results, err := c.PgConn().Exec(context.Background(), q).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		for _, row := range results[0].Rows {
			for i, v := range row {
				if i > 0 {
					out.WriteString(" | ")
				}
				if v == nil {
					v = []byte("NULL")
				}
				out.Write(v)
			}
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// TestStoredStores opens stores that versions of the program have made, as they were made and with
// their format raised: they answer what they did, can be written to, and check finds nothing.
func TestStoredStores(t *testing.T) {
	const folder = "testdata/stores"
	if *writeStored != "" {
		dir := filepath.Join(t.TempDir(), "store")
		p := harness.Start(t, "pebble:"+dir)
		c := p.Connect(t)
		for _, text := range storedScript {
			harness.MustExec(t, c, text)
		}
		answers := askStored(t, c)
		p.Stop(t)
		if err := errors.Join(os.MkdirAll(folder, 0o755), packFolder(dir, filepath.Join(folder, *writeStored+".tgz")), os.WriteFile(filepath.Join(folder, *writeStored+".txt"), []byte(answers), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	archives, err := filepath.Glob(folder + "/*.tgz")
	if err != nil || len(archives) == 0 {
		t.Fatal("there are no stored stores", err)
	}
	for _, archive := range archives {
		for _, raised := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/raised=%t", filepath.Base(archive), raised), func(t *testing.T) {
				want, err := os.ReadFile(strings.TrimSuffix(archive, ".tgz") + ".txt")
				if err != nil {
					t.Fatal(err)
				}
				dir := filepath.Join(t.TempDir(), "store")
				if err := unpackFolder(archive, dir); err != nil {
					t.Fatal(err)
				}
				if raised {
					harness.MustCommand(t, "upgrade", "--store", "pebble:"+dir)
				}
				harness.MustCommand(t, "check", "--store", "pebble:"+dir)
				p := harness.Start(t, "pebble:"+dir)
				c := p.ConnectAs(t, "saltsql")
				if got := askStored(t, c); got != string(want) {
					t.Errorf("it answers\n%s\nnot\n%s", got, want)
				}
				for _, text := range []string{"INSERT INTO plain (v) VALUES ('new')", "UPDATE app.typed SET i = i + 1",
					"UPDATE app.typed SET q = array_append(q, NULL), j = j + interval '1 microsecond' WHERE a = 5", "ALTER TABLE app.typed ALTER COLUMN j TYPE TIME",
					"UPDATE app.typed SET j = j + interval '1 microsecond', q = ARRAY[q, q] WHERE a = 5", "CREATE TABLE fresh (k INT PRIMARY KEY)", "DROP TABLE child", "SELECT nextval('app.counter')"} {
					harness.MustExec(t, c, text)
				}
				var wide string
				if err := c.QueryRow(context.Background(), "SELECT j || ' ' || q::text FROM app.typed WHERE a = 5").Scan(&wide); err != nil || wide != "01:02:03.456001 {{5,-5,NULL},{5,-5,NULL}}" {
					t.Errorf("values that were not stored before are read as %s (%v)", wide, err)
				}
				p.Stop(t)
				harness.MustCommand(t, "check", "--store", "pebble:"+dir)
			})
		}
	}
}

func packFolder(dir, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(z)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "LOCK" {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o600, Size: int64(len(b))}); err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	})
	return errors.Join(err, w.Close(), z.Close(), f.Close())
}

func unpackFolder(path, dir string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(h.Name))
		if !filepath.IsLocal(h.Name) {
			return fmt.Errorf("%s leads out of the folder", h.Name)
		}
		b, err := io.ReadAll(r)
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, b, 0o600))
		}
		if err != nil {
			return err
		}
	}
}
