package jobs_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// watched is a store that other processes may have open too, and shows the writes of its tables.
type watched struct {
	storage.Store
	wrote func(ctx context.Context, table string, rows []storage.RowMutation)
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
	t.s.wrote(ctx, t.name, rows)
	return t.Table.Mutate(ctx, rows, opts)
}

// TestCopiesAreFenced: each write of a row's copy, and each that takes an entry out of the log of
// changes, may be made as long as the job's lease holds and no longer, by the clock. Who does so
// after a stop would write beside the server that has the job now.
func TestCopiesAreFenced(t *testing.T) {
	const lease = time.Minute
	var late atomic.Int64 // what the clock shows too much
	copies, entries := 0, 0
	var db *session.DB
	store := &watched{Store: mem.New()}
	store.wrote = func(ctx context.Context, name string, rows []storage.RowMutation) {
		if db == nil {
			return
		}
		rel, _ := db.Catalog().Snapshot().Resolve([]string{"public"}, "", "j")
		j, ok := rel.(*catalog.Table)
		if !ok || j.Rewrite == nil || rows[0].Mutations[0].Op != storage.DeleteRow {
			return
		}
		switch name {
		case j.Rewrite.Physical:
			copies++
		case j.Rewrite.Log:
			entries++
		default:
			return
		}
		fence := storage.FenceOf(ctx)
		if _, held := fence(); !held {
			t.Errorf("%s: the lease does not hold", name)
		}
		late.Store(int64(lease))
		if _, held := fence(); held {
			t.Errorf("%s: written without a lease", name)
		}
		late.Store(0)
		if copies == 1 { // another writes meanwhile, of which the log tells
			w, err := db.NewSession(session.SessionOptions{})
			if err == nil {
				_, err = query(w, "UPDATE j SET v = -1 WHERE k = 5")
				w.Close()
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	opened, err := session.Open(t.Context(), store, &session.Options{Lease: lease, Now: func() time.Time { return time.Now().Add(time.Duration(late.Load())) }})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	s, err := opened.NewSession(session.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	exec := func(sql string) {
		t.Helper()
		if _, err := query(s, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec("CREATE TABLE j (k int PRIMARY KEY, v int)")
	exec("INSERT INTO j SELECT i, i FROM generate_series(1, 3000) i")
	db = opened
	exec("ALTER TABLE j SET (salt_buckets = 4)")
	if copies < 2 || entries == 0 {
		t.Errorf("%d writes of copies, %d of the log", copies, entries)
	}
	if got, err := query(s, "SELECT count(*), sum(v) FROM j"); err != nil || got[0] != "|3000|4501494" {
		t.Errorf("%v, %v", got, err)
	}
}
