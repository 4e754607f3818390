package write_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble"
)

// loadedStore tells when loads are committed.
type loadedStore struct {
	*pebble.Store
	committed func()
}

func (s *loadedStore) CommitLoads(ctx context.Context, loads []storage.Load, opts storage.WriteOptions) error {
	err := s.Store.CommitLoads(ctx, loads, opts)
	s.committed()
	return err
}

// TestBulkDiesBeforeMending opens what a process leaves that dies when a UNIQUE index is loaded,
// and nothing is mended of what others have written meanwhile: their values are free, and the
// index is made to the end.
func TestBulkDiesBeforeMending(t *testing.T) {
	const rows = 5_000
	quiet := &pebble.Options{Logger: slog.New(slog.DiscardHandler), NoSync: true}
	inner, err := pebble.Open(t.TempDir(), quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() })
	st, died := &loadedStore{inner, func() {}}, filepath.Join(t.TempDir(), "died")
	open := sidesOf(t, st, &session.Options{Lease: time.Second})
	d, w := open(), open()
	d.must("CREATE TABLE b (k int PRIMARY KEY, u int) SALT_BUCKETS = 4")
	d.must(fmt.Sprintf("INSERT INTO b SELECT i, i FROM generate_series(1, %d) AS g(i)", rows))
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for k := 1; k <= rows && !stop.Load(); k++ {
			if _, err := w.run(fmt.Sprintf("UPDATE b SET u = %d WHERE k = %d", -k, k)); sqlerr.CodeOf(err) == sqlerr.SerializationFailure {
				k-- // the index has begun, or ended, meanwhile
			} else if err != nil {
				t.Error(err)
			}
		}
	})
	var once sync.Once
	st.committed = func() {
		once.Do(func() {
			if err := inner.Checkpoint(t.Context(), died); err != nil {
				t.Error(err)
			}
		})
	}
	d.must("CREATE UNIQUE INDEX b_u ON b (u)")
	stop.Store(true)
	wg.Wait()

	left, err := pebble.Open(died, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { left.Close() })
	c := sidesOf(t, left, &session.Options{Lease: time.Second, Logger: slog.New(slog.DiscardHandler)})()
	freed := c.must("SELECT count(*) FROM b WHERE u < 0")
	c.must(fmt.Sprintf("INSERT INTO b SELECT %d - u, -u FROM b WHERE u < 0", rows))
	for end := time.Now().Add(time.Minute); len(c.must("SELECT job_id FROM saltsql.jobs")) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the index is not made to the end")
		}
	}
	c.indexed("opened anew")
	if _, err := c.run("INSERT INTO b VALUES (0, 1)"); err == nil {
		t.Error("a value is there twice")
	}
	t.Logf("rows that were changed meanwhile: %v", freed)
}
