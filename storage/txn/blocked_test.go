package txn

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/saltsql/saltsql/storage"
)

// Blocked tells who waits and for whom, in rows, claims and tables, and of nobody in the end.
func TestBlocked(t *testing.T) {
	m := NewManager(newStore(t), nil)
	var who [4]Waits
	name := map[*Waits]int{}
	for i := range who {
		name[&who[i]] = i
	}
	// blocked waits until n wait, and gives by whom each is blocked.
	blocked := func(n int) map[int][]int {
		for {
			if list := m.Blocked(); len(list) == n {
				out := map[int][]int{}
				for _, b := range list {
					if b.Since.IsZero() {
						t.Errorf("it is not told since when %d waits", name[b.Who])
					}
					for _, by := range b.By {
						if at := name[by]; !slices.Contains(out[name[b.Who]], at) {
							out[name[b.Who]] = append(out[name[b.Who]], at)
						}
					}
					slices.Sort(out[name[b.Who]])
				}
				return out
			}
			runtime.Gosched()
		}
	}
	want := func(n int, whom ...int) {
		t.Helper()
		if got := blocked(n)[n]; !slices.Equal(got, whom) {
			t.Fatalf("%d waits for %v, not for %v", n, got, whom)
		}
	}
	row := []storage.RowMutation{whole("k", "1", 1)}
	first, err := m.Begin(WithWaits(ctx, &who[0]), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Store().Table("t").Mutate(ctx, row, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if list := m.Blocked(); len(list) != 0 {
		t.Fatal(list)
	}
	var wg sync.WaitGroup
	waits := func(i int, do func(context.Context) error) {
		wg.Go(func() {
			if err := do(WithWaits(ctx, &who[i])); err != nil {
				t.Error(err)
			}
		})
	}
	waits(1, func(ctx context.Context) error { // a transaction
		x, err := m.Begin(ctx, Options{})
		if err != nil {
			return err
		}
		defer x.Rollback()
		return x.Store().Table("t").Mutate(ctx, row, storage.WriteOptions{})
	})
	want(1, 0)
	waits(2, func(ctx context.Context) error { // a write of its own
		return m.Auto().Table("t").Mutate(ctx, row, storage.WriteOptions{})
	})
	want(2, 0, 1)
	waits(3, func(ctx context.Context) error { // who wants the table alone
		release, err := m.Alone(ctx, "t")
		if err == nil {
			release()
		}
		return err
	})
	want(3, 0, 1, 2)
	first.Rollback()
	wg.Wait()
	if list := m.Blocked(); len(list) != 0 {
		t.Fatal(list)
	}
}
