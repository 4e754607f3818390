package conformance

import (
	"context"
	"testing"

	"github.com/saltsql/saltsql"
)

// TestReopenedClock: rows that were written often are stamped ahead of the wall
// clock. What is written after the store was opened again counts nevertheless.
func TestReopenedClock(t *testing.T) {
	ctx := context.Background()
	db, reopen := openReopening(t)
	exec := func(sql string) {
		t.Helper()
		if _, err := db.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec("CREATE TABLE r (k INT PRIMARY KEY, a INT, b INT DEFAULT 7)")
	exec("INSERT INTO r SELECT 1, 0 FROM generate_series(1, 3000) ON CONFLICT DO NOTHING")
	exec("UPSERT INTO r (k, a, b) VALUES (1, 0, 0)")
	var err error
	if db, err = reopen(); err != nil {
		t.Fatal(err)
	}
	exec("UPSERT INTO r (k, a) VALUES (1, 1)")
	exec("UPSERT INTO r (k, b) VALUES (1, 2)")
	s, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, _, err := sessionConn{s}.Exec(ctx, "SELECT a, b FROM r")
	if err != nil || len(rows) != 1 || *rows[0][0] != "1" || *rows[0][1] != "2" {
		t.Errorf("%v %v: what was written last is not there", rows, err)
	}
}
