package versions

import (
	"context"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// TestFenced: writes under a job's lease may be made while it was renewed in time, by the clock
// and not by a timer: a process that was stopped goes on anywhere.
func TestFenced(t *testing.T) {
	ctx := context.Background()
	const lease = time.Minute
	a, b, passed := twoKeepers(t, lease)
	h, err := a.TryJob(ctx, 7)
	if err != nil || h == nil {
		t.Fatalf("%v, %v", h, err)
	}
	held := func(h *Held) bool {
		until, held := storage.FenceOf(h.Fenced(ctx))()
		if held && time.Until(until) > lease*3/4 {
			t.Errorf("for %v of %v", time.Until(until), lease)
		}
		return held
	}
	if !held(h) {
		t.Error("not as it begins")
	}
	passed.Store(int64(lease * 7 / 8)) // b cannot have it yet, but what is sent now may be late
	if held(h) {
		t.Error("shortly before its end")
	}
	if err := h.Renew(ctx); err != nil || !held(h) {
		t.Errorf("renewed: %v", err)
	}
	passed.Add(int64(lease * 2))
	other, err := b.TryJob(ctx, 7)
	if err != nil || other == nil {
		t.Fatalf("after its end: %v, %v", other, err)
	}
	if held(h) || !held(other) {
		t.Errorf("another's: %v, %v", held(h), held(other))
	}
	if err := h.Renew(ctx); err == nil || held(h) {
		t.Errorf("another's, renewed: %v", err)
	}
}
