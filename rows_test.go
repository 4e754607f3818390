package saltsql

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

func openSQL(t *testing.T) *sql.DB {
	t.Helper()
	store := mem.New()
	db, err := Open(context.Background(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := sql.OpenDB(db.Connector())
	t.Cleanup(func() {
		h.Close()
		db.Close()
		store.Close()
	})
	return h
}

func TestCallersContextIsTheCause(t *testing.T) {
	db := openSQL(t)
	late, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	if _, err := db.ExecContext(late, "SELECT pg_sleep(60)"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	time.AfterFunc(5*time.Millisecond, cancel)
	if _, err := db.ExecContext(ended, "SELECT pg_sleep(60)"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFailedBlockLetsOthersWrite(t *testing.T) {
	db := openSQL(t)
	for _, q := range []string{"CREATE TABLE t (a INT PRIMARY KEY, n INT)", "INSERT INTO t VALUES (1, 0)"} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	for _, bad := range []string{"SELECT 1 / n FROM t", "SELECT nope", "SELECT a FROM t WHERE a = $1"} {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec("UPDATE t SET n = 0 WHERE a = 1"); err != nil {
			t.Fatal(err)
		}
		args := []any{"x"}[:0]
		if bad[len(bad)-1] == '1' {
			args = args[:1]
		}
		if _, err := tx.Exec(bad, args...); err == nil {
			t.Fatal(bad)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		if _, err := db.ExecContext(ctx, "UPDATE t SET n = n WHERE a = 1"); err != nil {
			t.Errorf("after %s: %v", bad, err)
		}
		cancel()
		if err := tx.Commit(); err == nil {
			t.Error("a failed block committed")
		}
	}
}

// Rows that an open block holds are not seen by the test of a new constraint: the
// block fails at COMMIT. What adds no constraint does not disturb it.
func TestAlterUnderAnOpenBlock(t *testing.T) {
	for _, test := range []struct {
		alter string
		code  sqlerr.Code
	}{
		{"ALTER TABLE t ADD CONSTRAINT small CHECK (a < 20)", sqlerr.SerializationFailure},
		{"ALTER TABLE t ALTER COLUMN n SET NOT NULL", sqlerr.SerializationFailure},
		{"ALTER TABLE t ADD COLUMN m INT NOT NULL", sqlerr.SerializationFailure},
		{"ALTER TABLE t ADD COLUMN m INT", sqlerr.Code{}},
		{"ALTER TABLE t RENAME COLUMN n TO m", sqlerr.Code{}},
		{"DROP TABLE t", sqlerr.UndefinedTable},
	} {
		db := openSQL(t)
		if _, err := db.Exec("CREATE TABLE t (a INT PRIMARY KEY, n INT)"); err != nil {
			t.Fatal(err)
		}
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec("INSERT INTO t VALUES (21, NULL)"); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(test.alter); err != nil {
			t.Fatalf("%s: %v", test.alter, err)
		}
		err = tx.Commit()
		if e := sqlerr.As(err); (e == nil) != (test.code == sqlerr.Code{}) || e != nil && e.Code != test.code {
			t.Errorf("%s: %v", test.alter, err)
		}
	}
}
