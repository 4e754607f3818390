package txn

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// autoStore locks the rows of each write for the time of the call, so that it
// waits for transactions that wrote them. Reads are the store's own.
type autoStore struct{ m *Manager }

var _ storage.Store = (*autoStore)(nil)

// Table implements storage.Store.
func (s *autoStore) Table(name string) storage.Table {
	t := s.m.store.Table(name)
	if !s.m.atomic { // nothing is locked
		return s.m.logged(t, name)
	}
	return &autoTable{reads: reads{t}, m: s.m, name: name}
}

// Caps implements storage.Store.
func (s *autoStore) Caps() storage.Caps { return s.m.store.Caps() }

// Admin implements storage.Store.
func (s *autoStore) Admin() storage.Admin { return s.m.store.Admin() }

// Snapshot implements storage.Store.
func (s *autoStore) Snapshot(ctx context.Context) (storage.Snapshot, error) {
	return s.m.store.Snapshot(ctx)
}

// Batch implements storage.Store: several rows are written by a transaction.
func (s *autoStore) Batch() (storage.Batch, error) {
	return nil, storage.Unsupported("autocommit", storage.OpBatch, "batch: begin a transaction")
}

// Load implements storage.Store: many rows are written by a transaction. See Txn.Loads.
func (s *autoStore) Load(context.Context, string, bool) (storage.Load, error) {
	return nil, storage.Unsupported("autocommit", storage.OpLoad, "load: begin a transaction")
}

// CommitLoads implements storage.Store: see Load.
func (s *autoStore) CommitLoads(context.Context, []storage.Load, storage.WriteOptions) error {
	return storage.Unsupported("autocommit", storage.OpCommit, "load: begin a transaction")
}

// Compact implements storage.Store.
func (s *autoStore) Compact(ctx context.Context, table string) error {
	return s.m.store.Compact(ctx, table)
}

// Close implements storage.Store.
func (s *autoStore) Close() error { return s.m.store.Close() }

// reads passes on what only reads a table.
type reads struct{ of storage.Table }

func (r reads) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	return r.of.Scan(ctx, req)
}

func (r reads) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	return r.of.MultiGet(ctx, keys, req, dst)
}

func (r reads) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, bool, error) {
	return r.of.ReadSpans(ctx, req, dst)
}

func (r reads) Tablets(ctx context.Context, span storage.Span) ([]storage.Tablet, error) {
	return r.of.Tablets(ctx, span)
}

func (r reads) Split(ctx context.Context, span storage.Span, most int) ([]storage.Span, error) {
	return r.of.Split(ctx, span, most)
}

func (r reads) Sample(ctx context.Context, span storage.Span, most int) (*storage.TableSample, error) {
	return r.of.Sample(ctx, span, most)
}

type autoTable struct {
	reads
	m    *Manager
	name string
}

var _ storage.Table = (*autoTable)(nil)

// Mutate implements storage.Table. Several rows are not written atomically.
func (t *autoTable) Mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	o := owner{who: waitsOf(ctx)}
	if err := t.join(ctx, &o, storage.OpMutate); err != nil {
		return err
	}
	defer t.m.locks.leave(&o, 0)
	if len(rows) == 1 {
		unlock, err := t.lock(ctx, &o, storage.OpMutate, rows[0].Key)
		if err != nil {
			return err
		}
		defer unlock()
	} else {
		order := make([]int, len(rows))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return bytes.Compare(rows[a].Key, rows[b].Key) })
		for _, i := range order {
			unlock, err := t.lock(ctx, &o, storage.OpMutate, rows[i].Key)
			if err != nil {
				return err
			}
			defer unlock()
		}
	}
	return t.m.logged(t.of, t.name).Mutate(ctx, t.restamp(rows), opts)
}

type timeoutKey struct{}

// WithLockTimeout bounds how long writes through Manager.Auto wait for a lock.
func WithLockTimeout(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, timeoutKey{}, d)
}

// restamp gives rows another timestamp where a later one was given to another
// write of the row before this one had its lock.
func (t *autoTable) restamp(rows []storage.RowMutation) []storage.RowMutation {
	out := rows
	for i := range rows {
		ts := timestampOf(rows[i].Mutations)
		if ts == 0 || t.m.clock.Latest(rows[i].Key, ts) {
			continue
		}
		if &out[0] == &rows[0] {
			out = slices.Clone(rows)
		}
		out[i].Mutations = stamped(rows[i].Mutations, t.m.clock.Next(rows[i].Key, ts))
	}
	return out
}

func stamped(muts []storage.Mutation, ts int64) []storage.Mutation {
	muts = slices.Clone(muts)
	for i := range muts {
		if muts[i].Op == storage.SetCell {
			muts[i].Timestamp = ts
		}
	}
	return muts
}

// CheckAndMutate implements storage.Table.
func (t *autoTable) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	o := owner{who: waitsOf(ctx)}
	if err := t.join(ctx, &o, storage.OpCheckAndMutate); err != nil {
		return false, err
	}
	defer t.m.locks.leave(&o, 0)
	unlock, err := t.lock(ctx, &o, storage.OpCheckAndMutate, m.Key)
	if err != nil {
		return false, err
	}
	defer unlock()
	then, els := timestampOf(m.Then), timestampOf(m.Else)
	if ts := max(then, els); ts != 0 && !t.m.clock.Latest(m.Key, ts) {
		fresh := t.m.clock.Next(m.Key, ts)
		m = &storage.CondMutation{Key: m.Key, Cond: m.Cond, Then: stamped(m.Then, fresh), Else: stamped(m.Else, fresh)}
	}
	return t.m.logged(t.of, t.name).CheckAndMutate(ctx, m)
}

// Increment implements storage.Table. It takes no lock: no transaction writes what it adds to.
func (t *autoTable) Increment(ctx context.Context, key []byte, col storage.Col, delta int64) (int64, error) {
	return t.of.Increment(ctx, key, col, delta)
}

// Clock implements storage.Table.
func (t *autoTable) Clock(ctx context.Context, key []byte, col storage.Col) (time.Time, error) {
	return t.of.Clock(ctx, key, col)
}

// DeleteSpan implements storage.Table: it waits until nobody holds rows of the table.
func (t *autoTable) DeleteSpan(ctx context.Context, span storage.Span) error {
	release, err := t.m.Alone(ctx, t.name)
	if err != nil {
		return lockError(ctx, storage.OpDeleteSpan, t.name, err)
	}
	defer release()
	return t.of.DeleteSpan(ctx, span)
}

func (t *autoTable) join(ctx context.Context, o *owner, op string) error {
	if err := t.m.locks.join(ctx, o, t.name, 0); err != nil {
		return lockError(ctx, op, t.name, err)
	}
	return nil
}

func (t *autoTable) lock(ctx context.Context, o *owner, op string, key []byte) (unlock func(), err error) {
	name := lockName(make([]byte, 0, 128), t.name, key)
	// The name is never written again, so that the lock may keep it.
	taken, _, err := t.m.locks.acquire(ctx, o, name, stringOf, 0)
	if err != nil {
		return nil, lockError(ctx, op, t.name, err)
	}
	if !taken {
		return func() {}, nil
	}
	return func() { t.m.locks.release(o, name) }, nil
}
