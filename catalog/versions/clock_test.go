package versions

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
)

// offClock is a clock that may be wrong.
type offClock struct{ by atomic.Int64 }

func (c *offClock) now() time.Time         { return time.Now().Add(time.Duration(c.by.Load())) }
func (c *offClock) set(by time.Duration)   { c.by.Store(int64(by)) }
func (c *offClock) add(more time.Duration) { c.by.Add(int64(more)) }

// clockedStore is a store that servers share, with a clock of its own.
func clockedStore() (*fault.Store, *offClock) {
	store, clock := fault.Wrap(forMany{mem.New()}), new(offClock)
	store.SetClock(clock.now)
	return store, clock
}

// wantWrongClock looks at what a server is told whose clock is wrong.
func wantWrongClock(t *testing.T, err error, way string) {
	t.Helper()
	e := sqlerr.As(err)
	if e == nil || e.Code != sqlerr.CannotConnectNow || !strings.Contains(e.Message, way) || strings.Count(e.Detail, "UTC") != 2 || e.Hint == "" {
		t.Errorf("%v %+v", err, e)
	}
}

// TestClockJoins: a server whose clock is off by more than a fifth of the lease does not join, be it
// the server's clock that is wrong or the store's, and leaves nothing there. One that only reads may.
func TestClockJoins(t *testing.T) {
	const lease, limit = time.Minute, time.Minute / 5
	for _, wrong := range []string{"server", "store"} {
		for _, there := range []bool{false, true} { // is a catalog
			for _, off := range []time.Duration{-24 * time.Hour, -limit - time.Second, time.Second - limit, 0, limit - time.Second, limit + time.Second, 24 * time.Hour} {
				store, clock := clockedStore()
				var own offClock
				if there {
					c, err := openTestKeeper(store, Options{Lease: lease, Poll: time.Hour})
					if err != nil {
						t.Fatal(err)
					}
					_ = c.Close()
				}
				way := "ahead of"
				if off < 0 {
					way = "behind"
				}
				if own.set(off); wrong == "store" {
					own.set(0)
					clock.set(-off)
				}
				opts := Options{Lease: lease, Poll: time.Hour, Now: own.now}
				c, err := openTestKeeper(store, opts)
				if c != nil {
					defer c.Close()
				}
				if off.Abs() <= limit {
					if err != nil {
						t.Errorf("%v: %v", off, err)
					}
					continue
				}
				wantWrongClock(t, err, way)
				for _, key := range []string{rootKey, serverPrefix} {
					span := storage.Span{Start: []byte(key), End: []byte(key + "\xff")}
					n := 0
					err := storage.EachBatch(context.Background(), store.Table(SystemTable), &storage.ScanRequest{Spans: []storage.Span{span}},
						func(b *storage.RowBatch) error { n += b.Len(); return nil })
					if want := there && key == rootKey; err != nil || want != (n > 0) {
						t.Errorf("%v: %d rows of %s, %v", off, n, key, err)
					}
				}
				if there {
					c, err := OpenKeeper(context.Background(), store, Observer, opts, nil, nil)
					if err != nil {
						t.Fatal(err)
					}
					_ = c.Close()
				}
			}
		}
	}
}

// TestClockDrifts: a member whose clock comes to be wrong is none any more when it looks next, and is
// one again when the clock is right.
func TestClockDrifts(t *testing.T) {
	ctx := context.Background()
	const lease = time.Minute
	for _, off := range []time.Duration{-time.Hour, -lease / 4, lease / 4, time.Hour} {
		store, clock := clockedStore()
		var own offClock
		c, err := openTestKeeper(store, Options{Lease: lease, Poll: time.Hour, Now: own.now})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		way, told := "ahead of", 0
		c.OnLapse(func() { told++ })
		look := func() error { // as a quarter of the lease later
			r := *c.me.clock.Load()
			r.asked = r.asked.Add(-lease / 4)
			c.me.clock.Store(&r)
			c.Recount()
			return c.look(ctx)
		}
		own.set(off / 1000)
		if err := look(); err != nil || !c.me.leased() {
			t.Errorf("off by %v: %v", off/1000, err)
		}
		if own.set(off); off < 0 {
			way = "behind"
		}
		join := c.Joins()
		wantWrongClock(t, look(), way)
		if c.Holds(join) || c.me.leased() || told != 1 {
			t.Errorf("off by %v, a member still; told %d times", off, told)
		}
		wantWrongClock(t, c.Live(ctx), way)
		if _, err := c.Acquire(ctx); err == nil {
			t.Errorf("off by %v, with the lease of DDL", off)
		}
		clock.set(off)
		if err := c.Live(ctx); err != nil || !c.me.leased() || c.Holds(join) {
			t.Errorf("right again: %v", err)
		}
	}
}

// TestLeaseByStoreClock: whatever the clocks of two servers show, and to whatever they are set
// while one has the lease of DDL, the other takes it only when the first has no time left for writes.
// It does take it.
func TestLeaseByStoreClock(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(seeds.First(t), 3))
	const lease = 100 * time.Millisecond
	within := func(of time.Duration) time.Duration { return time.Duration(r.Int64N(2*int64(of)) - int64(of)) }
	rounds, held := seeds.Amount(20, 200), 0
	for i := range rounds {
		store, clock := clockedStore()
		clock.set(within(time.Hour))
		var clocks [2]offClock
		var servers [2]*Keeper
		for i := range servers {
			clocks[i].set(time.Duration(clock.by.Load()) + within(lease/6))
			c, err := openTestKeeper(store, Options{Lease: lease, Poll: time.Hour, Now: clocks[i].now})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			servers[i] = c
		}
		step := func() {
			of := []time.Duration{0, lease / 4, lease, time.Hour}
			clocks[0].add(within(of[r.IntN(len(of))] + 1))
		}
		step()
		h, err := servers[0].Acquire(ctx)
		if err != nil {
			continue // the step was seen
		}
		held++
		for range r.IntN(3) {
			step()
			if h.Confirm(ctx) != nil {
				break
			}
		}
		step()
		for try := 0; ; try++ {
			other, err := servers[1].TryAcquire(ctx)
			if err != nil || try == 10_000 {
				t.Fatalf("round %d: not taken: %v", i, err)
			}
			if other != nil {
				if left := h.left(); left > 0 {
					t.Errorf("round %d: the lease is another's with %v left", i, left)
				}
				other.Release(ctx)
				break
			}
			time.Sleep(time.Millisecond)
		}
		<-servers[0].ddl
	}
	if held < rounds/4 {
		t.Errorf("the lease was held in %d of %d rounds", held, rounds)
	}
}

// TestDeadAsksTheStore: a server whose own clock says that a lease is over does not take it while the
// store's does not.
func TestDeadAsksTheStore(t *testing.T) {
	const lease = time.Minute
	store, clock := clockedStore()
	var own offClock
	own.set(lease / 6)
	c, err := openTestKeeper(store, Options{Lease: lease, Poll: time.Hour, Now: own.now})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, left := range []time.Duration{2 * lease, lease, lease / 10, time.Second, -time.Second} {
		value, err := json.Marshal(leaseJSON{Owner: "another", Until: clock.now().Add(left).UnixMilli()})
		if err != nil {
			t.Fatal(err)
		}
		row := storage.RowMutation{Key: []byte(leaseKey), Mutations: []storage.Mutation{{Op: storage.SetCell, Family: SystemFamily,
			Qualifier: []byte(leaseCell), Timestamp: time.Now().UnixMilli() * 1000, Value: value}}}
		if err := c.putRows(context.Background(), []storage.RowMutation{row}); err != nil {
			t.Fatal(err)
		}
		h, err := c.TryAcquire(context.Background())
		if err != nil || (h != nil) != (left < 0) {
			t.Errorf("%v left: taken %v, %v", left, h != nil, err)
		}
	}
}
