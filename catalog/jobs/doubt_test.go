package jobs_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
)

// TestCopiesInDoubt: a copy whose write is in doubt is written again when the time of that write is
// over, and not before: it would come over a newer copy.
func TestCopiesInDoubt(t *testing.T) {
	var mu sync.Mutex
	var until time.Time // of the write in doubt
	copies := 0
	store, s := openWatched(t, 20, &session.Options{Lease: 8 * time.Second})
	store.write = func(ctx context.Context, j *catalog.Table, name string, rows []storage.RowMutation) error {
		if name != j.Rewrite.Physical || rows[0].Mutations[0].Op != storage.DeleteRow {
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
	if _, err := query(s, salted); err != nil {
		t.Fatal(err)
	}
	if copies < 2 {
		t.Errorf("%d writes of copies", copies)
	}
	wantSum(t, s, 20, 210)
}
