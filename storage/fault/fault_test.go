package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/storagetest"
)

// Without rules, and with rules that meet nothing, the wrapper is the store.
func TestStore(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) storage.Store {
		s := Wrap(mem.New(), Rule{Table: "no such table", Times: -1}, Rule{Nth: 1 << 30})
		t.Cleanup(func() { s.Close() })
		return s
	})
}

func TestDelayedStore(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) storage.Store {
		s := Wrap(mem.New(), Rule{Do: Delay, Times: -1, Delay: time.Nanosecond})
		t.Cleanup(func() { s.Close() })
		return s
	})
}

func TestWideStore(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) storage.Store {
		s := Wrap(mem.New(), Rule{Do: Wide, Times: -1})
		t.Cleanup(func() { s.Close() })
		return s
	})
}

func row(key string) storage.RowMutation {
	return storage.RowMutation{Key: []byte(key), Mutations: []storage.Mutation{{Op: storage.SetCell, Family: "f", Qualifier: []byte("q")}}}
}

func open(t *testing.T, rows int) (*Store, storage.Table) {
	t.Helper()
	s := Wrap(mem.New())
	t.Cleanup(func() { s.Close() })
	if err := s.Admin().CreateTable(context.Background(), storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if err := s.Table("t").Mutate(context.Background(), []storage.RowMutation{row(fmt.Sprintf("k%03d", i))}, storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return s, s.Table("t")
}

func count(t *testing.T, s *Store) int {
	t.Helper()
	n, err := scan(context.Background(), s.inner.Table("t"), 0)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func scan(ctx context.Context, tb storage.Table, batch int) (int, error) {
	sc, err := tb.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}, BatchRows: batch})
	if err != nil {
		return 0, err
	}
	defer sc.Close()
	n := 0
	var b storage.RowBatch
	for {
		if err := sc.Next(&b); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
		n += b.Len()
	}
}

func TestWrites(t *testing.T) {
	ctx := context.Background()
	cond := func(s *Store) error {
		_, err := s.Table("t").CheckAndMutate(ctx, &storage.CondMutation{Key: []byte("new"), Cond: storage.Cond{Op: storage.RowAbsent}, Then: row("").Mutations})
		return err
	}
	mutate := func(s *Store) error {
		return s.Table("t").Mutate(ctx, []storage.RowMutation{row("new")}, storage.WriteOptions{})
	}
	commit := func(s *Store) error {
		b, err := s.Batch()
		if err != nil {
			return err
		}
		defer b.Close()
		if err := b.Mutate("t", []storage.RowMutation{row("new")}); err != nil {
			return err
		}
		return b.Commit(ctx, storage.WriteOptions{})
	}
	for _, tt := range []struct {
		op   string
		call func(*Store) error
	}{{storage.OpCheckAndMutate, cond}, {storage.OpMutate, mutate}, {storage.OpCommit, commit}} {
		for _, r := range []struct {
			do   Action
			code storage.Code
			rows int
		}{{FailBefore, storage.CodeUnavailable, 0}, {FailAfter, storage.CodeAmbiguous, 1}} {
			s, _ := open(t, 0)
			s.Add(Rule{Op: tt.op, Do: r.do})
			if err := tt.call(s); storage.CodeOf(err) != r.code || count(t, s) != r.rows || s.Fired() != 1 {
				t.Errorf("%s %d: %v, %d rows", tt.op, r.do, err, count(t, s))
			}
			if err := tt.call(s); err != nil || count(t, s) != 1 {
				t.Errorf("%s again: %v", tt.op, err)
			}
		}
	}
}

func TestPartial(t *testing.T) {
	s, tb := open(t, 0)
	s.Add(Rule{Op: storage.OpMutate, Table: "t", Do: Partial, Rows: 2})
	err := tb.Mutate(context.Background(), []storage.RowMutation{row("a"), row("b"), row("c"), row("d")}, storage.WriteOptions{})
	var p *storage.PartialError
	if !errors.As(err, &p) || p.Written != 2 || len(p.Rows) != 2 || p.Rows[0].Index != 2 || count(t, s) != 2 {
		t.Fatalf("%v", err)
	}
}

func TestScans(t *testing.T) {
	ctx := context.Background()
	s, tb := open(t, 20)
	for _, k := range []int{0, 1, 7, 19} {
		for _, batch := range []int{0, 1, 3} {
			s.Add(Rule{Op: storage.OpScan, Do: Cut, Rows: k})
			if n, err := scan(ctx, tb, batch); n != k || storage.CodeOf(err) != storage.CodeUnavailable {
				t.Errorf("cut after %d: %d rows, %v", k, n, err)
			}
		}
	}
	s.Add(Rule{Op: storage.OpScan, Do: CancelRace, Rows: 4})
	if n, err := scan(ctx, tb, 2); n != 4 || storage.CodeOf(err) != storage.CodeCanceled {
		t.Errorf("canceled: %d rows, %v", n, err)
	}
	custom := storage.Errorf(storage.CodeThrottled, storage.OpScan, "t", "slow down")
	s.Add(Rule{Op: storage.OpScan, Nth: 2, Times: 2, Err: custom})
	for i, want := range []storage.Code{storage.CodeUnknown, storage.CodeThrottled, storage.CodeThrottled, storage.CodeUnknown} {
		if _, err := scan(ctx, tb, 0); storage.CodeOf(err) != want {
			t.Errorf("scan %d: %v", i, err)
		}
	}
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	s.Add(Rule{Do: Delay, Delay: time.Hour})
	if _, err := tb.MultiGet(short, nil, nil, &storage.RowBatch{}); storage.CodeOf(err) != storage.CodeDeadlineExceeded {
		t.Errorf("delayed: %v", err)
	}
}

func TestReads(t *testing.T) {
	s, tb := open(t, 3)
	s.Add(Rule{Op: storage.OpMultiGet, Do: FailAfter})
	var b storage.RowBatch
	if _, err := tb.MultiGet(context.Background(), [][]byte{[]byte("k001")}, nil, &b); storage.CodeOf(err) != storage.CodeUnavailable || b.Len() != 0 {
		t.Fatalf("%d rows, %v", b.Len(), err)
	}
	if _, err := tb.MultiGet(context.Background(), [][]byte{[]byte("k001")}, nil, &b); err != nil || b.Len() != 1 || s.Calls(storage.OpMultiGet) != 2 {
		t.Fatalf("%d rows, %v", b.Len(), err)
	}
	s.Add(Rule{Do: Throttle, Times: 2, Every: 2, Delay: time.Second})
	for i, want := range []storage.Code{storage.CodeThrottled, storage.CodeUnknown, storage.CodeThrottled, storage.CodeUnknown, storage.CodeUnknown} {
		_, err := tb.MultiGet(context.Background(), nil, nil, &b)
		var e *storage.Error
		if storage.CodeOf(err) != want || errors.As(err, &e) && e.RetryAfter != time.Second {
			t.Errorf("get %d: %v", i, err)
		}
	}
	s.Reset()
	if s.Calls("") != 0 || s.Fired() != 0 {
		t.Fatal("reset")
	}
}

// Rules change while calls run; a canceled write is done or not.
func TestConcurrentRules(t *testing.T) {
	s, tb := open(t, 0)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 100 {
				s.Add(Rule{Op: storage.OpMutate, Do: CancelRace})
				_ = tb.Mutate(context.Background(), []storage.RowMutation{row(fmt.Sprintf("%d.%d", w, i))}, storage.WriteOptions{})
				if i%10 == 0 {
					s.Reset()
				}
			}
		}()
	}
	wg.Wait()
}
