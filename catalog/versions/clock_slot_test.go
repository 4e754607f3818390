package versions

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// forMany is a store that other processes may have open too.
type forMany struct{ storage.Store }

func (s forMany) Caps() storage.Caps {
	c := s.Store.Caps()
	c.Exclusive = false
	return c
}

func openTestKeeper(store storage.Store, opts Options) (*Keeper, error) {
	c, err := OpenKeeper(context.Background(), store, opts, func(*catalog.Snapshot) bool { return false }, nil)
	if err == nil {
		err = c.Start(func() error { return nil })
	}
	return c, err
}

// slotServer opens a catalog that shares its store and notes its slot.
func slotServer(t *testing.T, store storage.Store) (c *Keeper, slot func() int) {
	t.Helper()
	var mu sync.Mutex
	got := -1
	c, err := openTestKeeper(store, Options{Lease: time.Minute, Poll: time.Hour, Slot: func(s, n int) {
		mu.Lock()
		defer mu.Unlock()
		if n != clockSlots || s < 0 || s >= n {
			t.Errorf("slot %d of %d", s, n)
		}
		got = s
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, func() int {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

// TestClockSlots: as many servers as there are slots have one each, though they
// start at once; one that is dead or gone gives its slot to another.
func TestClockSlots(t *testing.T) {
	ctx := context.Background()
	store := forMany{mem.New()}
	if c, err := openTestKeeper(store, Options{}); err != nil { // makes the system table
		t.Fatal(err)
	} else {
		defer c.Close()
	}
	var (
		wg    sync.WaitGroup
		all   [clockSlots]*Keeper
		slots [clockSlots]func() int
	)
	for i := range all {
		wg.Go(func() { all[i], slots[i] = slotServer(t, store) })
	}
	wg.Wait()
	by := map[int]int{}
	for i := range all {
		if was, twice := by[slots[i]()]; twice {
			t.Fatalf("servers %d and %d have slot %d", was, i, slots[i]())
		}
		by[slots[i]()] = i
	}
	if err := all[5].Close(); err != nil {
		t.Fatal(err)
	}
	_, next := slotServer(t, store)
	if next() != slots[5]() {
		t.Errorf("slot %d, free was %d", next(), slots[5]())
	}
	// A server whose row others take for dead loses its slot, and has another
	// before its lease begins anew.
	for _, i := range []int{1, 2, 3} {
		if err := all[i].Close(); err != nil {
			t.Fatal(err)
		}
	}
	lost := slots[0]()
	m := &all[0].me
	m.mu.Lock()
	m.until.Store(0)
	m.mu.Unlock()
	row := storage.RowMutation{Key: all[0].memberKey(), Mutations: []storage.Mutation{{Op: storage.DeleteRow}}}
	if err := store.Table(SystemTable).Mutate(ctx, []storage.RowMutation{row}, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 4 { // one of them has it now
		_, s := slotServer(t, store)
		by[s()] = -1
	}
	if by[lost] != -1 {
		t.Fatalf("nobody took slot %d", lost)
	}
	if err := all[4].Close(); err != nil {
		t.Fatal(err)
	}
	if err := all[0].Live(ctx); err != nil {
		t.Fatal(err)
	}
	if got := slots[0](); got == lost || got != slots[4]() {
		t.Errorf("slot %d again, lost %d, free was %d", got, lost, slots[4]())
	}
}
