package jobs_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
)

// TestCopiesAreFenced: each write of a row's copy, and each that takes an entry out of the log of
// changes, may be made as long as the job's lease holds and no longer, by the clock. Who does so
// after a stop would write beside the server that has the job now.
func TestCopiesAreFenced(t *testing.T) {
	const lease = time.Minute
	var late atomic.Int64 // what the clock shows too much
	copies, entries := 0, 0
	store, s := openWatched(t, 3000, &session.Options{Lease: lease, Now: func() time.Time { return time.Now().Add(time.Duration(late.Load())) }})
	store.write = func(ctx context.Context, j *catalog.Table, name string, rows []storage.RowMutation) error {
		switch {
		case rows[0].Mutations[0].Op != storage.DeleteRow:
			return nil
		case name == j.Rewrite.Physical:
			copies++
		case name == j.Rewrite.Log:
			entries++
		default:
			return nil
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
			w, err := store.db.Load().NewSession(session.SessionOptions{})
			if err == nil {
				_, err = query(w, "UPDATE j SET v = -1 WHERE k = 5")
				w.Close()
			}
			if err != nil {
				t.Error(err)
			}
		}
		return nil
	}
	if _, err := query(s, salted); err != nil {
		t.Fatal(err)
	}
	if copies < 2 || entries == 0 {
		t.Errorf("%d writes of copies, %d of the log", copies, entries)
	}
	wantSum(t, s, 3000, 4501494)
}
