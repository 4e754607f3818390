package txn

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
)

// loading gives a store loads that are held in memory.
type loading struct{ storage.Store }

func (s loading) Caps() storage.Caps {
	c := s.Store.Caps()
	c.Loads = true
	return c
}

type heldLoad struct {
	s      storage.Store
	table  string
	unique bool
	rows   []storage.RowMutation
}

func (s loading) Load(_ context.Context, table string, unique bool) (storage.Load, error) {
	return &heldLoad{s: s.Store, table: table, unique: unique}, nil
}

func (l *heldLoad) Add(_ context.Context, rows []storage.RowMutation) error {
	var a arena
	for _, r := range rows {
		l.rows = append(l.rows, storage.RowMutation{Key: a.copyBytes(r.Key), Mutations: a.copy(r.Mutations, 0)})
	}
	return nil
}

func (l *heldLoad) Has(key []byte) (has, known bool) {
	for i := range l.rows {
		if string(l.rows[i].Key) == string(key) {
			return true, true
		}
	}
	return false, true
}

func (l *heldLoad) Prepare(context.Context) error { return nil }

func (s loading) CommitLoads(ctx context.Context, loads []storage.Load, opts storage.WriteOptions) error {
	b, err := s.Store.Batch()
	if err != nil {
		return err
	}
	defer b.Close()
	for _, l := range loads {
		l := l.(*heldLoad)
		if err := b.Mutate(l.table, l.rows); err != nil {
			return err
		}
	}
	return b.Commit(ctx, opts)
}

func (l *heldLoad) Close() error {
	l.rows = nil
	return nil
}

func whole(key, value string, ts int64) storage.RowMutation {
	return storage.RowMutation{Key: []byte(key), Mutations: []storage.Mutation{{Op: storage.DeleteRow}, cell("q", value, ts)}}
}

func beginLoad(t *testing.T, m *Manager) (*Txn, *Load) {
	t.Helper()
	x := begin(t, m, Options{})
	l, err := x.Load(ctx, "t", true)
	if err != nil || l == nil {
		t.Fatal(l, err)
	}
	return x, l
}

func mustInsert(t *testing.T, l *Load, want int, rows ...storage.RowMutation) {
	t.Helper()
	if at, err := l.Insert(ctx, rows, 0); err != nil || at != want {
		t.Fatalf("insert: row %d, %v; want %d", at, err, want)
	}
}

func TestLoadInsert(t *testing.T) {
	m := NewManager(loading{newStore(t)}, nil)
	put(t, m.Auto(), "old", "1", 1)
	x := begin(t, m, Options{})
	put(t, x.Store(), "buffered", "1", 1)
	if err := x.Store().Table("t").Mutate(ctx, []storage.RowMutation{whole("buffered", "2", 2)}, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	l, err := x.Load(ctx, "t", true)
	if err != nil {
		t.Fatal(err)
	}
	mustInsert(t, l, -1, whole("b", "1", 1), whole("a", "2", 2))
	mustInsert(t, l, 1, whole("c", "1", 1), whole("old", "2", 2))
	mustInsert(t, l, 2, whole("c", "1", 1), whole("d", "1", 1), whole("c", "2", 2), whole("old", "2", 2))
	mustInsert(t, l, 0, whole("a", "3", 3))
	mustInsert(t, l, 1, whole("e", "3", 3), whole("buffered", "3", 3))
	if got := get(t, m.Raw(), "a"); got != "-" {
		t.Fatalf("seen before commit: %s", got)
	}
	if err := x.Commit(ctx, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"a", "b", "buffered"} {
		if get(t, m.Raw(), k) == "-" {
			t.Errorf("%s is missing", k)
		}
	}
	if n := len(*m.locks.claims.Load()); n != 0 || m.locks.entries.Load() != 0 {
		t.Errorf("%d claims, %d locks left", n, m.locks.entries.Load())
	}
}

// TestLoadLocks has others wait for the rows of a load, and no others, and the
// load for theirs.
func TestLoadLocks(t *testing.T) {
	for _, wholeTable := range []bool{false, true} {
		t.Run(fmt.Sprint(wholeTable), func(t *testing.T) {
			if wholeTable {
				defer func(n int) { maxClaimed = n }(maxClaimed)
				maxClaimed = 1
			}
			m := NewManager(loading{newStore(t)}, nil)
			x, l := beginLoad(t, m)
			mustInsert(t, l, -1, whole("a", "1", 1), whole("b", "1", 1))
			y := begin(t, m, Options{LockTimeout: 20 * time.Millisecond})
			rows := []storage.RowMutation{whole("free", "y", 2)}
			err := y.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{})
			if wholeTable != errors.Is(err, ErrLockTimeout) || !wholeTable && err != nil {
				t.Fatalf("another row: %v", err)
			}
			rows[0] = whole("a", "y", 2)
			if err := y.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{}); !errors.Is(err, ErrLockTimeout) {
				t.Fatalf("a row of the load: %v", err)
			}
			done := make(chan error)
			go func() {
				done <- m.Auto().Table("t").Mutate(ctx, []storage.RowMutation{whole("b", "later", 1)}, storage.WriteOptions{})
			}()
			select {
			case err := <-done:
				t.Fatalf("did not wait: %v", err)
			case <-time.After(20 * time.Millisecond):
			}
			if err := x.Commit(ctx, storage.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			y.Rollback()
			if n := m.locks.entries.Load(); n != 0 {
				t.Errorf("%d locks left", n)
			}

			// The other way round.
			y = begin(t, m, Options{})
			put(t, y.Store(), "c", "y", 3)
			x, l = beginLoad(t, m)
			go func() {
				at, err := l.Insert(ctx, []storage.RowMutation{whole("d", "1", 1), whole("c", "1", 1)}, 0)
				if at != 1 {
					err = fmt.Errorf("row %d, %w", at, err)
				}
				done <- err
			}()
			select {
			case err := <-done:
				t.Fatalf("did not wait: %v", err)
			case <-time.After(20 * time.Millisecond):
			}
			if err := y.Commit(ctx, storage.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			x.Rollback()
		})
	}
}

func TestLoadDeadlock(t *testing.T) {
	m := NewManager(loading{newStore(t)}, nil)
	_, l := beginLoad(t, m)
	mustInsert(t, l, -1, whole("a", "1", 1))
	y := begin(t, m, Options{})
	put(t, y.Store(), "b", "y", 3)
	done := make(chan error)
	go func() {
		err := y.Store().Table("t").Mutate(ctx, []storage.RowMutation{whole("a", "y", 2)}, storage.WriteOptions{})
		y.Rollback()
		done <- err
	}()
	_, err := l.Insert(ctx, []storage.RowMutation{whole("b", "1", 1)}, 0)
	if err != nil {
		l.t.Rollback()
	}
	if other := <-done; errors.Is(err, ErrDeadlock) == errors.Is(other, ErrDeadlock) {
		t.Fatalf("load: %v; other: %v", err, other)
	}
}

// TestLoadRace has loads, transactions and single writes insert the same keys:
// one of them succeeds for each.
func TestLoadRace(t *testing.T) {
	first := seeds.First(t)
	for _, limit := range []int{1 << 20, 30} {
		func() {
			defer func(n int) { maxClaimed = n }(maxClaimed)
			maxClaimed = limit
			m := NewManager(loading{newStore(t)}, nil)
			var mu sync.Mutex
			made := map[string]int{}
			won := func(keys ...string) {
				mu.Lock()
				defer mu.Unlock()
				for _, k := range keys {
					made[k]++
				}
			}
			var wg sync.WaitGroup
			for g := range 6 {
				seed := first + uint64(g)
				wg.Go(func() {
					rnd := rand.New(rand.NewPCG(seed, 0))
					for range 150 {
						if err := insertRace(m, rnd, g, won); err != nil {
							t.Errorf("seed %d: %v", seed, err)
							return
						}
					}
				})
			}
			wg.Wait()
			for k, n := range made {
				if n != 1 || get(t, m.Raw(), k) == "-" {
					t.Errorf("%s inserted %d times: %s", k, n, get(t, m.Raw(), k))
				}
			}
			if n := len(*m.locks.claims.Load()); n != 0 || m.locks.entries.Load() != 0 {
				t.Errorf("%d claims, %d locks left", n, m.locks.entries.Load())
			}
		}()
	}
}

func insertRace(m *Manager, rnd *rand.Rand, g int, won func(...string)) error {
	key := func() string { return fmt.Sprint(rnd.IntN(3000)) }
	if g%2 == 1 {
		k := key()
		ok, err := m.Auto().Table("t").CheckAndMutate(ctx, &storage.CondMutation{
			Key: []byte(k), Cond: storage.Cond{Op: storage.RowAbsent}, Then: []storage.Mutation{cell("q", "auto", 1)}})
		if ok {
			won(k)
		}
		return err
	}
	x, err := m.Begin(ctx, Options{})
	if err != nil {
		return err
	}
	defer x.Rollback()
	l, err := x.Load(ctx, "t", true)
	if err != nil {
		return err
	}
	var keys []string
	for range 5 {
		var rows []storage.RowMutation
		for range 1 + rnd.IntN(8) {
			rows = append(rows, whole(key(), "load", 1))
		}
		at, err := l.Insert(ctx, rows, 0)
		if errors.Is(err, ErrDeadlock) {
			return nil
		}
		if err != nil {
			return err
		}
		if at < 0 {
			for i := range rows {
				keys = append(keys, string(rows[i].Key))
			}
		}
	}
	if err := x.Commit(ctx, storage.WriteOptions{}); err != nil {
		return err
	}
	won(keys...)
	return nil
}
