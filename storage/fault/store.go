package fault

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// Store implements storage.Store over another one. Rules may be changed while
// calls are under way.
type Store struct {
	inner storage.Store

	clock atomic.Pointer[func() time.Time]

	mu    sync.Mutex
	rules []*Rule
	calls map[string]int
	fired int
	stopped
}

var _ storage.Store = (*Store)(nil)

// Wrap gives inner with rules. Closing it closes inner.
func Wrap(inner storage.Store, rules ...Rule) *Store {
	s := &Store{inner: inner, calls: map[string]int{}}
	s.Add(rules...)
	return s
}

// SetClock gives the store a clock of its own, which shows what now gives, before anybody uses it.
func (s *Store) SetClock(now func() time.Time) { s.clock.Store(&now) }

// Add adds rules. A call meets the first that fits it.
func (s *Store) Add(rules ...Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rules {
		r.seen = 0
		s.rules = append(s.rules, &r)
	}
}

// Reset removes all rules and sets the counts to 0.
func (s *Store) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules, s.fired = nil, 0
	clear(s.calls)
}

// Calls is how many calls of an op were made, of those that reached the
// wrapper; "" counts all.
func (s *Store) Calls(op string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if op != "" {
		return s.calls[op]
	}
	n := 0
	for _, c := range s.calls {
		n += c
	}
	return n
}

// Fired is how many calls a rule has met.
func (s *Store) Fired() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fired
}

// meet counts a call and gives the rule that it meets, or nil. Every rule that
// fits counts the call. It returns when the store is not stopped.
func (s *Store) meet(op, table string, key []byte) *Rule {
	r := s.count(op, table, key)
	s.pass(r)
	return r
}

func (s *Store) count(op, table string, key []byte) *Rule {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[op]++
	var hit *Rule
	for _, r := range s.rules {
		if r.meets(op, table, key) && hit == nil {
			copied := *r
			hit = &copied
		}
	}
	if hit != nil {
		s.fired++
	}
	return hit
}

// around does a call that either happens or does not. write says whether
// losing its answer leaves doubt.
func (s *Store) around(ctx context.Context, op, table string, write bool, call func(context.Context) error) error {
	return s.meet(op, table, nil).around(ctx, op, table, write, call)
}

// around does a call as the rule says that it meets; nil is none.
func (r *Rule) around(ctx context.Context, op, table string, write bool, call func(context.Context) error) error {
	if r == nil {
		return call(ctx)
	}
	switch r.Do {
	case FailBefore:
		return r.fail(storage.CodeUnavailable, op, table)
	case Throttle:
		return r.throttle(op, table)
	case FailAfter:
		if err := call(ctx); err != nil {
			return err
		}
		if write {
			return r.fail(storage.CodeAmbiguous, op, table)
		}
		return r.fail(storage.CodeUnavailable, op, table)
	case Delay:
		if err := sleep(ctx, op, table, r.Delay); err != nil {
			return err
		}
	case CancelRace:
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		go cancel()
	}
	return call(ctx)
}

func sleep(ctx context.Context, op, table string, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return storage.CtxError(op, table, ctx.Err())
	}
}

// Caps implements storage.Store.
func (s *Store) Caps() storage.Caps {
	caps := s.inner.Caps()
	caps.Clock = caps.Clock || s.clock.Load() != nil
	return caps
}

// Close implements storage.Store.
func (s *Store) Close() error { return s.inner.Close() }

// Snapshot implements storage.Store; it gives the inner store's.
func (s *Store) Snapshot(ctx context.Context) (snap storage.Snapshot, err error) {
	err = s.around(ctx, storage.OpSnapshot, "", false, func(ctx context.Context) error {
		snap, err = s.inner.Snapshot(ctx)
		return err
	})
	if err != nil && snap != nil {
		snap.Close()
		snap = nil
	}
	return snap, err
}

// Load implements storage.Store. It gives the inner store's, whose faults come at CommitLoads.
func (s *Store) Load(ctx context.Context, table string, unique bool) (storage.Load, error) {
	return s.inner.Load(ctx, table, unique)
}

// CommitLoads implements storage.Store.
func (s *Store) CommitLoads(ctx context.Context, loads []storage.Load, opts storage.WriteOptions) error {
	return s.around(ctx, storage.OpCommit, "", true, func(ctx context.Context) error { return s.inner.CommitLoads(ctx, loads, opts) })
}

// Compact implements storage.Store.
func (s *Store) Compact(ctx context.Context, table string) error {
	return s.around(ctx, storage.OpCompact, table, false, func(ctx context.Context) error { return s.inner.Compact(ctx, table) })
}

// Batch implements storage.Store. Its faults come at Commit.
func (s *Store) Batch() (storage.Batch, error) {
	b, err := s.inner.Batch()
	if err != nil {
		return nil, err
	}
	return &batch{b, s}, nil
}

type batch struct {
	inner storage.Batch
	s     *Store
}

func (b *batch) Mutate(table string, rows []storage.RowMutation) error {
	return b.inner.Mutate(table, rows)
}
func (b *batch) Close() error { return b.inner.Close() }

func (b *batch) Commit(ctx context.Context, opts storage.WriteOptions) error {
	return b.s.around(ctx, storage.OpCommit, "", true, func(ctx context.Context) error { return b.inner.Commit(ctx, opts) })
}

// Table implements storage.Store.
func (s *Store) Table(name string) storage.Table {
	return &table{s.inner.Table(name), s, name}
}

// Admin implements storage.Store.
func (s *Store) Admin() storage.Admin { return admin{s.inner.Admin(), s} }

type admin struct {
	inner storage.Admin
	s     *Store
}

func (a admin) CreateTable(ctx context.Context, spec storage.TableSpec) error {
	return a.s.around(ctx, storage.OpCreateTable, spec.Name, true, func(ctx context.Context) error { return a.inner.CreateTable(ctx, spec) })
}

func (a admin) AlterTable(ctx context.Context, spec storage.TableSpec) error {
	return a.s.around(ctx, storage.OpAlterTable, spec.Name, true, func(ctx context.Context) error { return a.inner.AlterTable(ctx, spec) })
}

func (a admin) DropTable(ctx context.Context, name string) error {
	return a.s.around(ctx, storage.OpDropTable, name, true, func(ctx context.Context) error { return a.inner.DropTable(ctx, name) })
}

func (a admin) Truncate(ctx context.Context, name string) error {
	return a.s.around(ctx, storage.OpTruncate, name, true, func(ctx context.Context) error { return a.inner.Truncate(ctx, name) })
}

func (a admin) Tables(ctx context.Context) (specs []storage.TableSpec, err error) {
	err = a.s.around(ctx, storage.OpTables, "", false, func(ctx context.Context) error {
		specs, err = a.inner.Tables(ctx)
		return err
	})
	if err != nil {
		specs = nil
	}
	return specs, err
}
