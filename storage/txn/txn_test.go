package txn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/storagetest"
)

var ctx = context.Background()

func newStore(t testing.TB) storage.Store {
	s := mem.New()
	t.Cleanup(func() { s.Close() })
	spec := storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f", MaxVersions: 9}, {Name: "g", MaxVersions: 9}}}
	if err := s.Admin().CreateTable(ctx, spec); err != nil {
		t.Fatal(err)
	}
	return s
}

func begin(t testing.TB, m *Manager, o Options) *Txn {
	t.Helper()
	x, err := m.Begin(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Rollback)
	return x
}

func cell(q, v string, ts int64) storage.Mutation {
	return storage.Mutation{Op: storage.SetCell, Family: "f", Qualifier: []byte(q), Timestamp: ts * 1000, Value: []byte(v)}
}

func put(t testing.TB, s storage.Store, key, value string, ts int64) {
	t.Helper()
	rows := []storage.RowMutation{{Key: []byte(key), Mutations: []storage.Mutation{cell("q", value, ts)}}}
	if err := s.Table("t").Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, s storage.Store, key string) string {
	t.Helper()
	var rb storage.RowBatch
	if _, err := s.Table("t").MultiGet(ctx, [][]byte{[]byte(key)}, nil, &rb); err != nil {
		t.Fatal(err)
	}
	if rb.Len() == 0 {
		return "-"
	}
	v, _ := rb.Value(0, "f", []byte("q"))
	return string(v)
}

func scan(t testing.TB, s storage.Store, req storage.ScanRequest) string {
	t.Helper()
	if req.Spans == nil {
		req.Spans = []storage.Span{{}}
	}
	sc, err := s.Table("t").Scan(ctx, &req)
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	out := ""
	var rb storage.RowBatch
	for {
		err := sc.Next(&rb)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range rb.Len() {
			v, _ := rb.Value(i, "f", []byte("q"))
			out += fmt.Sprintf("%s=%s ", rb.Key(i), v)
		}
	}
}

func TestBufferedWrites(t *testing.T) {
	base := newStore(t)
	m := NewManager(base, nil)
	put(t, m.Auto(), "a", "1", 1)
	put(t, m.Auto(), "c", "1", 1)
	x := begin(t, m, Options{})
	s := x.Store()
	put(t, s, "b", "2", 2)
	put(t, s, "c", "2", 2)
	if got := scan(t, s, storage.ScanRequest{}); got != "a=1 b=2 c=2 " {
		t.Fatal(got)
	}
	if got := scan(t, s, storage.ScanRequest{Reverse: true, Limit: 2}); got != "c=2 b=2 " {
		t.Fatal(got)
	}
	if got := scan(t, base, storage.ScanRequest{}); got != "a=1 c=1 " {
		t.Fatal(got)
	}
	mark := x.Mark()
	put(t, s, "a", "3", 3)
	put(t, s, "d", "3", 3)
	x.RollbackTo(mark)
	if got := scan(t, s, storage.ScanRequest{}); got != "a=1 b=2 c=2 " {
		t.Fatal(got)
	}
	snap, err := s.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	put(t, s, "e", "4", 4)
	if got := scan(t, s, storage.ScanRequest{Snapshot: snap}); got != "a=1 b=2 c=2 " {
		t.Fatal("a frozen view sees later writes: " + got)
	}
	if err := x.Commit(ctx, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := scan(t, base, storage.ScanRequest{}); got != "a=1 b=2 c=2 e=4 " {
		t.Fatal(got)
	}
	if err := x.Commit(ctx, storage.WriteOptions{}); !errors.Is(err, ErrEnded) {
		t.Fatal(err)
	}
}

func TestSecondWriterWaits(t *testing.T) {
	defer goleak.VerifyNone(t)
	m := NewManager(newStore(t), nil)
	put(t, m.Auto(), "k", "1", 1)
	x := begin(t, m, Options{})
	put(t, x.Store(), "k", "2", 2)
	done := make(chan bool)
	go func() {
		// Committed between: the condition on what was read before fails.
		ok, err := m.Auto().Table("t").CheckAndMutate(ctx, &storage.CondMutation{
			Key:  []byte("k"),
			Cond: storage.Cond{Op: storage.CellTSEquals, Family: "f", Qualifier: []byte("q"), Timestamp: 1000},
			Then: []storage.Mutation{cell("q", "lost", 9)},
		})
		if err != nil {
			t.Error(err)
		}
		done <- ok
	}()
	select {
	case <-done:
		t.Fatal("did not wait for the row")
	case <-time.After(20 * time.Millisecond):
	}
	if err := x.Commit(ctx, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if <-done {
		t.Fatal("the condition held on an old row")
	}
}

func TestLockTimeoutAndCancel(t *testing.T) {
	defer goleak.VerifyNone(t)
	m := NewManager(newStore(t), nil)
	x := begin(t, m, Options{})
	put(t, x.Store(), "k", "1", 1)
	rows := []storage.RowMutation{{Key: []byte("k"), Mutations: []storage.Mutation{cell("q", "2", 2)}}}
	y := begin(t, m, Options{LockTimeout: 5 * time.Millisecond})
	if err := y.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{}); !errors.Is(err, ErrLockTimeout) {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	if err := m.Auto().Table("t").Mutate(short, rows, storage.WriteOptions{}); storage.CodeOf(err) != storage.CodeDeadlineExceeded {
		t.Fatal(err)
	}
	x.Rollback()
	if err := y.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestDeadlock(t *testing.T) {
	defer goleak.VerifyNone(t)
	m := NewManager(newStore(t), nil)
	x, y := begin(t, m, Options{}), begin(t, m, Options{})
	put(t, x.Store(), "a", "x", 1)
	put(t, y.Store(), "b", "y", 1)
	errs := make(chan error, 2)
	write := func(x *Txn, key string) {
		rows := []storage.RowMutation{{Key: []byte(key), Mutations: []storage.Mutation{cell("q", "z", 2)}}}
		err := x.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{})
		if err != nil {
			x.Rollback()
		}
		errs <- err
	}
	go write(x, "b")
	go write(y, "a")
	first, second := <-errs, <-errs
	if (first == nil) == (second == nil) {
		t.Fatal(first, second)
	}
	if !errors.Is(errors.Join(first, second), ErrDeadlock) {
		t.Fatal(first, second)
	}
}

func TestRepeatableRead(t *testing.T) {
	m := NewManager(newStore(t), nil)
	put(t, m.Auto(), "a", "1", 1)
	put(t, m.Auto(), "b", "1", 1)
	x := begin(t, m, Options{Isolation: RepeatableRead})
	put(t, m.Auto(), "a", "2", 2)
	if got := get(t, x.Store(), "a"); got != "1" {
		t.Fatal(got)
	}
	put(t, x.Store(), "b", "3", 3) // unchanged since: allowed
	rows := []storage.RowMutation{{Key: []byte("a"), Mutations: []storage.Mutation{cell("q", "3", 3)}}}
	if err := x.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{}); !errors.Is(err, ErrSerialization) {
		t.Fatal(err)
	}
}

// weak is a store without atomic batches.
type weak struct{ storage.Store }

func (w weak) Caps() storage.Caps {
	c := w.Store.Caps()
	c.AtomicBatch, c.Snapshots = false, false
	return c
}

func TestCommitWithoutBatches(t *testing.T) {
	base := newStore(t)
	put(t, base, "a", "1", 1)
	m := NewManager(weak{base}, nil)
	cas := func(s storage.Store, key string, c storage.Cond, v string, ts int64) bool {
		t.Helper()
		ok, err := s.Table("t").CheckAndMutate(ctx, &storage.CondMutation{Key: []byte(key), Cond: c, Then: []storage.Mutation{cell("q", v, ts)}})
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	at1 := storage.Cond{Op: storage.CellTSEquals, Family: "f", Qualifier: []byte("q"), Timestamp: 1000}
	x := begin(t, m, Options{})
	if !cas(x.Store(), "a", at1, "2", 2) || !cas(x.Store(), "n", storage.Cond{Op: storage.RowAbsent}, "2", 2) {
		t.Fatal("condition")
	}
	if cas(x.Store(), "n", storage.Cond{Op: storage.RowAbsent}, "3", 3) {
		t.Fatal("its own row is absent")
	}
	put(t, x.Store(), "z", "2", 2)
	put(t, base, "a", "other", 5) // somebody else
	err := x.Commit(ctx, storage.WriteOptions{})
	var ce *CommitError
	if !errors.As(err, &ce) || !errors.Is(err, ErrSerialization) || ce.Rows != 3 {
		t.Fatal(err)
	}
	if got := get(t, base, "a"); got != "other" {
		t.Fatal("overwritten: " + got)
	}
}

func TestBufferLimit(t *testing.T) {
	m := NewManager(newStore(t), nil)
	x := begin(t, m, Options{MaxBytes: 4096})
	var full *BufferFullError
	for i := range 100 {
		rows := []storage.RowMutation{{Key: fmt.Append(nil, i), Mutations: []storage.Mutation{cell("q", "v", 1)}}}
		if err := x.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{}); errors.As(err, &full) {
			x.RollbackTo(Mark{})
			put(t, x.Store(), "again", "1", 1)
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("no limit")
}

// TestIncrements: many writers of one row lose nothing, whether they use a
// transaction or not.
func TestIncrements(t *testing.T) {
	m := NewManager(newStore(t), nil)
	put(t, m.Auto(), "k", "0", 1)
	var wg sync.WaitGroup
	const writers, each = 8, 50
	for w := range writers {
		wg.Go(func() {
			for range each {
				if err := increment(m, w%2 == 0); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := get(t, m.Auto(), "k"); got != fmt.Sprint(writers*each) {
		t.Fatal(got)
	}
}

func increment(m *Manager, inTxn bool) error {
	for {
		s := m.Auto()
		var x *Txn
		if inTxn {
			var err error
			if x, err = m.Begin(ctx, Options{}); err != nil {
				return err
			}
			defer x.Rollback()
			s = x.Store()
		}
		var rb storage.RowBatch
		if _, err := s.Table("t").MultiGet(ctx, [][]byte{[]byte("k")}, nil, &rb); err != nil {
			return err
		}
		c := rb.Cell(0, 0)
		var n int
		fmt.Sscan(string(c.Value), &n)
		ts := m.Clock().Next([]byte("k"), c.Timestamp)
		ok, err := s.Table("t").CheckAndMutate(ctx, &storage.CondMutation{
			Key:  []byte("k"),
			Cond: storage.Cond{Op: storage.CellTSEquals, Family: "f", Qualifier: []byte("q"), Timestamp: c.Timestamp},
			Then: []storage.Mutation{cell("q", fmt.Sprint(n+1), ts/1000)},
		})
		if err != nil {
			return err
		}
		if x != nil {
			if err := x.Commit(ctx, storage.WriteOptions{}); err != nil {
				return err
			}
		}
		if ok {
			return nil
		}
	}
}

func TestClock(t *testing.T) {
	now := time.UnixMilli(5000)
	c := NewClock(func() time.Time { return now })
	last := int64(0)
	for i := range 100 {
		ts := c.Next([]byte("k"), 0)
		if ts <= last || ts%1000 != 0 {
			t.Fatal(i, ts, last)
		}
		last = ts
		if i == 50 {
			now = now.Add(-time.Hour)
		}
	}
	if ts := c.Next([]byte("other"), last+5_000_500); ts != last+5_001_000 {
		t.Fatal(ts, last)
	}
}

// TestClockSlots: servers that share a store never give one timestamp, however
// their clocks are set, and each one's grow for a row.
func TestClockSlots(t *testing.T) {
	const n = 5
	now := time.UnixMilli(1_000_003)
	given := map[int64]int{}
	for s := range n {
		c := NewClock(func() time.Time { return now.Add(time.Duration(s%2) * 7 * time.Millisecond) })
		var last int64
		use := func(ts int64) {
			t.Helper()
			if was, ok := given[ts]; ok {
				t.Fatalf("slots %d and %d both gave %d", was, s, ts)
			}
			given[ts] = s
			if ts <= last || ts%1000 != 0 || ts/1000%n != int64(s) {
				t.Fatalf("slot %d gave %d after %d", s, ts, last)
			}
			last = ts
		}
		c.SetSlot(s, n)
		for range 50 {
			use(c.Next([]byte("k"), 0))
			use(c.From([]byte("k"), c.Now()))
		}
		use(c.Next([]byte("k"), last+123_000))
	}
	c := NewClock(func() time.Time { return now })
	c.SetSlot(2, 4)
	if ts := c.Next([]byte("k"), 0); ts != 1_000_006_000 {
		t.Error(ts)
	}
	c.SetSlot(0, 1)
	if ts := c.Next([]byte("k"), 0); ts != 1_000_007_000 {
		t.Error(ts)
	}
}

// TestCommitTimestamps: where rows are not locked, they get the time of the
// commit, so that what others wrote in between is older.
func TestCommitTimestamps(t *testing.T) {
	s := noBatch{newStore(t)}
	a, b := NewManager(s, nil), NewManager(s, nil)
	x := begin(t, a, Options{})
	early := cell("q", "x", a.Clock().Next([]byte("k"), 0)/1000)
	rows := []storage.RowMutation{{Key: []byte("k"), Mutations: []storage.Mutation{early}}}
	if err := x.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	late := cell("q", "y", b.Clock().Next([]byte("k"), early.Timestamp)/1000)
	rows = []storage.RowMutation{{Key: []byte("k"), Mutations: []storage.Mutation{late}}}
	if err := b.Auto().Table("t").Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond) // the wall clock goes on
	if err := x.Commit(ctx, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	var rb storage.RowBatch
	if _, err := s.Table("t").MultiGet(ctx, [][]byte{[]byte("k")}, nil, &rb); err != nil {
		t.Fatal(err)
	}
	if c := rb.Cell(0, 0); string(c.Value) != "x" || c.Timestamp <= late.Timestamp {
		t.Errorf("%q at %d, written before at %d", c.Value, c.Timestamp, late.Timestamp)
	}
}

// noBatch hides what autocommit refuses.
type noBatch struct{ storage.Store }

func (s noBatch) Caps() storage.Caps {
	c := s.Store.Caps()
	c.AtomicBatch = false
	return c
}

func TestAutoIsAStore(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) storage.Store {
		s := mem.New()
		t.Cleanup(func() { s.Close() })
		return noBatch{NewManager(s, nil).Auto()}
	})
}

func TestUnlockSinceMark(t *testing.T) {
	m := NewManager(newStore(t), nil)
	x := begin(t, m, Options{})
	put(t, x.Store(), "a", "x", 1)
	mark := x.Mark()
	put(t, x.Store(), "a", "x", 2)
	put(t, x.Store(), "b", "x", 2)
	x.RollbackTo(mark)
	x.Unlock(mark)
	y := begin(t, m, Options{LockTimeout: 5 * time.Millisecond})
	put(t, y.Store(), "b", "y", 3)
	rows := []storage.RowMutation{{Key: []byte("a"), Mutations: []storage.Mutation{cell("q", "y", 3)}}}
	if err := y.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{}); !errors.Is(err, ErrLockTimeout) {
		t.Fatalf("a lock taken before the mark: %v", err)
	}
	put(t, x.Store(), "c", "x", 1)
	if err := x.Commit(ctx, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	put(t, y.Store(), "a", "y", 4)
	put(t, y.Store(), "c", "y", 4)
	y.Rollback()
}

// hintless fails where a get that is merged with changes asks for less than
// whole rows as they are stored.
type hintless struct {
	storage.Store
	t *testing.T
}

func (s hintless) Table(name string) storage.Table { return hintlessTable{s.Store.Table(name), s.t} }

type hintlessTable struct {
	storage.Table
	t *testing.T
}

func (s hintlessTable) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	if req.Hint != nil || req.Filter != nil || req.KeysOnly || req.ValuesOnly || req.NoKeys {
		s.t.Errorf("the store is asked for %+v", req)
	}
	return s.Table.MultiGet(ctx, keys, req, dst)
}

// TestGetWithHint: a hint is about rows as the transaction sees them, not as
// they are stored.
func TestGetWithHint(t *testing.T) {
	s := newStore(t)
	put(t, s, "a", "old", 1)
	m := NewManager(hintless{s, t}, nil)
	x := begin(t, m, Options{})
	defer x.Rollback()
	rows := []storage.RowMutation{{Key: []byte("a"), Mutations: []storage.Mutation{cell("hinted", "new", 2)}}}
	if err := x.Store().Table("t").Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	q := storage.Col{Family: "f", Qualifier: []byte("hinted")}
	var b storage.RowBatch
	_, err := x.Store().Table("t").MultiGet(ctx, [][]byte{[]byte("a")}, &storage.ScanRequest{
		Hint: &storage.Hint{Col: q, Lo: []byte("new"), Hi: []byte("new")}, ValuesOnly: true,
	}, &b)
	if err != nil || b.Len() != 1 || b.NumCells(0) != 2 {
		t.Errorf("%d rows of %d cells, %v", b.Len(), b.NumCells(0), err)
	}
}
