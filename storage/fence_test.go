package storage

import (
	"context"
	"testing"
	"time"
)

// TestFences: all fences of a context have to hold, the first that ends says until when, and
// Unfenced has none.
func TestFences(t *testing.T) {
	now := time.Now()
	outerHeld, innerHeld := true, true
	ctx := WithFence(context.Background(), func() (time.Time, bool) { return now.Add(time.Hour), outerHeld })
	ctx = WithFence(ctx, func() (time.Time, bool) { return now.Add(2 * time.Hour), innerHeld })
	if until, held := FenceOf(ctx)(); !held || !until.Equal(now.Add(time.Hour)) {
		t.Errorf("%v, %v", until, held)
	}
	outerHeld = false
	if _, held := FenceOf(ctx)(); held {
		t.Error("holds, and the outer does not")
	}
	if _, held := FenceOf(Unfenced(ctx))(); !held {
		t.Error("unfenced does not hold")
	}
	outerHeld, innerHeld = true, false
	if _, held := FenceOf(ctx)(); held {
		t.Error("holds, and the inner does not")
	}
}
