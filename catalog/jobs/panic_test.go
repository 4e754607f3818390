package jobs_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestPanicOfPiece: what panics on a goroutine that copies rows fails the statement that it
// works for, and not the process.
func TestPanicOfPiece(t *testing.T) {
	var db *session.DB
	armed := false
	store := &watched{Store: mem.New()}
	store.wrote = func(_ context.Context, name string, _ []storage.RowMutation) {
		if db == nil {
			return
		}
		rel, _ := db.Catalog().Snapshot().Resolve([]string{"public"}, "", "j")
		if j, ok := rel.(*catalog.Table); ok && j.Rewrite != nil && armed && name == j.Rewrite.Physical {
			panic("a broken copy")
		}
	}
	db, err := session.Open(t.Context(), store, &session.Options{Lease: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.NewSession(session.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, sql := range []string{"CREATE TABLE j (k int PRIMARY KEY, v int)", "INSERT INTO j SELECT i, i FROM generate_series(1, 3000) i"} {
		if _, err := query(s, sql); err != nil {
			t.Fatal(err)
		}
	}
	armed = true
	if _, err := query(s, "ALTER TABLE j SET (salt_buckets = 4)"); err == nil || !strings.Contains(err.Error(), "panic: a broken copy") {
		t.Errorf("%v", err)
	}
	armed = false
	if _, err := query(s, "ALTER TABLE j SET (salt_buckets = 4)"); err != nil {
		t.Error(err)
	}
	if got, err := query(s, "SELECT count(*), sum(v) FROM j"); err != nil || got[0] != "|3000|4501500" {
		t.Errorf("%v, %v", got, err)
	}
}
