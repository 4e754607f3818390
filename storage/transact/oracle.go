package transact

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
)

// oracle gives the timestamps of commits and of snapshots, over all servers of a store: each is later
// than all that were given before it was asked for. It is a number in one row, to which servers add.
// It keeps near the clock, so that a timestamp is also about the time.
//
//	ask ─┐                     one call at a time; who comes while it is under way shares the next,
//	ask ─┼─> Increment ─> ts   and nobody is given what was fetched before they asked
//	ask ─┘
type oracle struct {
	records storage.Table
	now     func() time.Time
	last    atomic.Int64 // the latest known, µs
	calls   atomic.Int64

	mu      sync.Mutex
	next    *ask // of who waits for the next call
	running bool
}

type ask struct {
	done chan struct{}
	ts   int64
	err  error
}

const (
	// most is how far one call moves the timestamp, in ms.
	most = 50
	// oracleDeadline bounds one call.
	oracleDeadline = 10 * time.Second
)

// take gives a timestamp in µs, a whole millisecond.
func (o *oracle) take(ctx context.Context) (int64, error) {
	o.mu.Lock()
	a := o.next
	if a == nil {
		a = &ask{done: make(chan struct{})}
		o.next = a
	}
	if !o.running {
		o.running = true
		go o.run()
	}
	o.mu.Unlock()
	select {
	case <-a.done:
		return a.ts, a.err
	case <-ctx.Done():
		return 0, storage.CtxError(storage.OpIncrement, RecordTable, ctx.Err())
	}
}

// run serves who asks, and ends when nobody does.
func (o *oracle) run() {
	for {
		o.mu.Lock()
		a := o.next
		if o.next = nil; a == nil {
			o.running = false
			o.mu.Unlock()
			return
		}
		o.mu.Unlock()
		a.err = guard.Run(func() (err error) {
			a.ts, err = o.fetch()
			return err
		})
		close(a.done)
	}
}

// fetch asks the store. An answer that was lost costs a number, and no more.
func (o *oracle) fetch() (int64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), oracleDeadline)
	defer cancel()
	floor := o.now().UnixMilli() - most
	for {
		wall := max(o.now().UnixMilli(), floor) // a clock that is set back does not take the number back
		delta := min(max(wall-o.last.Load()/step, 1), most)
		var sum int64
		err := storage.Again(ctx, func() (err error) {
			o.calls.Add(1)
			sum, err = o.records.Increment(ctx, timeKey, timeCol, delta)
			return err
		}, storage.CodeAmbiguous)
		if err != nil {
			return 0, certain(err)
		}
		if sum*step <= o.last.Load() {
			return 0, storage.Errorf(storage.CodeCorruption, storage.OpIncrement, RecordTable,
				"the timestamp has gone back to %d ms from %d ms", sum, o.last.Load()/step)
		}
		if sum >= floor {
			o.last.Store(sum * step)
			return sum * step, nil
		}
		floor = wall
		// It has stood still: nobody has asked for a while, or ever. Whoever is first sets it.
		_, err = o.records.CheckAndMutate(ctx, &storage.CondMutation{Key: timeKey,
			Cond: storage.Cond{Op: storage.CellIs, Family: timeCol.Family, Qualifier: timeCol.Qualifier, Value: storage.AppendNumber(nil, sum)},
			Then: []storage.Mutation{{Op: storage.DeleteCell, Family: timeCol.Family, Qualifier: timeCol.Qualifier},
				{Op: storage.SetCell, Family: timeCol.Family, Qualifier: timeCol.Qualifier, Timestamp: step, Value: storage.AppendNumber(nil, wall)}}})
		if code := storage.CodeOf(err); err != nil && !storage.IsRetryable(err) && code != storage.CodeAmbiguous {
			return 0, err
		}
		if ctx.Err() != nil {
			return 0, errors.Join(storage.CtxError(storage.OpIncrement, RecordTable, ctx.Err()), err)
		}
	}
}

// since gives a timestamp that is surely not later than the next that is taken, 0 if none is known.
func (o *oracle) since() int64 { return o.last.Load() }
