package saltsql

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
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

func openSession(t *testing.T, opts SessionOptions) (*DB, *Session) {
	t.Helper()
	store := mem.New()
	db, err := Open(context.Background(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.NewSession(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		db.Close()
		store.Close()
	})
	return db, s
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
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
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

// TestQueryWrites: a statement that writes has done so when Query returns, however its
// rows are read, and what is wrong with it is Query's error.
func TestQueryWrites(t *testing.T) {
	ctx := context.Background()
	db, s := openSession(t, SessionOptions{})
	h := sql.OpenDB(db.Connector())
	defer h.Close()
	type closer interface{ Close() error }
	ways := map[string]func(text string) (closer, error){
		"native":       func(text string) (closer, error) { return s.Query(ctx, text) },
		"own session":  func(text string) (closer, error) { return db.Query(ctx, text) },
		"database/sql": func(text string) (closer, error) { return h.Query(text) },
		"prepared": func(text string) (closer, error) {
			st, err := h.Prepare(text)
			if err != nil {
				return nil, err
			}
			defer st.Close()
			return st.Query()
		},
	}
	for way, query := range ways {
		t.Run(way, func(t *testing.T) {
			run := func(text, count string, want int64) {
				t.Helper()
				r, err := query(text)
				if err != nil {
					t.Fatal(text, err)
				}
				if err := r.Close(); err != nil {
					t.Fatal(text, err)
				}
				var n int64
				rows, err := s.Query(ctx, count)
				if err != nil {
					t.Fatal(count, err)
				}
				defer rows.Close()
				if !rows.Next() || rows.Scan(&n) != nil || n != want {
					t.Errorf("%s: %d, not %d", text, n, want)
				}
			}
			run("DROP TABLE IF EXISTS w", "SELECT 0", 0)
			run("CREATE TABLE w (a INT PRIMARY KEY, b INT)", "SELECT count(*) FROM w", 0)
			run("INSERT INTO w VALUES (1, 1), (2, 2)", "SELECT count(*) FROM w", 2)
			run("INSERT INTO w SELECT i, i FROM generate_series(3, 5000) i RETURNING a, b", "SELECT count(*) FROM w", 5000)
			run("UPDATE w SET b = 0 WHERE a < 4000 RETURNING *", "SELECT count(*) FROM w WHERE b = 0", 3999)
			run("DELETE FROM w WHERE b = 0", "SELECT count(*) FROM w", 1001)
			run("CREATE SEQUENCE IF NOT EXISTS q", "SELECT 0", 0)
			run("SELECT setval('q', 50)", "SELECT last_value FROM q", 50)
			for _, text := range []string{"INSERT INTO w VALUES (4500, 1)", "INSERT INTO w VALUES (4500, 1) RETURNING a", "SELECT 1 / (a - 4500) FROM w WHERE a = 4500"} {
				if r, err := query(text); err == nil {
					t.Errorf("%s: no error; at Close: %v", text, r.Close())
				}
			}
		})
	}
}

// TestScanOutsideOfRows is an error.
func TestScanOutsideOfRows(t *testing.T) {
	ctx := context.Background()
	_, s := openSession(t, SessionOptions{})
	r, err := s.Query(ctx, "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	var n int
	outside := func(when string) {
		t.Helper()
		if err := r.Scan(&n); sqlerr.CodeOf(err) != sqlerr.InvalidCursorState {
			t.Errorf("%s: %v", when, err)
		}
		if v := r.Value(0); v != nil || r.Text(0) != "" || !r.Null(0) {
			t.Errorf("%s: %v", when, v)
		}
	}
	outside("before Next")
	if !r.Next() || r.Scan(&n) != nil || n != 1 {
		t.Fatal(n, r.Err())
	}
	for _, dest := range []any{nil, n, (*int)(nil), (*string)(nil), (*[]byte)(nil), (*any)(nil), (*sql.NullString)(nil), (**int)(nil)} {
		if err := r.Scan(dest); err == nil {
			t.Errorf("Scan into a %T", dest)
		}
	}
	if r.Next() {
		t.Error("a second row")
	}
	outside("after the end")
	r.Close()
	outside("after Close")
	if r, err = s.Query(ctx, "SELECT 1"); err != nil || !r.Next() {
		t.Fatal(err)
	}
	r.Close()
	outside("after Close on a row")
}

// TestRowsSideBySide: queries, writes and loads leave the rows of the same session alone
// that are open.
func TestRowsSideBySide(t *testing.T) {
	ctx := context.Background()
	db, s := openSession(t, SessionOptions{})
	h := sql.OpenDB(db.Connector())
	defer h.Close()
	const rows = 5000
	for _, text := range []string{
		"CREATE TABLE t (a INT PRIMARY KEY, b INT)", "INSERT INTO t SELECT i, i FROM generate_series(1, 5000) i",
		"CREATE TABLE u (a INT PRIMARY KEY)",
	} {
		if _, err := s.Exec(ctx, text); err != nil {
			t.Fatal(text, err)
		}
	}
	for _, block := range []string{"", "BEGIN"} {
		if block != "" {
			s.Exec(ctx, block)
		}
		outer, err := s.Query(ctx, "SELECT a FROM t ORDER BY a")
		if err != nil {
			t.Fatal(err)
		}
		second, err := s.Query(ctx, "SELECT a FROM t ORDER BY a DESC")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for outer.Next() {
			n++
			if got := outer.Value(0).(int64); got != int64(n) {
				t.Fatalf("row %d is %d", n, got)
			}
			if !second.Next() || second.Value(0).(int64) != int64(rows+1-n) {
				t.Fatalf("row %d of the second: %v, %v", n, second.Value(0), second.Err())
			}
			if n%1000 != 0 {
				continue
			}
			if _, err := s.Exec(ctx, "UPDATE t SET b = b + 1 WHERE a = $1", n); err != nil {
				t.Fatal(err)
			}
			if _, err := s.CopyFrom(ctx, "COPY u FROM STDIN WITH (UPSERT)", strings.NewReader(strconv.Itoa(n)+"\n")); err != nil {
				t.Fatal(err)
			}
			inner, err := s.Query(ctx, "SELECT b FROM t WHERE a = 1000")
			if err != nil {
				t.Fatal(err)
			}
			if !inner.Next() {
				t.Error(inner.Err())
			}
			inner.Close()
		}
		if err := outer.Close(); n != rows || err != nil {
			t.Errorf("%d rows, %v", n, err)
		}
		if err := second.Close(); err != nil {
			t.Error(err)
		}
		if block != "" {
			s.Exec(ctx, "COMMIT")
		}
	}
	conn, err := h.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	outer, err := conn.QueryContext(ctx, "SELECT a FROM t ORDER BY a")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for outer.Next() {
		n++
		if n%1000 == 0 {
			var b int
			if err := conn.QueryRowContext(ctx, "SELECT b FROM t WHERE a = $1", n).Scan(&b); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n != rows || outer.Err() != nil {
		t.Errorf("%d rows, %v", n, outer.Err())
	}
	if s.s.Portals() != 0 {
		t.Errorf("%d portals are left", s.s.Portals())
	}
}
