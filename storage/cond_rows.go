package storage

import (
	"context"
	"sync"

	"github.com/saltsql/saltsql/internal/guard"
)

// CondParallel is how many conditional writes of one list are under way at once, where
// the store gains by it.
const CondParallel = 32

// CheckAndMutateAgain makes a conditional write, again where the store says that it did
// nothing.
func CheckAndMutateAgain(ctx context.Context, t Table, m *CondMutation) (matched bool, err error) {
	err = Again(ctx, func() (err error) {
		matched, err = t.CheckAndMutate(ctx, m)
		return err
	})
	return matched && err == nil, err
}

// CheckAndMutateRows makes the conditional writes of ms by CheckAndMutateAgain, at most
// parallel of them at once and those of one key one after another, in order. done is told
// of each that was made or has failed, by many goroutines at once; those that it is not
// told of were never begun. After an error that it gives back no more are begun; the first
// is returned when those under way have come back. A panic on a goroutine of its own is one.
//
// No store has such a call: Bigtable's is for one row, and what an embedded store could
// gain by one is had by a Batch. So it is this function, and not a method of the contract.
func CheckAndMutateRows(ctx context.Context, t Table, ms []CondMutation, parallel int, done func(i int, matched bool, err error) error) error {
	one := func(i int) error {
		matched, err := CheckAndMutateAgain(ctx, t, &ms[i])
		return done(i, matched, err)
	}
	if len(ms) <= 1 || parallel <= 1 {
		for i := range ms {
			if err := one(i); err != nil {
				return err
			}
		}
		return nil
	}
	heads, next := byKey(ms)
	var (
		mu    sync.Mutex
		first error
		wg    sync.WaitGroup
		todo  = make(chan int)
		end   = make(chan struct{})
	)
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if first == nil {
			first = err
			close(end)
		}
	}
	for range min(parallel, len(heads)) {
		wg.Go(func() {
			for i := range todo {
				err := guard.Run(func() (err error) {
					for ; i >= 0 && err == nil; i = next[i] {
						err = one(i)
					}
					return err
				})
				if err != nil {
					fail(err)
				}
			}
		})
	}
give:
	for _, i := range heads {
		select {
		case <-end:
			break give
		default:
		}
		select {
		case todo <- i:
		case <-end:
			break give
		case <-ctx.Done():
			fail(CtxError(OpCheckAndMutate, "", ctx.Err()))
		}
	}
	close(todo)
	wg.Wait()
	return first
}

// byKey gives the first write of each key, and after each the next of the same key, or -1.
func byKey(ms []CondMutation) (heads, next []int) {
	next = make([]int, len(ms))
	last := make(map[string]int, len(ms))
	for i := range ms {
		next[i] = -1
		if j, ok := last[string(ms[i].Key)]; ok {
			next[j] = i
		} else {
			heads = append(heads, i)
		}
		last[string(ms[i].Key)] = i
	}
	return heads, next
}
