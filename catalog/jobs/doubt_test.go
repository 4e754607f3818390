package jobs_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// doubtful is a store that does not know of some writes whether they will be made.
type doubtful struct {
	storage.Store
	doubt func(ctx context.Context, table string, rows []storage.RowMutation) error
}

func (s *doubtful) Caps() storage.Caps {
	c := s.Store.Caps()
	c.Exclusive = false
	return c
}

func (s *doubtful) Table(name string) storage.Table {
	return &doubtfulTable{s.Store.Table(name), s, name}
}

type doubtfulTable struct {
	storage.Table
	s    *doubtful
	name string
}

func (t *doubtfulTable) Mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	if err := t.s.doubt(ctx, t.name, rows); err != nil {
		return err
	}
	return t.Table.Mutate(ctx, rows, opts)
}

// TestCopiesInDoubt: a copy whose write is in doubt is written again when the time of that write is
// over, and not before: it would come over a newer copy.
func TestCopiesInDoubt(t *testing.T) {
	var db atomic.Pointer[session.DB]
	var mu sync.Mutex
	var until time.Time // of the write in doubt
	copies := 0
	store := &doubtful{Store: mem.New()}
	store.doubt = func(ctx context.Context, name string, rows []storage.RowMutation) error {
		if db.Load() == nil {
			return nil
		}
		rel, _ := db.Load().Catalog().Snapshot().Resolve([]string{"public"}, "", "d")
		j, ok := rel.(*catalog.Table)
		if !ok || j.Rewrite == nil || name != j.Rewrite.Physical || rows[0].Mutations[0].Op != storage.DeleteRow {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		switch copies++; copies {
		case 1:
			until, _ = ctx.Deadline()
			refused := storage.Errorf(storage.CodeThrottled, storage.OpMutate, name, "quota")
			doubted := storage.Errorf(storage.CodeAmbiguous, storage.OpMutate, name, "no answer")
			return &storage.PartialError{Rows: []storage.RowError{{Index: 0, Err: refused}, {Index: 1, Err: doubted}}}
		default:
			if time.Now().Before(until) {
				t.Errorf("copies are written again %v before the write in doubt is over", time.Until(until))
			}
		}
		return nil
	}
	opened, err := session.Open(t.Context(), store, &session.Options{Lease: 8 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	s, err := opened.NewSession(session.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, sql := range []string{"CREATE TABLE d (k int PRIMARY KEY, v int)", "INSERT INTO d SELECT i, i FROM generate_series(1, 20) i", "ALTER TABLE d SET (salt_buckets = 4)"} {
		if _, err := query(s, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		db.Store(opened)
	}
	if copies < 2 {
		t.Errorf("%d writes of copies", copies)
	}
	if got, err := query(s, "SELECT count(*), sum(v) FROM d"); err != nil || got[0] != "|20|210" {
		t.Errorf("%v, %v", got, err)
	}
}
