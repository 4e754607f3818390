package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestLargeDefinitions: every server keeps all definitions in memory, so each has a limit, whichever
// of its parts grows. What is refused leaves the object as it was.
func TestLargeDefinitions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long beside the race detector, on one goroutine")
	}
	ctx := context.Background()
	db := openDB(t, nil)
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const long = 1 << 20
	text := func(n int) string { return "'" + strings.Repeat("x", n) + "'" }
	for _, sql := range []string{"CREATE TABLE t (k INT PRIMARY KEY, v TEXT, w TEXT)", "COMMENT ON COLUMN t.v IS " + text(long*3/4), "CREATE TYPE e AS ENUM ('a')"} {
		if _, err := s.Exec(ctx, sql); err != nil {
			t.Fatalf("%.60s: %v", sql, err)
		}
	}
	labels := make([]string, 20_000)
	for i := range labels {
		labels[i] = fmt.Sprintf("'%050d'", i)
	}
	for _, sql := range []string{
		"COMMENT ON TABLE t IS " + text(long), "COMMENT ON COLUMN t.w IS " + text(long/2), "ALTER TABLE t ALTER v SET DEFAULT " + text(long),
		"ALTER TABLE t ADD CHECK (v <> " + text(long) + ")", "CREATE INDEX ON t ((v || " + text(long) + "))", "CREATE VIEW w AS SELECT " + text(long) + " AS x",
		"COMMENT ON TYPE e IS " + text(long), "CREATE TYPE f AS ENUM (" + strings.Join(labels, ",") + ")", "CREATE TABLE u (k INT PRIMARY KEY, v TEXT DEFAULT " + text(long) + ")",
	} {
		if _, err := s.Exec(ctx, sql); sqlerr.CodeOf(err) != sqlerr.ProgramLimitExceeded {
			t.Errorf("%.60s: %v", sql, err)
		}
	}
	for _, sql := range []string{"COMMENT ON TABLE t IS 'short'", "INSERT INTO t VALUES (1, 'a')", "COMMENT ON COLUMN t.v IS NULL", "COMMENT ON COLUMN t.w IS " + text(long/2)} {
		if _, err := s.Exec(ctx, sql); err != nil {
			t.Errorf("%.60s: %v", sql, err)
		}
	}
}
