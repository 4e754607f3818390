package storagetest

import (
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/storage"
)

// testIncrement adds to a cell from many goroutines: no sum is given twice, and what else lies in the
// row stays.
func testIncrement(e *env) {
	t, at := e.table("t"), col("f:n")
	add := func(delta int64) int64 {
		sum, err := t.Increment(e.ctx, []byte("k"), at, delta)
		e.must(err)
		return sum
	}
	e.put(t, "k f:a@1=x")
	for i, tt := range []struct{ delta, want int64 }{{5, 5}, {-7, -2}, {0, -2}, {1 << 40, 1<<40 - 2}, {2 - 1<<40, 0}} {
		if got := add(tt.delta); got != tt.want {
			e.t.Errorf("step %d: %d, want %d", i, got, tt.want)
		}
	}
	var wg sync.WaitGroup
	var all atomic.Int64
	for range 4 {
		wg.Go(func() {
			for range 10 {
				sum, err := t.Increment(e.ctx, []byte("k"), at, 1)
				if err != nil {
					e.t.Error(err)
				}
				all.Add(sum)
			}
		})
	}
	wg.Wait()
	if got := all.Load(); got != 40*41/2 {
		e.t.Errorf("sums add up to %d", got)
	}
	// It is as any other cell to who sets it.
	_, err := t.CheckAndMutate(e.ctx, &storage.CondMutation{Key: []byte("k"),
		Cond: storage.Cond{Op: storage.CellIs, Family: "f", Qualifier: []byte("n"), Value: storage.AppendNumber(nil, 40)},
		Then: []storage.Mutation{{Op: storage.DeleteCell, Family: "f", Qualifier: []byte("n")},
			{Op: storage.SetCell, Family: "f", Qualifier: []byte("n"), Timestamp: 1000, Value: storage.AppendNumber(nil, 100)}}})
	e.must(err)
	if got := add(1); got != 101 {
		e.t.Errorf("%d after 100", got)
	}
	e.want(e.get(t, storage.ScanRequest{Project: cols("f:a")}, "k"), "k f:a@1=x")
	_, err = t.Increment(e.ctx, []byte("k"), col("f:a"), 1)
	if err == nil {
		e.t.Error("it has added to a text")
	}
	_, err = t.Increment(e.ctx, nil, at, 1)
	e.code(err, storage.CodeInvalidArgument)
	_, err = e.s.Table("none").Increment(e.ctx, []byte("k"), at, 1)
	e.code(err, storage.CodeNotFound)
}
