package transact

import (
	"context"
	"crypto/rand"
	"errors"
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
	lock   lock  // as it was sent last
	locked bool
	doubt  bool // an attempt to lock it may come late
}

// tx is one COMMIT.
type tx struct {
	s       *Store
	id      txID
	changes []*change
	lock    lock
	calls   atomic.Int64
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
		// They are made when the commit is decided, with the image and at worst two for each: they must fit.
		if n := 2*len(c.muts) + 64; n > storage.MaxMutationsPerRow {
			return &storage.Error{Code: storage.CodeTooLarge, Op: storage.OpCommit, Table: c.t.name, Limit: "row mutation", Max: storage.MaxMutationsPerRow, Size: int64(n), Unit: "changes",
				Msg: fmt.Sprintf("a transaction's change of a row takes %d changes, over the limit of %d", n, storage.MaxMutationsPerRow)}
		}
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
	life := x.s.expiry + time.Duration(len(x.changes))*perRow
	until := time.Now().Add(life)
	// A lock's timestamp is never 0, which a condition takes for any.
	x.lock = lock{tx: x.id, alone: len(x.changes) == 1, start: max(x.s.oracle.since(), step)}
	x.lock.expiry = x.s.clock() + life.Microseconds()
	// What is sent after the locks have expired is not sent at all.
	fenced := storage.WithFence(ctx, func() (time.Time, bool) { return until, time.Now().Before(until) })
	err := x.each(func(c *change) error { return x.lockRow(fenced, c) })
	switch {
	case err != nil:
		_ = x.unlock(fenced)
		err = certain(err)
	case x.lock.alone:
		err = x.commitAlone(fenced, x.changes[0])
	default:
		err = x.commitAll(fenced)
	}
	if storage.CodeOf(err) == storage.CodeCanceled && ctx.Err() == nil {
		return conflict(x.changes[0].t.name) // it took too long, and its locks are not its own any more
	}
	return err
}

// each calls do of all changes, as together does.
func (x *tx) each(do func(*change) error) error {
	return together(len(x.changes), func(i int) error { return do(x.changes[i]) })
}

// together calls do of 0 to n-1, some at once; it ends with the first error of those begun.
func together(n int, do func(int) error) error {
	if n == 1 {
		return do(0)
	}
	var g errgroup.Group
	var failed atomic.Bool
	g.SetLimit(parallel)
	for i := range n {
		if failed.Load() {
			break
		}
		g.Go(func() error {
			err := guard.Run(func() error { return do(i) })
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
	c.lock = x.lock
	c.lock.raw = c.lock.append(nil)
	m := storage.CondMutation{Key: c.key, Cond: storage.Cond{Op: storage.Untouched, Family: lockFamily, Other: storage.Version, Timestamp: c.seen},
		Then: []storage.Mutation{{Op: storage.SetCell, Family: lockCol.Family, Qualifier: lockCol.Qualifier, Timestamp: x.lock.start, Value: c.lock.raw}}}
	if !x.lock.alone {
		m.Then = append(m.Then, storage.Mutation{Op: storage.SetCell, Family: changesCol.Family, Qualifier: changesCol.Qualifier,
			Timestamp: x.lock.start, Value: appendChanges(nil, c.muts)})
	}
	fresh := x.s.untested(c)
	for _, family := range fresh {
		m.Then = append(m.Then, storage.Mutation{Op: storage.DeleteCell, Family: family, Qualifier: noColumn})
	}
	held := storage.FenceOf(ctx)
	for met := 0; ; {
		if err := x.s.wait(ctx, c.t.name, c.key); err != nil {
			return err
		}
		if _, ok := held(); !ok && ctx.Err() == nil {
			return conflict(c.t.name)
		}
		x.calls.Add(1)
		ok, err := storage.CheckAndMutateAgain(ctx, c.t.base, &m)
		if c.locked = ok; ok {
			for _, family := range fresh {
				x.s.families.Store(familyName{c.t.name, family}, true)
			}
			return nil
		}
		if err != nil {
			if storage.CodeOf(err) != storage.CodeAmbiguous {
				return err
			}
			c.doubt = true
		}
		x.calls.Add(1)
		rows, err := c.t.get(ctx, c.key)
		if err != nil {
			return err
		}
		r := rows[0]
		switch {
		case r.lock != nil && r.lock.tx == x.id:
			c.lock, c.locked = *r.lock, true
			return nil
		case r.lock == nil && r.version > c.seen && !blind:
			return conflict(c.t.name)
		case r.lock == nil:
			if r.version > c.seen {
				c.seen, m.Cond.Timestamp = r.version, r.version
			}
			if c.doubt {
				c.lock.attempt++
				c.lock.raw = c.lock.append(nil)
				m.Then[0].Value = c.lock.raw
			}
			continue
		}
		over, err := c.t.settle(ctx, c.key, r)
		if err != nil {
			return err
		}
		if over {
			continue
		}
		if met++; met > lockTries {
			return conflict(c.t.name)
		}
		if err := storage.Pause(ctx, min(met-1, 2), 3*time.Millisecond); err != nil {
			return storage.CtxError(storage.OpCommit, c.t.name, err)
		}
	}
}

// certain is an error of something that was in doubt, of a caller for whom it has no effect.
func certain(err error) error {
	if storage.CodeOf(err) != storage.CodeAmbiguous {
		return err
	}
	return &storage.Error{Code: storage.CodeUnavailable, Op: storage.OpCommit, Cause: err}
}

func conflict(table string) error {
	return storage.Errorf(storage.CodeConflict, storage.OpCommit, table, "a row has changed since it was read")
}

// unlock takes the locks away of a transaction that is not committed and will not be. After an error
// some may be left, until they expire.
func (x *tx) unlock(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(storage.Unfenced(context.WithoutCancel(ctx)), decisive)
	defer cancel()
	var failed atomic.Pointer[error]
	_ = x.each(func(c *change) error {
		l := &c.lock
		if c.doubt {
			rows, err := c.t.get(ctx, c.key)
			if err != nil {
				failed.Store(&err)
			} else if l = rows[0].lock; l == nil || l.tx != x.id {
				return nil
			}
		} else if !c.locked {
			return nil
		}
		if err := c.t.end(ctx, c.key, l, []storage.Mutation{{Op: storage.DeleteFamily, Family: lockFamily}}); err != nil {
			failed.Store(&err)
		}
		return nil
	})
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// decisive is how long a commit is tried whose outcome is not known, beyond the statement's own time.
const decisive = 5 * time.Second

// commitAll commits by a record.
func (x *tx) commitAll(ctx context.Context) error {
	c, err := x.timestamp(ctx)
	if err != nil {
		_ = x.unlock(ctx)
		return err
	}
	names := make([]rowName, len(x.changes))
	for i, ch := range x.changes {
		names[i] = rowName{ch.t.name, ch.key}
	}
	list := appendRows(nil, names)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), decisive)
	defer cancel()
	for doubt := false; ; {
		x.calls.Add(1)
		ok, err := x.s.decide(ctx, x.id, state{committed, c}, list)
		if ok {
			break
		}
		var st state
		if err == nil || storage.CodeOf(err) == storage.CodeAmbiguous {
			doubt = doubt || err != nil
			x.calls.Add(1)
			st, err = x.s.state(ctx, x.id)
		}
		switch {
		case err != nil && doubt: // what was sent may come yet
			st, err = x.abort(ctx, c, err)
		case err == nil && st.status == undecided && c <= st.at:
			c, err = x.timestamp(ctx)
			if err != nil && doubt {
				st, err = x.abort(ctx, c, err)
			}
		case err == nil && st.status == aborted:
			if err = conflict(x.changes[0].t.name); doubt {
				st, err = x.aborted(ctx, err)
			}
		}
		if err != nil {
			if storage.CodeOf(err) != storage.CodeAmbiguous {
				_ = x.unlock(ctx)
			}
			return err
		}
		if st.status == committed {
			c = st.at
			break
		}
	}
	x.behind(ctx, c)
	return nil
}

// abort ends a transaction that has failed with cause while its commit may be on its way: that must
// find the record decided. It gives the record where the commit was first, cause where it was not, and
// CodeAmbiguous where nobody knows; then the locks stay, for whoever meets them.
func (x *tx) abort(ctx context.Context, c int64, cause error) (state, error) {
	ctx, cancel := context.WithTimeout(storage.Unfenced(context.WithoutCancel(ctx)), decisive)
	defer cancel()
	for try := 0; ; try++ {
		ok, err := x.s.decide(ctx, x.id, state{aborted, max(c, step)}, nil)
		if ok {
			return x.aborted(ctx, cause)
		}
		if err == nil || storage.CodeOf(err) == storage.CodeAmbiguous {
			var st state
			switch st, err = x.s.state(ctx, x.id); {
			case err == nil && st.status == committed:
				return st, nil
			case err == nil && st.status == aborted:
				return x.aborted(ctx, cause)
			}
		}
		if err != nil || storage.Pause(ctx, try, time.Millisecond) != nil {
			return state{}, unknown(RecordTable, errors.Join(cause, err))
		}
	}
}

// aborted ends a transaction that was in doubt and is aborted by its record: if one of its locks stands, it
// is so. Where it is gone, the commit may have been first, and all of it done, and its record forgotten.
func (x *tx) aborted(ctx context.Context, cause error) (state, error) {
	r, err := x.look(ctx, x.changes[0])
	if err != nil {
		return state{}, unknown(RecordTable, errors.Join(cause, err))
	}
	if r.lock != nil && r.lock.tx == x.id {
		return state{}, cause
	}
	at, err := x.written(ctx, x.changes[0], x.lock.start)
	switch {
	case err != nil:
		return state{}, unknown(RecordTable, errors.Join(cause, err))
	case at != 0:
		return state{committed, at}, nil
	}
	return state{}, cause
}

// timestamp takes c. It is above the versions of all rows, unless the timestamp's row has lost some.
func (x *tx) timestamp(ctx context.Context) (int64, error) {
	x.calls.Add(1)
	c, err := x.s.oracle.take(ctx)
	for _, ch := range x.changes {
		if err == nil && ch.seen != unseen && ch.seen >= c {
			err = storage.Errorf(storage.CodeCorruption, storage.OpCommit, ch.t.name, "row %x has version %d, above timestamp %d", ch.key, ch.seen, c)
		}
	}
	return c, err
}
