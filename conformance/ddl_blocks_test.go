package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
)

// TestDDLBesideBlocks holds what wire/doc.go says of DDL beside the open blocks of others.
func TestDDLBesideBlocks(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name          string
		block         []string // of one session
		ddl           string   // of another one, then
		after         []string // of the block
		answers, rows string
	}{
		{"drop", []string{"INSERT INTO t VALUES (2, 2)"}, "DROP TABLE t", []string{"COMMIT"}, "ERROR 42P01", "ERROR 42P01"},
		{"drop what was read", []string{"SELECT * FROM t"}, "DROP TABLE t", []string{"SELECT * FROM t", "COMMIT"}, "ERROR 42P01; ROLLBACK", "ERROR 42P01"},
		{"not null", []string{"UPDATE t SET v = NULL"}, "ALTER TABLE t ALTER v SET NOT NULL", []string{"COMMIT"}, "ERROR 40001", "SELECT 1 (1, 1)"},
		{"check", []string{"INSERT INTO t VALUES (2, -2)"}, "ALTER TABLE t ADD CHECK (v > 0)", []string{"COMMIT"}, "ERROR 40001", "SELECT 1 (1, 1)"},
		{"add column", []string{"INSERT INTO t VALUES (2, 2)"}, "ALTER TABLE t ADD COLUMN x INT", []string{"UPDATE t SET x = 3", "COMMIT"},
			"UPDATE 2; COMMIT", "SELECT 2 (1, 1, 3) (2, 2, 3)"},
		{"drop column", []string{"UPDATE t SET v = 2"}, "ALTER TABLE t DROP COLUMN v", []string{"SELECT * FROM t", "COMMIT"},
			"SELECT 1 (1); COMMIT", "SELECT 1 (1)"},
		{"rename", []string{"UPDATE t SET v = 2"}, "ALTER TABLE t RENAME v TO w", []string{"UPDATE t SET w = w + 1", "COMMIT"},
			"UPDATE 1; COMMIT", "SELECT 1 (1, 3)"},
	} {
		for _, store := range []string{"mem", "pebble"} {
			t.Run(c.name+"/"+store, func(t *testing.T) {
				v := variant{store: store}
				e := engine{v, v.open(t)}
				one, err := e.Open(ctx)
				if err != nil {
					t.Fatal(err)
				}
				defer one.Close()
				other, err := e.Open(ctx)
				if err != nil {
					t.Fatal(err)
				}
				defer other.Close()
				must(ctx, t, other, "CREATE TABLE t (k INT PRIMARY KEY, v INT)")
				must(ctx, t, other, "INSERT INTO t VALUES (1, 1)")
				must(ctx, t, one, "BEGIN")
				for _, q := range c.block {
					must(ctx, t, one, q)
				}
				must(ctx, t, other, c.ddl)
				answers := ""
				for i, q := range c.after {
					if i > 0 {
						answers += "; "
					}
					answers += answerOf(one.Exec(ctx, q))
				}
				if answers != c.answers {
					t.Errorf("the block: %s; want %s", answers, c.answers)
				}
				if rows := answerOf(other.Exec(ctx, "SELECT * FROM t")); rows != c.rows {
					t.Errorf("the rows: %s; want %s", rows, c.rows)
				}
			})
		}
	}
}

// TestDropBesideRows: a COMMIT that writes rows and drops tables, one that it wrote among them, waits for
// others only, on each store.
func TestDropBesideRows(t *testing.T) {
	for _, store := range []string{"mem", "pebble", "bigtable"} {
		t.Run(store, func(t *testing.T) {
			ctx, stop := context.WithTimeout(context.Background(), time.Minute)
			defer stop()
			s, err := harness.Open(t, store).NewSession(saltsql.SessionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for _, sql := range []string{
				"CREATE TABLE kept (k INT PRIMARY KEY)", "CREATE TABLE gone (k INT PRIMARY KEY)", "CREATE TABLE empty (k INT PRIMARY KEY)",
				"BEGIN", "INSERT INTO kept VALUES (1)", "INSERT INTO gone VALUES (1)", "DROP TABLE gone", "DROP TABLE empty", "COMMIT",
			} {
				if _, _, err := harness.Run(ctx, s, sql); err != nil {
					t.Fatalf("%s: %v", sql, err)
				}
			}
			rows, _, err := harness.Run(ctx, s, "SELECT count(*), to_regclass('gone') IS NULL AND to_regclass('empty') IS NULL FROM kept")
			if err != nil || *rows[0][0] != "1" || *rows[0][1] != "t" {
				t.Error(rows, err)
			}
		})
	}
}
