package saltsql

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/storage/pebble"
)

// TestReadOnlyStore: a store that is only read answers queries, and refuses all that writes
// before it has done anything.
func TestReadOnlyStore(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	open := func(o *pebble.Options) (*DB, func()) {
		t.Helper()
		store, err := pebble.Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		db, err := Open(ctx, store, nil)
		if err != nil {
			t.Fatal(err)
		}
		return db, func() {
			if err := errors.Join(db.Close(), store.Close()); err != nil {
				t.Error(err)
			}
		}
	}
	db, shut := open(nil)
	if _, err := db.Exec(ctx, "CREATE SEQUENCE q; CREATE TABLE t (k SERIAL PRIMARY KEY, v INT) SALT_BUCKETS = 4; INSERT INTO t (v) VALUES (1), (2)"); err != nil {
		t.Fatal(err)
	}
	shut()
	files, _ := filepath.Glob(filepath.Join(dir, "*"))

	db, shut = open(&pebble.Options{ReadOnly: true})
	for range 2 {
		if n, err := One[int](ctx, db, "SELECT sum(v) FROM t"); err != nil || n != 3 {
			t.Fatal(n, err)
		}
	}
	for _, text := range []string{
		"INSERT INTO t (v) VALUES (3)", "UPSERT INTO t VALUES (1, 3)", "UPDATE t SET v = 0", "DELETE FROM t", "TRUNCATE t",
		"CREATE TABLE u (k INT PRIMARY KEY)", "ALTER TABLE t ADD COLUMN w INT", "DROP TABLE t", "SELECT nextval('q')", "SELECT setval('q', 5)",
		"COMMENT ON TABLE t IS 'x'", "CREATE SCHEMA s", "BEGIN; INSERT INTO t (v) VALUES (3)", "SET default_transaction_read_only = off; DELETE FROM t",
	} {
		var e *Error
		if _, err := db.Exec(ctx, text); !errors.As(err, &e) || e.Code != "25006" {
			t.Errorf("%s: %v", text, err)
		}
	}
	var e *Error
	if _, err := db.CopyFrom(ctx, "COPY t (v) FROM STDIN", strings.NewReader("7\n")); !errors.As(err, &e) || e.Code != "25006" {
		t.Error(err)
	}
	if _, err := db.Exec(ctx, "BEGIN READ WRITE"); !errors.As(err, &e) || e.Code != "0A000" {
		t.Error(err)
	}
	if v, err := One[string](ctx, db, "SHOW transaction_read_only"); v != "on" || err != nil {
		t.Error(v, err)
	}
	shut()
	if after, _ := filepath.Glob(filepath.Join(dir, "*")); len(after) != len(files) {
		t.Errorf("files are %v, were %v", after, files)
	}
	db, shut = open(nil)
	if n, err := One[int](ctx, db, "SELECT sum(v) FROM t"); err != nil || n != 3 {
		t.Error(n, err)
	}
	shut()
}
