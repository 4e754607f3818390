package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestTemporaryTablesAreTheSessions: two sessions have tables of one name, a text that both have
// planned means the session's own, nothing of it is in the store, and the end of a session gives
// back its memory.
func TestTemporaryTablesAreTheSessions(t *testing.T) {
	store := mem.New()
	defer store.Close()
	db, err := Open(context.Background(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tables := func() (names []storage.TableSpec) {
		names, err := store.Admin().Tables(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	before, memory := len(tables()), db.Memory().Used()
	clients := make([]*client, 3)
	for i := range clients {
		clients[i] = newClient(t, db, SessionOptions{})
	}
	for i, c := range clients[:2] {
		c.must("CREATE TEMP TABLE mine (a int PRIMARY KEY, b text UNIQUE)")
		c.must(fmt.Sprintf("INSERT INTO mine SELECT g, 'of %d: ' || g FROM generate_series(1, 1000) g", i))
	}
	for range 2 {
		for i, c := range clients[:2] {
			if got, want := c.query("SELECT b FROM mine WHERE a = 7"), fmt.Sprintf("of %d: 7", i); !strings.Contains(got, want) {
				t.Errorf("session %d reads %s", i, got)
			}
		}
		if got := clients[2].query("SELECT b FROM mine WHERE a = 7"); !strings.Contains(got, "42P01") {
			t.Errorf("another session reads %s", got)
		}
	}
	if n := len(tables()); n != before {
		t.Errorf("the store has %d tables, and had %d", n, before)
	}
	if db.Memory().Used() <= memory {
		t.Error("rows of temporary tables are not booked")
	}
	for _, c := range clients {
		c.s.Close()
	}
	if now := db.Memory().Used(); now != memory {
		t.Errorf("%d bytes are booked after the sessions' end, and were %d", now, memory)
	}
}

// TestTemporaryMemory: what does not fit is refused before anything is written, here or in the store.
func TestTemporaryMemory(t *testing.T) {
	store := mem.New()
	defer store.Close()
	db, err := Open(context.Background(), store, &Options{Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c := newClient(t, db, SessionOptions{})
	c.must("CREATE TABLE lasting (a int PRIMARY KEY)")
	c.must("CREATE TEMP TABLE big (a int PRIMARY KEY, b text)")
	for i := 0; ; i++ {
		c.must("BEGIN")
		c.must(fmt.Sprintf("INSERT INTO lasting VALUES (%d)", i))
		insert := c.query(fmt.Sprintf("INSERT INTO big SELECT g, repeat('x', 1000) FROM generate_series(%d, %d) g", i*1000, i*1000+999))
		commit := c.query("COMMIT")
		counts := c.query("SELECT (SELECT count(*) FROM lasting), (SELECT count(*) FROM big)")
		if strings.Contains(insert+commit, "53200") {
			if want := fmt.Sprintf("%d|%d", i, i*1000); !strings.Contains(counts, want) {
				t.Errorf("after the refusal there are %s rows, not %s", counts, want)
			}
			break
		}
		if i > 64 {
			t.Fatal("64 MiB hold more than 64 MB of rows")
		}
	}
	c.must("TRUNCATE big")
	c.must("INSERT INTO big VALUES (1, 'fits')")
}

// TestTemporaryViews: one tells that it is temporary, and is refused once another session has
// dropped or changed what it reads, which does not see it. CASCADE to one is refused.
func TestTemporaryViews(t *testing.T) {
	store := mem.New()
	defer store.Close()
	db, err := Open(context.Background(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	told := ""
	c := newClient(t, db, SessionOptions{Notice: func(n *sqlerr.Error) { told += n.Message + "\n" }})
	other := newClient(t, db, SessionOptions{})
	holds := func(text, want string) {
		t.Helper()
		if got := c.query(text); !strings.Contains(got, want) {
			t.Errorf("%s gives %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"CREATE TABLE a (k int PRIMARY KEY, v int)", "CREATE TABLE b (k int PRIMARY KEY)", "CREATE TABLE d (k int PRIMARY KEY, v int)"} {
		c.must(text)
	}
	c.must("CREATE TEMP VIEW of_a AS SELECT k, v FROM a")
	c.must("CREATE TEMP VIEW of_b AS SELECT k FROM b")
	c.must("CREATE TEMP VIEW of_d AS SELECT k, v + 1 AS more FROM d")
	c.must("CREATE TEMP VIEW two AS SELECT of_a.k FROM of_a JOIN of_b USING (k)")
	holds("SELECT count(*) FROM two", "0")
	c.must("CREATE VIEW reads AS SELECT * FROM of_a")
	if want := "view \"reads\" will be a temporary view\n"; told != want {
		t.Errorf("the notices are %q, want %q", told, want)
	}
	holds("DROP TABLE d", "2BP01")
	holds("DROP TABLE d CASCADE", "0A000")
	if got := other.query("SELECT * FROM of_a"); !strings.Contains(got, "42P01") {
		t.Errorf("another session reads %s", got)
	}
	other.must("ALTER TABLE a DROP COLUMN v")
	other.must("DROP TABLE b")
	other.must("ALTER TABLE d ALTER COLUMN v TYPE bigint")
	for _, text := range []string{
		"SELECT * FROM of_a", "SELECT * FROM of_b", "SELECT * FROM of_d", "SELECT * FROM two", "SELECT * FROM reads", "INSERT INTO of_a VALUES (1)", "DELETE FROM of_b",
	} {
		holds(text, "55000")
	}
	holds("SELECT count(pg_get_viewdef(oid)) FROM pg_class WHERE relkind = 'v' AND relpersistence = 't'", "5")
	holds("SELECT count(definition) FROM pg_views WHERE viewname = 'of_b'", "1")
	holds("SELECT table_name || is_updatable FROM information_schema.views WHERE table_name = 'of_b'", "of_b")
	c.must("DROP VIEW of_a CASCADE")
	holds("SELECT * FROM two", "42P01")
	c.must("DROP VIEW of_d")
	c.must("DROP TABLE d")
}
