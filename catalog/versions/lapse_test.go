package versions

import (
	"context"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestLapse: a lease that ends while it is being renewed is over, and what goes by it is ended before
// the next one begins.
func TestLapse(t *testing.T) {
	const lease = 200 * time.Millisecond
	store := fault.Wrap(forMany{mem.New()})
	c, err := openTestKeeper(store, Options{Lease: lease, Poll: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Live(context.Background()); err != nil {
		t.Fatal(err)
	}
	join, ended := c.Joins(), 0
	c.OnLapse(func() {
		if ended++; c.Holds(join) || c.Joins() != join {
			t.Error("told too early, or too late")
		}
	})
	store.Add(fault.Rule{Op: storage.OpMutate, Do: fault.Hold, Delay: 2 * lease})
	if err := c.writeMember(context.Background(), 0); err != nil {
		t.Fatal(err)
	}
	if ended != 1 || c.Holds(join) || !c.Holds(c.Joins()) || c.Joins() != join+1 {
		t.Errorf("told %d times, join %d after %d", ended, c.Joins(), join)
	}
}
