package transact

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestCost holds what transactions cost to doc.go: the calls of a COMMIT, and which of them one after
// another before the answer; of BEGIN; and of reads that meet no lock.
func TestCost(t *testing.T) {
	ctx, base := context.Background(), mem.New()
	var mu sync.Mutex
	var calls []string
	s := Wrap(&hooks{Store: base, on: func(kind string, do func() error) error {
		mu.Lock()
		calls = append(calls, kind)
		mu.Unlock()
		return do()
	}}, Options{}).Transactions()
	tables := []string{"a" + Mark, "b" + Mark}
	for _, name := range tables {
		if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Snapshot(ctx); err != nil { // the timestamp's row is set
		t.Fatal(err)
	}
	count := func(do func() error) (answer, all map[string]int) {
		t.Helper()
		calls = nil
		if err := do(); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		before := slices.Clone(calls)
		mu.Unlock()
		s.work.Wait()
		tally := func(list []string) map[string]int {
			m := map[string]int{}
			for _, kind := range list {
				m[kind]++
			}
			return m
		}
		return tally(before), tally(calls)
	}
	want := func(what string, got map[string]int, want map[string]int) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	for _, n := range []int{1, 2, 7, 49} {
		for _, in := range []int{1, 2} {
			if in > n {
				continue
			}
			told := int64(0)
			answer, all := count(func() error {
				b, err := s.Batch()
				if err != nil {
					return err
				}
				for i := range n {
					if err := b.Mutate(tables[i%in], []storage.RowMutation{{Key: fmt.Append(nil, "k", i), Mutations: set(1)}}); err != nil {
						return err
					}
				}
				return b.Commit(ctx, storage.WriteOptions{Calls: &told})
			})
			made := int64(0)
			for _, n := range all {
				made += int64(n)
			}
			if told != made {
				t.Errorf("COMMIT of %d rows tells %d calls of %d", n, told, made)
			}
			if n == 1 {
				want("COMMIT of one row", all, map[string]int{"lock": 1, "increment": 1, "get": 1, "write": 1})
				continue
			}
			want(fmt.Sprintf("COMMIT of %d rows of %d tables", n, in), all, map[string]int{"lock": n, "increment": 1, "commit": 1, "get": in, "write": n, "forget": 1})
			for kind, most := range map[string]int{"lock": n, "increment": 1, "commit": 1} {
				if answer[kind] != most {
					t.Errorf("COMMIT of %d rows: %d %s before the answer", n, answer[kind], kind)
				}
			}
		}
	}
	var snap storage.Snapshot
	_, all := count(func() (err error) { snap, err = s.Snapshot(ctx); return err })
	want("BEGIN", all, map[string]int{"increment": 1})
	for what, req := range map[string]*storage.ScanRequest{"now": {Project: []storage.Col{balance}}, "at a moment": {Project: []storage.Col{balance}, Snapshot: snap}} {
		_, all = count(func() error {
			var rb storage.RowBatch
			_, err := s.Table(tables[0]).MultiGet(ctx, [][]byte{[]byte("k0"), []byte("k2")}, req, &rb)
			return err
		})
		want("a get "+what, all, map[string]int{"get": 1})
		scan := *req
		scan.Spans = []storage.Span{{}}
		_, all = count(func() error {
			return storage.EachBatch(ctx, s.Table(tables[0]), &scan, func(*storage.RowBatch) error { return nil })
		})
		want("a scan "+what, all, map[string]int{"scan": 1})
	}
	// A row that was changed since costs one more call for all such rows of a batch.
	if err := s.Table(tables[0]).Mutate(ctx, []storage.RowMutation{{Key: []byte("k0"), Mutations: set(2)}, {Key: []byte("k2"), Mutations: set(2)}}, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	s.work.Wait()
	_, all = count(func() error {
		var rb storage.RowBatch
		_, err := s.Table(tables[0]).MultiGet(ctx, [][]byte{[]byte("k0"), []byte("k2")}, &storage.ScanRequest{Project: []storage.Col{balance}, Snapshot: snap}, &rb)
		return err
	})
	want("a get of rows changed since", all, map[string]int{"get": 2})
	// Who asks at once shares a call: those that come while one is under way share the next.
	release := make(chan struct{})
	var taken sync.WaitGroup
	held := Wrap(&hooks{Store: base, on: func(_ string, do func() error) error { <-release; return do() }}, Options{})
	for range 50 {
		taken.Go(func() {
			if _, err := held.oracle.take(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	time.Sleep(50 * time.Millisecond) // for all to have asked, or nearly all
	close(release)
	taken.Wait()
	if n := held.oracle.calls.Load(); n > 25 {
		t.Errorf("50 timestamps took %d calls", n)
	}
}
