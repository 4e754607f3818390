package transact

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"slices"
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

// batch implements storage.Batch.
type batch struct {
	s    *Store
	list []*change
	at   map[string]*change
}

// Batch implements storage.Store.
func (s *Store) Batch() (storage.Batch, error) {
	if !s.whole {
		return s.Store.Batch()
	}
	return &batch{s: s}, nil
}

// Mutate implements storage.Batch. Rows of one key are one change.
func (b *batch) Mutate(name string, rows []storage.RowMutation) error {
	if err := storage.CheckRows(storage.OpBatch, name, rows); err != nil {
		return err
	}
	if !Is(name) {
		return notTransactional(storage.OpBatch, name)
	}
	if b.at == nil {
		b.at = map[string]*change{}
	}
	t := &table{b.s, name, b.s.Store.Table(name)}
	for i := range rows {
		id := name + "\x00" + string(rows[i].Key)
		c := b.at[id]
		if c == nil {
			c = &change{t: t, key: rows[i].Key, seen: unseen}
			b.at[id], b.list = c, append(b.list, c)
		}
		muts := rows[i].Mutations
		if m := &muts[0]; m.Op == storage.SetCell && m.Family == storage.Version.Family && bytes.Equal(m.Qualifier, storage.Version.Qualifier) {
			c.seen, muts = min(c.seen, m.Timestamp), muts[1:]
		}
		c.muts = append(c.muts, muts...)
	}
	return nil
}

// Commit implements storage.Batch.
func (b *batch) Commit(ctx context.Context, _ storage.WriteOptions) error {
	tx := b.s.begin()
	tx.changes = b.list
	b.list, b.at = nil, nil
	return tx.commit(ctx)
}

// Close implements storage.Batch.
func (b *batch) Close() error {
	b.list, b.at = nil, nil
	return nil
}

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

// commitAlone commits a transaction of one row: data, image and the end of the lock are one write,
// if nobody has pushed the lock or taken it away.
func (x *tx) commitAlone(ctx context.Context, ch *change) error {
	var c int64
	var r *stored
	var g errgroup.Group
	g.Go(guard.Func(func() (err error) {
		c, err = x.s.oracle.take(ctx)
		return err
	}))
	rows, err := ch.t.get(ctx, ch.key)
	if err := cmpErr(g.Wait(), err); err != nil {
		x.unlock(ctx)
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), decisive)
	defer cancel()
	for r = rows[0]; ; {
		if r.lock == nil || r.lock.tx != x.id {
			return conflict(ch.t.name) // it had expired, and another has taken it away
		}
		if c <= r.lock.pushed {
			if c, err = x.s.oracle.take(ctx); err != nil {
				x.unlock(ctx)
				return err
			}
		}
		m := storage.CondMutation{Key: ch.key, Cond: r.lock.held(), Then: r.forward(ch.muts, x.id, c)}
		m.Cond.Timestamp = r.lock.pushed
		ok, err := storage.CheckAndMutateAgain(ctx, ch.t.base, &m)
		if ok {
			return nil
		}
		doubt := err != nil
		if doubt && storage.CodeOf(err) != storage.CodeAmbiguous {
			x.unlock(ctx)
			return err
		}
		if r, err = x.look(ctx, ch); err != nil {
			return unknown(ch.t.name, err)
		}
		if r.tx == x.id { // its answer was lost
			return nil
		}
		if doubt && (r.lock == nil || r.lock.tx != x.id) && r.version > c {
			return unknown(ch.t.name, nil) // others have written on
		}
		if r.lock != nil && r.lock.tx == x.id && !doubt {
			// It was pushed. Many readers may do so, one after another: a record takes that better.
			return x.commitRecorded(ctx, ch, r)
		}
	}
}

// commitRecorded goes on with a transaction of one row as if it had several.
func (x *tx) commitRecorded(ctx context.Context, ch *change, r *stored) error {
	held := r.lock.held()
	x.lock.alone = false
	x.lock.raw = x.lock.append(nil)
	m := storage.CondMutation{Key: ch.key, Cond: held, Then: []storage.Mutation{
		{Op: storage.SetCell, Family: lockCol.Family, Qualifier: lockCol.Qualifier, Timestamp: r.lock.pushed + step, Value: x.lock.raw, Latest: true},
		{Op: storage.SetCell, Family: changesCol.Family, Qualifier: changesCol.Qualifier, Timestamp: r.lock.pushed + step, Value: appendChanges(nil, ch.muts)}}}
	ok, err := storage.CheckAndMutateAgain(ctx, ch.t.base, &m)
	if err != nil {
		ok = storage.CodeOf(err) == storage.CodeAmbiguous
		if r, err := x.look(ctx, ch); err == nil && ok {
			ok = r.lock != nil && r.lock.tx == x.id && !r.lock.alone
		}
		if !ok {
			x.unlock(ctx)
			return err
		}
	}
	if !ok {
		return conflict(ch.t.name)
	}
	return x.commitAll(ctx)
}

// look reads the row again.
func (x *tx) look(ctx context.Context, ch *change) (*stored, error) {
	rows, err := ch.t.get(ctx, ch.key)
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

func unknown(table string, cause error) error {
	e := storage.Errorf(storage.CodeAmbiguous, storage.OpCommit, table, "it is not known whether the transaction was committed")
	e.Cause = cause
	return e
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

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

// behind changes the rows of a commit, and then removes its record. Nobody waits for it, but who wants
// to write one of the rows on this server.
func (x *tx) behind(ctx context.Context, c int64) {
	for _, ch := range x.changes {
		x.s.shared.behind.Store(pendingName(ch.t.name, ch.key), make(chan struct{}))
	}
	ctx, cancel := context.WithTimeout(storage.Unfenced(context.WithoutCancel(ctx)), time.Minute)
	x.s.background("writing a commit's rows", func() {
		defer cancel()
		byTable := map[string][]*change{}
		for _, ch := range x.changes {
			byTable[ch.t.name] = append(byTable[ch.t.name], ch)
		}
		ended := func(ch *change) {
			if done, ok := x.s.shared.behind.LoadAndDelete(pendingName(ch.t.name, ch.key)); ok {
				close(done.(chan struct{}))
			}
		}
		defer func() {
			for _, ch := range x.changes {
				ended(ch)
			}
		}()
		var failed error
		for _, list := range byTable {
			keys := make([][]byte, len(list))
			for i, ch := range list {
				keys[i] = ch.key
			}
			rows, err := list[0].t.get(ctx, keys...)
			if err != nil {
				failed = err
				continue
			}
			part := &tx{s: x.s, changes: list}
			err = part.each(func(ch *change) error {
				defer ended(ch)
				r := rows[slices.Index(list, ch)]
				if r.lock == nil || r.lock.tx != x.id {
					return nil
				}
				return ch.t.end(ctx, ch.key, r.lock, r.forward(ch.muts, x.id, c))
			})
			failed = cmpErr(failed, err)
		}
		if failed == nil {
			failed = x.s.forget(ctx, x.id, state{committed, c})
		}
		if failed != nil { // readers and the sweep go on with it
			x.s.log.Debug("a commit's rows are not all written", "err", failed)
		}
	})
}

func pendingName(table string, key []byte) string { return table + "\x00" + string(key) }

// waitBehind bounds how long a writer waits for the rows of this server's commits.
const waitBehind = time.Second

// wait waits while this server is writing the row for a commit.
func (s *Store) wait(ctx context.Context, table string, key []byte) error {
	done, ok := s.shared.behind.Load(pendingName(table, key))
	if !ok {
		return nil
	}
	timer := time.NewTimer(waitBehind)
	defer timer.Stop()
	select {
	case <-done.(chan struct{}):
	case <-timer.C:
	case <-ctx.Done():
		return storage.CtxError(storage.OpCommit, table, ctx.Err())
	}
	return nil
}
