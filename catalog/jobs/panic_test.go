package jobs_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
)

// TestPanicOfPiece: what panics on a goroutine that copies rows fails the statement that it
// works for, and not the process.
func TestPanicOfPiece(t *testing.T) {
	var armed atomic.Bool
	armed.Store(true)
	store, s := openWatched(t, 3000, &session.Options{Lease: time.Minute})
	store.write = func(_ context.Context, j *catalog.Table, name string, _ []storage.RowMutation) error {
		if armed.Load() && name == j.Rewrite.Physical {
			panic("a broken copy")
		}
		return nil
	}
	if _, err := query(s, salted); err == nil || !strings.Contains(err.Error(), "panic: a broken copy") {
		t.Errorf("%v", err)
	}
	armed.Store(false)
	if _, err := query(s, salted); err != nil {
		t.Error(err)
	}
	wantSum(t, s, 3000, 4501500)
}
