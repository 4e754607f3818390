package versions

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestLanded: timestamps of a server that is dead are told from those of the servers that live,
// and of those that have its slot next.
func TestLanded(t *testing.T) {
	ctx := context.Background()
	store := forMany{mem.New()}
	const lease = 400 * time.Millisecond
	c, err := openTestKeeper(store, Options{Lease: lease, Poll: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const buried, left, silent = 5, 6, 9
	now := time.Now()
	at := func(when time.Time, slot int64) int64 { return (when.UnixMilli()/clockSlots*clockSlots + slot) * 1000 }
	change := func(slot int, m storage.Mutation) {
		t.Helper()
		row := storage.RowMutation{Key: []byte(serverPrefix + string(rune('a'+slot))), Mutations: []storage.Mutation{m}}
		if err := store.Table(SystemTable).Mutate(ctx, []storage.RowMutation{row}, storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, slot := range []int{buried, left, silent} {
		row := ServerJSON{Now: now.UnixMilli(), Slot: slot, Lease: lease.Milliseconds()}
		if slot == silent {
			row.Seen = 1 << 41 // nobody waits for it
		}
		value, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		change(slot, storage.Mutation{Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(ServerCell), Timestamp: now.UnixMilli() * 1000, Value: value})
	}
	is := func(when time.Time, slot int64, want bool) {
		t.Helper()
		if got := c.Landed(at(when, slot)); got != want {
			t.Errorf("%v after the last row, slot %d: %v", when.Sub(now), slot, got)
		}
	}
	look := func() {
		t.Helper()
		if err := c.compareClocks(ctx); err != nil {
			t.Fatal(err)
		}
	}
	look()
	is(now, buried, false)
	is(now, left, false)
	change(left, storage.Mutation{Op: storage.DeleteRow})
	look()
	is(now.Add(-lease), left, false) // what it has sent may be on its way
	if err := c.WithLease(ctx, func(ctx context.Context, h *Held) error { return c.AwaitServers(ctx, h, 1<<40) }); err != nil {
		t.Fatal(err)
	}
	is(now, buried, true)
	is(now.Add(lease/2), buried, true)
	is(now.Add(lease), buried, false)
	is(now, buried+2, false)
	is(now.Add(-lease), left, true) // the wait for the other took a lease
	is(now.Add(lease/2), left, false)
	is(now, silent, false)
	look()
	is(now, silent, true) // its row stands still for a lease
	is(now.Add(lease), silent, false)
	is(now, buried, true)
	// A server that lives says what has ended.
	const lives = 11
	row := ServerJSON{Now: now.UnixMilli(), Seen: 1 << 41, Slot: lives, Lease: lease.Milliseconds(), Marks: now.UnixMicro()}
	value, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	is(now.Add(-lease), lives, false)
	change(lives, storage.Mutation{Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(ServerCell), Timestamp: now.UnixMilli() * 1000, Value: value})
	look()
	is(now.Add(-lease), lives, true)
	is(now.Add(lease), lives, false)
	c.me.skew.Store(int64(lease))
	is(now, buried, false)
}
