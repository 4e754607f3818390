package servers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/pebble"
)

// loadDB is a database on Pebble with a salted table of five rows.
func loadDB(t *testing.T) *saltsql.Session {
	t.Helper()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	st, err := pebble.Open(t.TempDir(), &pebble.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	db, err := saltsql.Open(context.Background(), st, &saltsql.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	loadExec(t, s, "CREATE TABLE t (k BIGINT, v VARCHAR(12), n INT NOT NULL CHECK (n >= 0), PRIMARY KEY (k)) SALT_BUCKETS = 4")
	loadExec(t, s, "INSERT INTO t SELECT 100000 + g, 'old', 1 FROM generate_series(1, 5) AS g")
	return s
}

func loadExec(t *testing.T, s *saltsql.Session, sql string) string {
	t.Helper()
	tag, err := s.Exec(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return string(tag)
}

func loadText(t *testing.T, s *saltsql.Session, sql string) string {
	t.Helper()
	r, err := s.Query(context.Background(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out []string
	for r.Next() {
		for i := range r.Columns() {
			out = append(out, r.Text(i))
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return strings.Join(out, " ")
}

// TestLoadFails refuses whole loads for one row of them, and says which.
func TestLoadFails(t *testing.T) {
	s := loadDB(t)
	for _, tt := range []struct {
		at    int // the line with the fault, counted from 1
		line  string
		code  sqlerr.Code
		where string
	}{
		{3000, "100003\tx\t1", sqlerr.UniqueViolation, "COPY t, line 3000"},
		{2, "1\tx\t1", sqlerr.UniqueViolation, "COPY t, line 2"},
		{4000, "17\tx\t1", sqlerr.UniqueViolation, "COPY t, line 4000"},
		{2500, "2500\tx\t\\N", sqlerr.NotNullViolation, "COPY t, line 2500"},
		{1, "1\tx\t-1", sqlerr.CheckViolation, "COPY t, line 1"},
		{3333, "3333\tlonger than twelve\t1", sqlerr.StringDataRightTruncation, "COPY t, line 3333"},
		{3333, "3333\tx\tone", sqlerr.InvalidTextRepresentation, `COPY t, line 3333, column n: "one"`},
	} {
		var data []byte
		for i := range 5000 {
			if i+1 == tt.at {
				data = append(append(data, tt.line...), '\n')
				continue
			}
			data = fmt.Appendf(data, "%d\tv\t%d\n", i+1, i)
		}
		_, err := s.CopyFrom(context.Background(), "COPY t FROM STDIN", bytes.NewReader(data))
		e := sqlerr.As(err)
		if e == nil || e.Code != tt.code || !strings.HasPrefix(e.Where, tt.where) {
			t.Errorf("%q in line %d: %+v", tt.line, tt.at, e)
		}
		if got := loadText(t, s, "SELECT count(*), sum(k) FROM t"); got != "5 500015" {
			t.Fatalf("after %q: %s", tt.line, got)
		}
	}
	// A bad row of the table comes before bad data in a later line.
	data := "1\tx\t-5\n" + strings.Repeat("2\tx\n", 1)
	if _, err := s.CopyFrom(context.Background(), "COPY t FROM STDIN", strings.NewReader(data)); sqlerr.As(err) == nil || sqlerr.As(err).Code != sqlerr.CheckViolation {
		t.Errorf("two faults: %v", err)
	}
	_, err := s.Exec(context.Background(), "INSERT INTO t SELECT g % 4500, 'x', 1 FROM generate_series(1, 5000) AS g")
	if e := sqlerr.As(err); e == nil || e.Code != sqlerr.UniqueViolation || e.Detail != "Key (k)=(1) already exists." {
		t.Errorf("INSERT of a key twice: %v", err)
	}
}

// TestLoadWrites reads what loads have written, RETURNING included, and has one
// wait for a row that another transaction writes.
func TestLoadWrites(t *testing.T) {
	s := loadDB(t)
	if tag := loadExec(t, s, "UPSERT INTO t (k, v, n) SELECT 100000 + g % 3000, 'new', g FROM generate_series(1, 6000) AS g"); tag != "INSERT 0 6000" {
		t.Errorf("tag %q", tag)
	}
	if got := loadText(t, s, "SELECT count(*), min(n), max(n), count(DISTINCT v) FROM t"); got != "3000 3001 6000 1" {
		t.Errorf("after UPSERT: %s", got)
	}
	r, err := s.Query(context.Background(), "INSERT INTO t SELECT g, 'x', 0 FROM generate_series(1, 4000) AS g RETURNING k")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r.Next() {
		if n++; r.Value(0) != int64(n) {
			t.Fatalf("row %d: %v", n, r.Value(0))
		}
	}
	if err := r.Close(); err != nil || n != 4000 {
		t.Fatal(n, err)
	}
	loadExec(t, s, "DELETE FROM t WHERE k < 100000")
	if got := loadText(t, s, "SELECT count(*) FROM t"); got != "3000" {
		t.Errorf("after DELETE: %s", got)
	}
}
