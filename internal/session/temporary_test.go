package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

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
