package txn

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// queued waits until so many wait for a table.
func queued(m *Manager, table string, n int) {
	for {
		s := m.locks.shard(m.locks.hash([]byte(table)))
		s.mu.Lock()
		l := s.tables[table]
		there := l != nil && len(l.queue) == n || l == nil && n == 0
		s.mu.Unlock()
		if there {
			return
		}
		runtime.Gosched()
	}
}

// idle fails where a lock of a table is left.
func idle(t *testing.T, m *Manager) {
	t.Helper()
	for i := range m.locks.shards {
		if n := len(m.locks.shards[i].tables); n > 0 {
			t.Errorf("%d locks of tables are left", n)
		}
	}
	if n := len(m.locks.blocked); n > 0 {
		t.Errorf("%d wait for ever", n)
	}
}

func lockAsync(m *Manager, tables ...string) <-chan error {
	done := make(chan error, 1)
	go func() {
		release, err := m.Alone(ctx, tables...)
		if err == nil {
			release()
		}
		done <- err
	}()
	return done
}

// Who wants a table alone waits for those who hold rows of it, and those who come later
// wait behind; who holds rows already takes more of them meanwhile.
func TestAloneWaitsForRows(t *testing.T) {
	m := NewManager(newStore(t), nil)
	x := begin(t, m, Options{})
	put(t, x.Store(), "a", "1", 1)
	alone := lockAsync(m, "t")
	queued(m, "t", 1)
	put(t, x.Store(), "b", "1", 2)
	late := make(chan error, 1)
	go func() {
		rows := []storage.RowMutation{{Key: []byte("c"), Mutations: []storage.Mutation{cell("q", "2", 3)}}}
		late <- m.Auto().Table("t").Mutate(ctx, rows, storage.WriteOptions{})
	}()
	queued(m, "t", 2)
	select {
	case <-alone:
		t.Error("alone beside a transaction")
	case <-late:
		t.Error("before who came first")
	default:
	}
	if err := x.Commit(ctx, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-alone, <-late); err != nil {
		t.Fatal(err)
	}
	idle(t, m)
}

// A savepoint's rollback lets go of the tables that were first written after it.
func TestAloneAfterRollbackTo(t *testing.T) {
	m := NewManager(newStore(t), nil)
	x := begin(t, m, Options{})
	mark := x.Mark()
	put(t, x.Store(), "a", "1", 1)
	alone := lockAsync(m, "t")
	queued(m, "t", 1)
	x.RollbackTo(mark)
	x.Unlock(mark)
	if err := <-alone; err != nil {
		t.Fatal(err)
	}
	idle(t, m)
}

// A wait for a table that closes a circle is a deadlock, whoever closes it.
func TestAloneDeadlock(t *testing.T) {
	base := newStore(t)
	if err := base.Admin().CreateTable(ctx, storage.TableSpec{Name: "u", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	m := NewManager(base, nil)
	x := begin(t, m, Options{})
	put(t, x.Store(), "a", "1", 1)
	alone := lockAsync(m, "u", "t") // has u, waits for x
	queued(m, "t", 1)
	rows := []storage.RowMutation{{Key: []byte("a"), Mutations: []storage.Mutation{cell("q", "1", 2)}}}
	if err := x.Store().Table("u").Mutate(ctx, rows, storage.WriteOptions{}); !errors.Is(err, ErrDeadlock) {
		t.Fatal(err)
	}
	x.Rollback()
	if err := <-alone; err != nil {
		t.Fatal(err)
	}
	// By a row: y holds it and waits for the table behind who waits for x, which wants it.
	x, y := begin(t, m, Options{}), begin(t, m, Options{})
	put(t, x.Store(), "a", "1", 3)
	if err := y.Store().Table("u").Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	alone = lockAsync(m, "t")
	queued(m, "t", 1)
	behind := make(chan error, 1)
	go func() {
		behind <- y.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{})
	}()
	queued(m, "t", 2)
	if err := x.Store().Table("u").Mutate(ctx, rows, storage.WriteOptions{}); !errors.Is(err, ErrDeadlock) {
		t.Fatal(err)
	}
	x.Rollback()
	if err := errors.Join(<-alone, <-behind); err != nil {
		t.Fatal(err)
	}
	y.Rollback()
	idle(t, m)
}

// Waits that end early leave nothing, and those behind go on.
func TestAloneGivenUp(t *testing.T) {
	m := NewManager(newStore(t), nil)
	x := begin(t, m, Options{})
	put(t, x.Store(), "a", "1", 1)
	if _, err := m.Alone(WithLockTimeout(ctx, time.Nanosecond), "t"); !errors.Is(err, ErrLockTimeout) {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(ctx)
	first := make(chan error, 1)
	go func() {
		_, err := m.Alone(canceled, "t")
		first <- err
	}()
	queued(m, "t", 1)
	y := begin(t, m, Options{})
	behind := make(chan error, 1)
	go func() {
		rows := []storage.RowMutation{{Key: []byte("b"), Mutations: []storage.Mutation{cell("q", "1", 2)}}}
		behind <- y.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{})
	}()
	queued(m, "t", 2)
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := <-behind; err != nil {
		t.Fatal(err)
	}
	x.Rollback()
	y.Rollback()
	idle(t, m)
}

// TestAloneRace runs writers of all kinds against who wants the table alone, with waits
// that end early: nobody writes beside it, and all come to an end.
func TestAloneRace(t *testing.T) {
	m := NewManager(loading{newStore(t)}, nil)
	var inside atomic.Int64 // writers that hold rows; 1<<20 for who is alone
	enter := func(n int64) {
		if v := inside.Add(n); v > 1<<20 || v > 1<<19 && v != 1<<20 {
			t.Error("rows are held beside who is alone")
		}
	}
	var wg sync.WaitGroup
	for w := range 8 {
		rnd := rand.New(rand.NewPCG(7, uint64(w)))
		wg.Go(func() {
			for range 400 {
				tctx := ctx
				if rnd.IntN(4) == 0 {
					tctx = WithLockTimeout(ctx, time.Duration(rnd.IntN(50))*time.Microsecond)
				}
				if w < 2 {
					if release, err := m.Alone(tctx, "t"); err == nil {
						enter(1 << 20)
						runtime.Gosched()
						inside.Add(-1 << 20)
						release()
					}
					continue
				}
				x, err := m.Begin(WithWaits(ctx, new(Waits)), Options{})
				if err != nil {
					t.Error(err)
					return
				}
				held := false
				for range 3 {
					rows := []storage.RowMutation{whole(string(rune('a'+rnd.IntN(6))), "1", 1)}
					if w == 2 && !held {
						l, lerr := x.Load(tctx, "t", false)
						if err = lerr; err == nil {
							err = l.Replace(tctx, rows)
						}
					} else if w > 2 {
						err = x.Store().Table("t").Mutate(tctx, rows, storage.WriteOptions{})
					}
					if err != nil {
						break
					}
					if !held {
						held = true
						enter(1)
					}
					runtime.Gosched()
				}
				if held {
					inside.Add(-1)
				}
				if err == nil && rnd.IntN(2) == 0 {
					err = x.Commit(ctx, storage.WriteOptions{})
				}
				x.Rollback()
				m.Blocked()
				if err != nil && !errors.Is(err, ErrDeadlock) && !errors.Is(err, ErrLockTimeout) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	idle(t, m)
	if n := m.locks.entries.Load(); n != 0 {
		t.Errorf("%d locks of rows are left", n)
	}
}

// A load waits behind those who wait for one of its rows already, and they need not wait
// for it.
func TestLoadBehindWaiters(t *testing.T) {
	m := NewManager(loading{newStore(t)}, nil)
	x, y, z := begin(t, m, Options{}), begin(t, m, Options{}), begin(t, m, Options{})
	put(t, x.Store(), "x", "1", 1)
	put(t, y.Store(), "y", "1", 2)
	waiting := func(key string, n int) {
		name := lockName(nil, "t", []byte(key))
		for s := m.locks.shard(m.locks.hash(name)); ; runtime.Gosched() {
			s.mu.Lock()
			l := s.locks[string(name)]
			there := l != nil && len(l.queue) == n
			s.mu.Unlock()
			if there {
				return
			}
		}
	}
	lock := func(x *Txn) <-chan error {
		done := make(chan error, 1)
		go func() {
			rows := []storage.RowMutation{whole("y", "2", 3)}
			err := x.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{})
			done <- err
		}()
		return done
	}
	first := lock(x)
	waiting("y", 1)
	second := lock(z)
	waiting("y", 2)
	l, load := beginLoad(t, m)
	loaded := make(chan error, 1)
	go func() {
		err := load.Replace(ctx, []storage.RowMutation{whole("x", "3", 4), whole("y", "3", 4)})
		loaded <- err
	}()
	waiting("x", 1)
	y.Rollback()
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	x.Rollback()
	if err := <-second; err != nil {
		t.Fatal(err)
	}
	z.Rollback()
	if err := <-loaded; err != nil {
		t.Fatal(err)
	}
	l.Rollback()
	idle(t, m)
}
