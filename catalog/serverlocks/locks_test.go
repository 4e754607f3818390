package serverlocks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
)

// forMany is a store that other processes may have open too.
type forMany struct{ storage.Store }

func (s forMany) Caps() storage.Caps {
	caps := s.Store.Caps()
	caps.Exclusive = false
	return caps
}

// server is one of several on one store.
type server struct {
	*Locks
	store *fault.Store
	keep  *versions.Keeper
}

// openServers opens servers that tell each other of locks that are free, or do not.
func openServers(t *testing.T, n int, lease time.Duration, tell bool) []*server {
	t.Helper()
	inner := mem.New()
	all := make([]*server, n)
	byID := map[string]*Locks{}
	for i := range all {
		s := &server{store: fault.Wrap(forMany{inner})}
		k, err := versions.OpenKeeper(t.Context(), s.store, versions.Member, versions.Options{Lease: lease, Poll: lease / 20},
			func(*catalog.Snapshot) bool { return false }, nil)
		if err == nil {
			err = k.Start(func() error { return nil })
		}
		if err != nil {
			t.Fatal(err)
		}
		s.keep = k
		var to func(server, name string)
		if tell {
			to = func(server, name string) { byID[server].Wake(name) }
		}
		s.Locks = New(k, to)
		byID[k.Owner] = s.Locks
		t.Cleanup(func() {
			s.store.Reset()
			s.store.Resume()
			_ = k.Close()
		})
		all[i] = s
	}
	return all
}

// take asks for a lock and does not wait.
func (s *server) take(t *testing.T, name string, shared bool) (join int64, ok bool) {
	t.Helper()
	join, ok, err := s.Take(t.Context(), name, shared, false)
	if err != nil {
		t.Fatal(err)
	}
	return join, ok
}

// TestModes: what two servers may hold at a time, that a server holds a lock as often as it has
// taken it, and that nothing is left in the store in the end.
func TestModes(t *testing.T) {
	s := openServers(t, 2, time.Minute, false)
	a, b := s[0], s[1]
	join, _ := a.take(t, "k", true)
	if _, ok := b.take(t, "k", true); !ok {
		t.Error("two servers cannot share a lock")
	}
	if _, ok := b.take(t, "k", false); ok {
		t.Error("exclusive beside shared")
	}
	b.Give("k", true, b.keep.Joins())
	if _, ok := a.take(t, "k", false); !ok { // beside its own
		t.Error("the only holder cannot have it exclusively")
	}
	if _, ok := b.take(t, "k", true); ok {
		t.Error("shared beside exclusive")
	}
	a.Give("k", false, join)
	if _, ok := b.take(t, "k", true); !ok {
		t.Error("shared beside what is shared again")
	}
	b.Give("k", true, b.keep.Joins())
	a.Give("k", true, join+1) // of another lease: nothing
	if _, ok := b.take(t, "k", false); ok {
		t.Error("a lock was given back by another lease")
	}
	a.Give("k", true, join)
	if at, err := a.read(t.Context(), "k"); err != nil || at.cell != "" {
		t.Errorf("%+v is left: %v", at, err)
	}
	if len(a.rows)+len(b.rows) > 0 {
		t.Errorf("%d and %d locks are known", len(a.rows), len(b.rows))
	}
}

// TestWaits: a server that waits is granted the lock before one that comes later, told or not, and
// one that gives up lets others by.
func TestWaits(t *testing.T) {
	for _, tell := range []bool{false, true} {
		s := openServers(t, 3, time.Minute, tell)
		a, b, c := s[0], s[1], s[2]
		join, _ := a.take(t, "k", true)
		cause := fmt.Errorf("canceled")
		ctx, cancel := context.WithCancelCause(t.Context())
		got := make(chan error, 2)
		wait := func(ctx context.Context, s *server, shared bool) {
			join, ok, err := s.Take(ctx, "k", shared, true)
			if err == nil && !ok {
				err = fmt.Errorf("not taken")
			}
			got <- err
			if err == nil {
				s.Give("k", shared, join)
			}
		}
		waits := func(n int) {
			for {
				if at, err := a.read(t.Context(), "k"); err != nil || len(at.Waits) == n {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}
		go wait(ctx, b, false)
		waits(1)
		if _, ok := c.take(t, "k", true); ok {
			t.Error("shared before one that waits for exclusive")
		}
		go wait(t.Context(), c, true)
		waits(2)
		cancel(cause)
		if err := <-got; err != cause {
			t.Errorf("a canceled wait: %v", err)
		}
		if err := <-got; err != nil {
			t.Error(err)
		}
		go wait(t.Context(), b, false)
		waits(1)
		a.Give("k", true, join)
		if err := <-got; err != nil {
			t.Error(err)
		}
	}
}

// TestGone: the locks of a server that has stopped are granted to others after its lease, and it
// does not think that it holds them when it goes on; those of one that has left are free at once.
func TestGone(t *testing.T) {
	const lease = 400 * time.Millisecond
	s := openServers(t, 3, lease, true)
	a, b, c := s[0], s[1], s[2]
	join, ok := a.take(t, "k", false)
	if !ok || !a.keep.Holds(join) {
		t.Fatal("not taken")
	}
	lapsed := make(chan bool, 1)
	a.keep.OnLapse(func() { lapsed <- a.keep.Holds(join) })
	a.store.Stop()
	theirs, ok, err := b.Take(t.Context(), "k", false, true)
	if !ok || err != nil {
		t.Fatal(err)
	}
	if a.keep.Holds(join) {
		t.Error("two servers hold the lock")
	}
	a.store.Resume()
	if <-lapsed {
		t.Error("told of the end of a lease that holds")
	}
	a.Give("k", false, join)
	if _, ok := a.take(t, "k", false); ok || !b.keep.Holds(theirs) {
		t.Error("a server that comes back takes what is another's")
	}
	if err := b.keep.Close(); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.take(t, "k", false); !ok {
		t.Error("the lock of a server that has left is not free")
	}
}

// TestSweep: what a dead server has left goes, though nobody asks for it.
func TestSweep(t *testing.T) {
	s := openServers(t, 2, 200*time.Millisecond, false)
	s[0].take(t, "k", false)
	s[0].store.Stop()
	for {
		at, err := s[1].read(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		if at.cell == "" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// holder is one that has taken a lock of the model.
type holder struct {
	s      *server
	join   int64
	shared bool
}

// TestNoTwoHolders takes and gives locks at random on servers that stop for longer than their lease
// and lose calls and answers: no two hold one against each other, and all is free in the end.
func TestNoTwoHolders(t *testing.T) {
	seed := seeds.First(t)
	const lease = 150 * time.Millisecond
	s := openServers(t, 3, lease, seed%2 == 0)
	var mu sync.Mutex
	held := map[string][]*holder{}
	taken, lost := 0, 0
	check := func(name string, me *holder) {
		mu.Lock()
		defer mu.Unlock()
		for _, h := range held[name] {
			// Both still hold: so they did at one moment.
			if h != me && !(h.shared && me.shared) && h.s != me.s && h.s.keep.Holds(h.join) && me.s.keep.Holds(me.join) {
				t.Errorf("%s is held twice: %+v, %+v", name, h, me)
			}
		}
	}
	more := seeds.Until(0, 10*time.Second)
	var work sync.WaitGroup
	for w := range 6 {
		r := rand.New(rand.NewPCG(seed, uint64(w)))
		srv := s[w%len(s)]
		work.Go(func() {
			for n := 0; more(n); n++ {
				// No two workers of one server ask for one lock: internal/advisory lets only one by.
				name := fmt.Sprint(w/len(s), "-", r.IntN(2))
				me := &holder{s: srv, shared: r.IntN(3) == 0}
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(200))*time.Millisecond)
				join, ok, err := srv.Take(ctx, name, me.shared, r.IntN(3) > 0)
				cancel()
				if !ok || err != nil {
					continue
				}
				me.join = join
				mu.Lock()
				taken++
				held[name] = append(held[name], me)
				mu.Unlock()
				for until := time.Now().Add(time.Duration(r.IntN(10)) * time.Duration(r.IntN(20)) * time.Millisecond); time.Now().Before(until); {
					check(name, me)
					time.Sleep(time.Duration(r.IntN(5)) * time.Millisecond)
				}
				check(name, me)
				mu.Lock()
				if !srv.keep.Holds(join) {
					lost++
				}
				held[name] = slices.DeleteFunc(held[name], func(h *holder) bool { return h == me })
				mu.Unlock()
				srv.Give(name, me.shared, join)
			}
		})
	}
	stop := make(chan struct{})
	var trouble sync.WaitGroup
	trouble.Go(func() {
		r := rand.New(rand.NewPCG(seed, 99))
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(r.IntN(100)) * time.Millisecond):
			}
			st := s[r.IntN(len(s))].store
			st.Reset()
			switch r.IntN(3) {
			case 0:
				st.Stop()
				time.Sleep(rand.N(3 * lease))
				st.Resume()
			case 1:
				st.Add(fault.Rule{Op: storage.OpCheckAndMutate, Do: fault.FailAfter, Times: 1 + r.IntN(3)})
			case 2:
				st.Add(fault.Random(r, 2, 20)...)
			}
		}
	})
	work.Wait()
	close(stop)
	trouble.Wait()
	t.Logf("seed %d: %d locks taken, %d lost with a lease", seed, taken, lost)
	for _, srv := range s {
		srv.store.Reset()
	}
	for _, name := range []string{"0-0", "0-1", "1-0", "1-1"} {
		join, ok, err := s[0].Take(t.Context(), name, false, true)
		if !ok || err != nil {
			t.Fatal(name, err)
		}
		s[0].Give(name, false, join)
	}
}
