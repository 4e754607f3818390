package txn

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/changelog"
	"github.com/saltsql/saltsql/storage/mem"
)

// heldStore counts the calls that write, by table; those of the log wait for let.
type heldStore struct {
	storage.Store
	let   chan error
	mu    sync.Mutex
	calls map[string]int
}

func (s *heldStore) Caps() storage.Caps {
	c := s.Store.Caps()
	c.AtomicBatch = false
	return c
}

func (s *heldStore) Table(name string) storage.Table { return heldTable{s.Store.Table(name), s, name} }

type heldTable struct {
	storage.Table
	s    *heldStore
	name string
}

func (t heldTable) Mutate(ctx context.Context, rows []storage.RowMutation, o storage.WriteOptions) error {
	t.s.mu.Lock()
	t.s.calls[t.name]++
	t.s.mu.Unlock()
	if t.name == "log" {
		if err := <-t.s.let; err != nil {
			return err
		}
	}
	return t.Table.Mutate(ctx, rows, o)
}

func (s *heldStore) made(table string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[table]
}

func newHeldStore(t *testing.T) *heldStore {
	s := &heldStore{Store: mem.New(), let: make(chan error), calls: map[string]int{}}
	for _, spec := range []storage.TableSpec{{Name: "t", Families: []storage.FamilySpec{{Name: "f", MaxVersions: 1}}}, changelog.Spec("log")} {
		if err := s.Admin().CreateTable(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func logged(s *heldStore) *Manager {
	m := NewManager(s, nil)
	m.LogWrites(func(table string) string {
		if table == "t" {
			return "log"
		}
		return ""
	})
	return m
}

func writeOne(ctx context.Context, m *Manager, i int) error {
	return m.Auto().Table("t").Mutate(ctx, []storage.RowMutation{{Key: fmt.Appendf(nil, "k%d", i), Mutations: []storage.Mutation{
		{Op: storage.SetCell, Family: "f", Qualifier: []byte("q"), Timestamp: 1000, Value: []byte("v")}}}}, storage.WriteOptions{})
}

// entries gives the number of keys in the log, and of entries that have ended.
func (s *heldStore) entries(t *testing.T) (keys, ended int) {
	t.Helper()
	err := storage.EachBatch(t.Context(), s.Store.Table("log"), &storage.ScanRequest{Spans: []storage.Span{{}}}, func(b *storage.RowBatch) error {
		for i := range b.Len() {
			k, e, err := changelog.Entry(b, i)
			if err != nil {
				return err
			}
			if keys += len(k); e {
				ended++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys, ended
}

// Entries of writes that come while the log is written go with one call, and so do the ends
// of all; no row is written before its entry.
func TestLogCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHeldStore(t)
		defer s.Close()
		m := logged(s)
		m.logs.most = 1
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				if err := writeOne(t.Context(), m, i); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if n := s.made("t"); n != 0 || s.made("log") != 1 {
			t.Errorf("%d rows written before their entries, %d calls of the log", n, s.made("log"))
		}
		for keys := 0; keys < 8; keys, _ = s.entries(t) { // the first's, or those of a few, then all others'
			s.let <- nil
			synctest.Wait()
		}
		wg.Wait()
		if keys, ended := s.entries(t); keys != 8 || s.made("log") > 2 || s.made("t") != 8 {
			t.Errorf("%d keys in the log, %d ended; %d calls of it, %d rows", keys, ended, s.made("log"), s.made("t"))
		}
		s.let <- nil // the ends
		synctest.Wait()
		m.logs.mu.Lock()
		open := len(m.logs.open)
		m.logs.mu.Unlock()
		if keys, ended := s.entries(t); keys != 8 || ended != 8 || s.made("log") > 3 || open != 0 {
			t.Errorf("%d keys in the log, %d ended; %d calls of it; %d logs open", keys, ended, s.made("log"), open)
		}
	})
}

// A call that fails fails the writes whose entries it had, and no other; a writer that is
// canceled leaves the call to the others.
func TestLogFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHeldStore(t)
		defer s.Close()
		m := logged(s)
		m.logs.most = 1
		errs := make(chan error, 3)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { errs <- writeOne(ctx, m, 0) }()
		synctest.Wait()
		go func() { errs <- writeOne(t.Context(), m, 1) }()
		synctest.Wait()
		cancel()
		if err := <-errs; storage.CodeOf(err) != storage.CodeCanceled {
			t.Errorf("canceled: %v", err)
		}
		s.let <- nil
		s.let <- storage.Errorf(storage.CodePermissionDenied, storage.OpMutate, "log", "no")
		if err := <-errs; storage.CodeOf(err) != storage.CodePermissionDenied {
			t.Errorf("failed: %v", err)
		}
		go func() { errs <- writeOne(t.Context(), m, 2) }()
		s.let <- nil
		if err := <-errs; err != nil {
			t.Errorf("after a call that failed: %v", err)
		}
		s.let <- nil
		synctest.Wait()
		if keys, ended := s.entries(t); keys != 2 || ended != 1 || s.made("t") != 1 {
			t.Errorf("%d keys in the log, %d ended; %d calls of it, %d rows", keys, ended, s.made("log"), s.made("t"))
		}
	})
}

// Entries do not wait for the calls of others, as long as those are few; what comes then goes
// with one call.
func TestLogCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHeldStore(t)
		defer s.Close()
		m := logged(s)
		var wg sync.WaitGroup
		for i := range 3 * logCalls {
			wg.Go(func() {
				if err := writeOne(t.Context(), m, i); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		if n := s.made("log"); n != logCalls || s.made("t") != 0 {
			t.Errorf("%d calls of the log at once, %d rows written before their entries", n, s.made("t"))
		}
		for range logCalls {
			s.let <- nil
			synctest.Wait()
		}
		s.let <- nil // all others, with the first ends
		wg.Wait()
		synctest.Wait()
		if keys, _ := s.entries(t); keys != 3*logCalls || s.made("log") != logCalls+1 || s.made("t") != 3*logCalls {
			t.Errorf("%d keys in the log; %d calls of it, %d rows", keys, s.made("log"), s.made("t"))
		}
		s.let <- nil // the ends
		synctest.Wait()
		m.logs.mu.Lock()
		open := len(m.logs.open)
		m.logs.mu.Unlock()
		if keys, ended := s.entries(t); keys != 3*logCalls || ended != 3*logCalls || open != 0 {
			t.Errorf("%d keys in the log, %d ended; %d logs open", keys, ended, open)
		}
	})
}

// slowStore takes a millisecond for each call that writes.
type slowStore struct{ storage.Store }

func (s slowStore) Caps() storage.Caps {
	c := s.Store.Caps()
	c.AtomicBatch = false
	return c
}

func (s slowStore) Table(name string) storage.Table { return slowTable{s.Store.Table(name)} }

type slowTable struct{ storage.Table }

func (t slowTable) Mutate(ctx context.Context, rows []storage.RowMutation, o storage.WriteOptions) error {
	time.Sleep(time.Millisecond)
	return t.Table.Mutate(ctx, rows, o)
}

// Writers whose one call takes as long as one of the log keep half of their rate while there is
// a log: each waits for a call of its own, and seldom for another's.
func TestLogKeepsRate(t *testing.T) {
	const writers = 8 // whose last writes may come too late
	rate := func(most int, named bool) (writes int) {
		synctest.Test(t, func(t *testing.T) {
			s := newHeldStore(t)
			defer s.Close()
			m := NewManager(slowStore{s.Store}, nil)
			m.logs.most = most
			if named {
				m.LogWrites(func(table string) string {
					if table == "t" {
						return "log"
					}
					return ""
				})
			}
			end := time.Now().Add(time.Second)
			var wg sync.WaitGroup
			var made atomic.Int64
			for w := range writers {
				wg.Go(func() {
					for i := 0; time.Now().Before(end); i++ {
						if err := writeOne(t.Context(), m, w); err != nil {
							t.Error(err)
						}
						made.Add(1)
					}
				})
			}
			wg.Wait()
			time.Sleep(time.Second) // the last ends
			writes = int(made.Load())
		})
		return writes
	}
	without, one, few := rate(0, false), rate(1, true), rate(0, true)
	t.Logf("%d writes in a second without a log, %d with one call of it at once, %d with %d", without, one, few, logCalls)
	if 2*(few+writers) < without || few <= one {
		t.Errorf("%d writes of %d", few, without)
	}
}
