package jobs_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// watched is a store that other processes may have open too. While the rows of its table j are
// copied, write is shown what is written; its error is the write's.
type watched struct {
	storage.Store
	db    atomic.Pointer[session.DB]
	write func(ctx context.Context, j *catalog.Table, name string, rows []storage.RowMutation) error
}

func (s *watched) Caps() storage.Caps {
	c := s.Store.Caps()
	c.Exclusive = false
	return c
}

func (s *watched) Table(name string) storage.Table {
	return &watchedTable{s.Store.Table(name), s, name}
}

type watchedTable struct {
	storage.Table
	s    *watched
	name string
}

func (t *watchedTable) Mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	if db := t.s.db.Load(); db != nil {
		rel, _ := db.Catalog().Snapshot().Resolve([]string{"public"}, "", "j")
		if j, ok := rel.(*catalog.Table); ok && j.Rewrite != nil {
			if err := t.s.write(ctx, j, t.name, rows); err != nil {
				return err
			}
		}
	}
	return t.Table.Mutate(ctx, rows, opts)
}

// openWatched opens a DB over such a store, whose table j (k, v) has n rows, and gives a session.
func openWatched(t *testing.T, n int, o *session.Options) (*watched, *session.Session) {
	t.Helper()
	store := &watched{Store: mem.New()}
	db, err := session.Open(t.Context(), store, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s, err := db.NewSession(session.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for _, sql := range []string{"CREATE TABLE j (k int PRIMARY KEY, v int)", fmt.Sprintf("INSERT INTO j SELECT i, i FROM generate_series(1, %d) i", n)} {
		if _, err := query(s, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	store.db.Store(db)
	return store, s
}

// salted changes j's salt, which copies its rows.
const salted = "ALTER TABLE j SET (salt_buckets = 4)"

// wantSum fails where j has not count rows with a sum of v.
func wantSum(t *testing.T, s *session.Session, count, sum int) {
	t.Helper()
	want := fmt.Sprintf("|%d|%d", count, sum)
	if got, err := query(s, "SELECT count(*), sum(v) FROM j"); err != nil || got[0] != want {
		t.Errorf("%v, want %s; %v", got, want, err)
	}
}
