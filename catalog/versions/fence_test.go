package versions

import (
	"context"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// The fence of a write goes by the clock and by the lease that the write began under: a
// process that was stopped until that was over finds so before its timers run, and a lease
// that it has taken since is not that one.
func TestFenceOfWrites(t *testing.T) {
	c, err := openTestKeeper(forMany{mem.New()}, Options{Lease: time.Minute, Poll: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	enter := func() (context.Context, func()) {
		t.Helper()
		ctx, leave, err := c.Enter(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return ctx, leave
	}
	ctx, leave := enter()
	defer leave()
	if until, held := storage.FenceOf(ctx)(); !held || time.Until(until) > time.Minute {
		t.Errorf("a new write may be made until %v, held: %v", until, held)
	}
	if err := c.writeMember(context.Background(), 0); err != nil { // renews the lease
		t.Fatal(err)
	}
	if _, held := storage.FenceOf(ctx)(); !held || ctx.Err() != nil {
		t.Error("a renewed lease does not hold")
	}
	c.me.until.Store(int64(time.Since(c.me.start))) // now, and the timer has not run
	if _, held := storage.FenceOf(ctx)(); held {
		t.Error("a lease that is over holds")
	}
	second, leave := enter() // takes a new one
	defer leave()
	if _, held := storage.FenceOf(second)(); !held {
		t.Error("a lease taken anew does not hold")
	}
	if _, held := storage.FenceOf(ctx)(); held {
		t.Error("a write of the lease before goes on under the next")
	}
	<-ctx.Done()
}
