package session

import (
	"context"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestDropAtCommit: others see a table until the block that drops it commits, and what they change
// meanwhile is not dropped.
func TestDropAtCommit(t *testing.T) {
	a, b, expect := twoClients(t, mem.New())
	a.must("CREATE TABLE t (k INT PRIMARY KEY)")
	a.must("INSERT INTO t VALUES (1)")
	a.must("BEGIN")
	a.must("DROP TABLE t")
	expect(a, "SELECT * FROM t", "42P01")
	a.must("ROLLBACK")
	a.must("BEGIN")
	a.must("DROP TABLE t")
	b.must("INSERT INTO t VALUES (2)")
	expect(b, "SELECT count(*) FROM t", "SELECT 1; 2")
	a.must("COMMIT")
	expect(b, "SELECT count(*) FROM t", "42P01")

	a.must("CREATE TABLE t (k INT PRIMARY KEY)")
	a.must("CREATE TABLE u (k INT PRIMARY KEY)")
	for _, test := range []struct{ meanwhile, want string }{
		{"CREATE VIEW v AS SELECT k FROM t", "40001"},
		{"DROP VIEW v", ""},
		{"DROP TABLE t", "40001"},
		{"CREATE TABLE t (k INT PRIMARY KEY)", ""},
	} {
		if test.want == "" {
			b.must(test.meanwhile)
			continue
		}
		a.must("BEGIN")
		a.must("INSERT INTO u VALUES (1)")
		a.must("DROP TABLE t")
		b.must(test.meanwhile)
		expect(a, "COMMIT", test.want)
		expect(a, "SELECT count(*) FROM u", "SELECT 1; 0")
	}
	a.must("BEGIN")
	a.must("DROP TABLE t")
	b.must("DROP TABLE t")
	b.must("CREATE TABLE t (k INT PRIMARY KEY)")
	expect(a, "COMMIT", "40001")
	expect(b, "SELECT count(*) FROM t", "SELECT 1; 0")
}

// twoClients gives two sessions over a store, which ends with the test; expect holds how the answer
// of one begins.
func twoClients(t *testing.T, st storage.Store) (a, b *client, expect func(c *client, text, want string)) {
	t.Helper()
	db, err := Open(context.Background(), st, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db.Close()
		st.Close()
	})
	return newClient(t, db, SessionOptions{}), newClient(t, db, SessionOptions{}), func(c *client, text, want string) {
		t.Helper()
		if got := c.query(text); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}
