package transact

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
)

const (
	// MaxRows and MaxBytes bound what one transaction writes.
	//
	//saltsql:limit statements: rows that a transaction writes in tables with TRANSACTIONAL (54000)
	MaxRows = 10_000
	//saltsql:limit statements: bytes that a transaction writes in tables with TRANSACTIONAL (54000)
	MaxBytes = 64 << 20

	parallel = 32 // calls of one transaction under way
	perRow   = 2 * time.Millisecond
)

// unseen is the version of a row that nothing depends on: any.
const unseen = math.MaxInt64 / step * step

// change is what a transaction does to a row.
type change struct {
	t      *table
	key    []byte
	muts   []storage.Mutation
	seen   int64 // the version that it was read at
	locked bool
}

// tx is one COMMIT.
type tx struct {
	s       *Store
	id      txID
	changes []*change
	lock    lock
}

func (s *Store) begin() *tx {
	x := &tx{s: s}
	_, _ = rand.Read(x.id[:]) // it never fails
	return x
}

func (x *tx) commit(ctx context.Context) error {
	if len(x.changes) == 0 {
		return nil
	}
	if err := x.bounded(); err != nil {
		return err
	}
	err := x.commitBounded(ctx)
	switch {
	case err == nil:
		x.s.count.commits.Add(1)
	case storage.CodeOf(err) == storage.CodeConflict:
		x.s.count.conflicts.Add(1)
	}
	return err
}

func (x *tx) bounded() error {
	size := 0
	for _, c := range x.changes {
		size += len(c.key)
		for i := range c.muts {
			size += len(c.muts[i].Qualifier) + len(c.muts[i].Value)
		}
	}
	if len(x.changes) <= MaxRows && size <= MaxBytes {
		return nil
	}
	return &storage.Error{Code: storage.CodeTooLarge, Op: storage.OpCommit, Limit: "transaction", Max: MaxRows, Size: int64(len(x.changes)), Unit: "rows",
		Msg:  fmt.Sprintf("a transaction of %d rows and %d bytes is over the limit of %d rows or %d bytes", len(x.changes), size, MaxRows, MaxBytes),
		Hint: "Write fewer rows in one transaction, or to a table without TRANSACTIONAL."}
}

func (x *tx) commitBounded(ctx context.Context) error {
	life := Expiry + time.Duration(len(x.changes))*perRow
	until := time.Now().Add(life)
	x.lock = lock{tx: x.id, alone: len(x.changes) == 1, start: x.s.oracle.since()}
	x.lock.expiry = max(x.s.now().UnixMicro(), x.lock.start) + life.Microseconds()
	x.lock.raw = x.lock.append(nil)
	// What is sent after the locks have expired is not sent at all.
	ctx = storage.WithFence(ctx, func() (time.Time, bool) { return until, time.Now().Before(until) })
	if err := x.each(func(c *change) error { return x.lockRow(ctx, c) }); err != nil {
		x.unlock(ctx)
		return err
	}
	if x.lock.alone {
		return x.commitAlone(ctx, x.changes[0])
	}
	return x.commitAll(ctx)
}

// each calls do of all changes, some at once; it ends with the first error of those begun.
func (x *tx) each(do func(*change) error) error {
	if len(x.changes) == 1 {
		return do(x.changes[0])
	}
	var g errgroup.Group
	var failed atomic.Bool
	g.SetLimit(parallel)
	for _, c := range x.changes {
		if failed.Load() {
			break
		}
		g.Go(func() error {
			err := guard.Run(func() error { return do(c) })
			if err != nil {
				failed.Store(true)
			}
			return err
		})
	}
	return g.Wait()
}

// lockTries is how often a commit waits for another's lock, some milliseconds each time: two that wait
// for each other both give up.
const lockTries = 6

// lockRow locks a row as it was seen. One that nothing depends on is locked at the version that it
// has, whatever that is: a lock that the network holds back must find another version once this
// transaction is done with the row.
func (x *tx) lockRow(ctx context.Context, c *change) error {
	blind := c.seen == unseen
	if blind {
		c.seen = x.lock.start
	}
	m := storage.CondMutation{Key: c.key, Cond: storage.Cond{Op: storage.Untouched, Family: lockFamily, Other: storage.Version, Timestamp: c.seen},
		Then: []storage.Mutation{{Op: storage.SetCell, Family: lockCol.Family, Qualifier: lockCol.Qualifier, Timestamp: x.lock.start, Value: x.lock.raw}}}
	if !x.lock.alone {
		m.Then = append(m.Then, storage.Mutation{Op: storage.SetCell, Family: changesCol.Family, Qualifier: changesCol.Qualifier,
			Timestamp: x.lock.start, Value: appendChanges(nil, c.muts)})
	}
	for try := 0; ; {
		if err := x.s.wait(ctx, c.t.name, c.key); err != nil {
			return err
		}
		ok, err := storage.CheckAndMutateAgain(ctx, c.t.base, &m)
		if c.locked = ok; ok {
			return nil
		}
		if err != nil {
			c.locked = storage.CodeOf(err) == storage.CodeAmbiguous // it may be
			if !c.locked {
				return err
			}
		}
		rows, err := c.t.get(ctx, c.key)
		if err != nil {
			return err
		}
		r := rows[0]
		switch {
		case r.lock != nil && r.lock.tx == x.id:
			c.locked = true
			return nil
		case r.lock == nil && r.version > c.seen && blind:
			c.locked = false
			c.seen, m.Cond.Timestamp = r.version, r.version
			continue
		case r.lock == nil && r.version > c.seen:
			c.locked = false
			return conflict(c.t.name)
		case r.lock == nil:
			c.locked = false
			continue
		}
		c.locked = false
		over, err := c.t.settle(ctx, c.key, r)
		if err != nil {
			return err
		}
		if over {
			continue
		}
		if try++; try > lockTries {
			return conflict(c.t.name)
		}
		if err := storage.Pause(ctx, min(try-1, 2), 3*time.Millisecond); err != nil {
			return storage.CtxError(storage.OpCommit, c.t.name, err)
		}
	}
}

func conflict(table string) error {
	return storage.Errorf(storage.CodeConflict, storage.OpCommit, table, "a row has changed since it was read")
}

// unlock takes the locks away of a transaction that is not committed and will not be.
func (x *tx) unlock(ctx context.Context) {
	ctx, cancel := context.WithTimeout(storage.Unfenced(context.WithoutCancel(ctx)), Expiry)
	defer cancel()
	_ = x.each(func(c *change) error {
		if c.locked {
			_ = c.t.end(ctx, c.key, &x.lock, []storage.Mutation{{Op: storage.DeleteFamily, Family: lockFamily}})
		}
		return nil
	})
}

// decisive is how long a commit is tried whose outcome is not known, beyond the statement's own time.
const decisive = 5 * time.Second

// commitAll commits by a record.
func (x *tx) commitAll(ctx context.Context) error {
	c, err := x.s.oracle.take(ctx)
	if err != nil {
		x.unlock(ctx)
		return err
	}
	names := make([]rowName, len(x.changes))
	for i, ch := range x.changes {
		names[i] = rowName{ch.t.name, ch.key}
	}
	list := appendRows(nil, names)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), decisive)
	defer cancel()
	for {
		ok, err := x.s.decide(ctx, x.id, state{committed, c}, list)
		if ok {
			break
		}
		if err != nil && storage.CodeOf(err) != storage.CodeAmbiguous {
			x.unlock(ctx)
			return err
		}
		st, err := x.s.state(ctx, x.id)
		if err != nil {
			return unknown(RecordTable, err)
		}
		if st.status == committed {
			break
		}
		if st.status == aborted {
			x.unlock(ctx)
			return conflict(x.changes[0].t.name)
		}
		if c <= st.at {
			if c, err = x.s.oracle.take(ctx); err != nil {
				x.unlock(ctx)
				return err
			}
		}
	}
	x.behind(ctx, c)
	return nil
}
