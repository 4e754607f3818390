package versions

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
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
	as := Alone
	if opts.Poll > 0 {
		as = Member
	}
	c, err := OpenKeeper(context.Background(), store, as, opts, func(*catalog.Snapshot) bool { return false }, nil)
	if err == nil {
		err = c.Start(func() error { return nil })
	}
	return c, err
}

// twoKeepers opens two over one store; passed is what has gone by of their clocks beside the time.
func twoKeepers(t *testing.T, lease time.Duration) (a, b *Keeper, passed *atomic.Int64) {
	t.Helper()
	store := forMany{mem.New()}
	passed = new(atomic.Int64)
	now := func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }
	var both [2]*Keeper
	for i := range both {
		c, err := openTestKeeper(store, Options{Lease: lease, Poll: time.Hour, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		both[i] = c
	}
	return both[0], both[1], passed
}

// slotServer opens a catalog that shares its store and notes its slot.
func slotServer(t *testing.T, store storage.Store, lease time.Duration) (c *Keeper, slot func() int) {
	t.Helper()
	var mu sync.Mutex
	got := -1
	c, err := openTestKeeper(store, Options{Lease: lease, Poll: time.Hour, Slot: func(s, n int) {
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
		wg.Go(func() { all[i], slots[i] = slotServer(t, store, time.Minute) })
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
	_, next := slotServer(t, store, time.Minute)
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
		_, s := slotServer(t, store, time.Minute)
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

// TestClockSlotsTaken: where all slots are taken a server waits for that of one that has died, and
// is refused where all live.
func TestClockSlotsTaken(t *testing.T) {
	store := forMany{mem.New()}
	if c, err := openTestKeeper(store, Options{}); err != nil { // makes the system table
		t.Fatal(err)
	} else {
		defer c.Close()
	}
	const lease = 400 * time.Millisecond
	servers := func(now time.Time, slots int) {
		var rows []storage.RowMutation
		for s := range slots {
			value, err := json.Marshal(ServerJSON{Now: now.UnixMilli(), Slot: s})
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, storage.RowMutation{Key: fmt.Appendf(nil, "%sother%d/1", serverPrefix, s), Mutations: []storage.Mutation{
				{Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(ServerCell), Timestamp: now.UnixMilli() * 1000, Value: value},
			}})
		}
		if err := store.Table(SystemTable).Mutate(context.Background(), rows, storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	servers(time.Now().Add(time.Hour), clockSlots)
	_, err := openTestKeeper(store, Options{Lease: lease, Poll: time.Hour})
	if e := sqlerr.As(err); e == nil || e.Code != sqlerr.TooManyConnections {
		t.Fatalf("beside %d live servers: %v", clockSlots, err)
	}
	store = forMany{mem.New()}
	if c, err := openTestKeeper(store, Options{}); err != nil {
		t.Fatal(err)
	} else {
		defer c.Close()
	}
	servers(time.Now(), clockSlots)
	var wg sync.WaitGroup
	var slots [3]func() int
	for i := range slots {
		wg.Go(func() { _, slots[i] = slotServer(t, store, lease) })
	}
	wg.Wait()
	if a, b, c := slots[0](), slots[1](), slots[2](); a < 0 || b < 0 || c < 0 || a == b || a == c || b == c {
		t.Errorf("slots %d, %d and %d", a, b, c)
	}
}
