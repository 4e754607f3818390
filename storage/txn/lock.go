package txn

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const lockShards = 64

// lockTable holds the row locks of one store. A lock is free, or has one owner
// and a queue of waiters; it is handed to the first waiter when it is
// released.
//
// Deadlocks are found when a wait begins: an owner waits for one lock at a
// time, of a row or of a table, and a new holder waits for none, so that a circle
// can only close then.
// The order of mutexes is waits, then a shard's. Who finds the lock free never
// takes waits; a lock's owner and queue change under both while it has waiters.
type lockTable struct {
	seed    maphash.Seed
	shards  [lockShards]lockShard
	waits   sync.Mutex
	blocked map[*owner]time.Time     // who waits, since when; under waits
	claims  atomic.Pointer[[]*claim] // see claim; the list is never changed in place
	entries atomic.Int64             // locks in all shards
	waiting atomic.Int64             // who waits for a lock
}

type lockShard struct {
	mu    sync.Mutex
	locks map[string]*lock
	free  []*lock // spare
	slab  []lock  // of which new ones are cut

	tables map[string]*tableLock
	spare  *tableLock
	_      [64]byte
}

type lock struct {
	owner *owner
	queue []*waiter
}

type waiter struct {
	owner   *owner
	granted chan struct{}
	err     error // in place of the lock; set before granted is closed
}

// owner is who can hold locks: a transaction, or one write outside of any. It
// asks for one lock at a time.
type owner struct {
	waitsFor *lock         // under lockTable.waits
	queued   *tableLock    // that it waits for; under lockTable.waits
	who      *Waits        // of whom it is; nil is nobody whom others ask for
	tables   []*tableLock  // that it has, in the order taken
	first    [4]*tableLock // what tables starts as
}

func newLockTable() *lockTable {
	t := &lockTable{seed: maphash.MakeSeed(), blocked: map[*owner]time.Time{}}
	t.claims.Store(new([]*claim))
	for i := range t.shards {
		t.shards[i].locks, t.shards[i].tables = map[string]*lock{}, map[string]*tableLock{}
	}
	return t
}

// lockName appends the name of a row's lock. Table names hold no 00.
func lockName(dst []byte, table string, key []byte) []byte {
	dst = append(append(dst, table...), 0)
	return append(dst, key...)
}

func (t *lockTable) hash(name []byte) uint64 { return maphash.Bytes(t.seed, name) }

func (t *lockTable) shard(hash uint64) *lockShard { return &t.shards[hash%lockShards] }

// acquire takes the lock for o. keep gives a name that lives on, and is called
// where the lock is new. taken is false if o held it already; waited
// says that it was not free. The timeout is await's.
func (t *lockTable) acquire(ctx context.Context, o *owner, name []byte, keep func([]byte) string, timeout time.Duration) (taken, waited bool, err error) {
	hash := t.hash(name)
	s := t.shard(hash)
	s.mu.Lock()
	taken, free := t.tryLocked(s, o, name, keep)
	s.mu.Unlock()
	queued := false
	if !free {
		if taken, queued, err = t.wait(ctx, o, name, keep, s, timeout); err != nil {
			return false, true, err
		}
		waited = true
	}
	// Who claims rows looks for their locks afterwards, and who makes one looks
	// for a claim afterwards: they cannot miss each other. A claim later than the
	// lock's entry is behind those in the queue.
	for taken && !queued {
		c := t.claimed(o, name, hash)
		if c == nil {
			break
		}
		if taken, queued, err = t.yield(ctx, o, name, s, timeout, c); err != nil {
			return false, true, err
		}
		waited = true
	}
	return taken, waited, nil
}

func (t *lockTable) tryLocked(s *lockShard, o *owner, name []byte, keep func([]byte) string) (taken, free bool) {
	l := s.locks[string(name)]
	switch {
	case l == nil:
		t.addLocked(s, o, keep(name))
		return true, true
	case l.owner == o:
		return false, true
	}
	return false, false
}

func (t *lockTable) addLocked(s *lockShard, o *owner, name string) {
	var l *lock
	if n := len(s.free); n > 0 {
		l, s.free = s.free[n-1], s.free[:n-1]
	} else {
		if len(s.slab) == 0 {
			s.slab = make([]lock, 32)
		}
		l, s.slab = &s.slab[0], s.slab[1:]
	}
	l.owner = o
	t.entries.Add(1) // first: see claim.add
	s.locks[name] = l
}

// wait waits for the lock, whoever has it. queued is false where it was free after all.
func (t *lockTable) wait(ctx context.Context, o *owner, name []byte, keep func([]byte) string, s *lockShard, timeout time.Duration) (taken, queued bool, err error) {
	t.waits.Lock()
	s.mu.Lock()
	if taken, free := t.tryLocked(s, o, name, keep); free {
		s.mu.Unlock()
		t.waits.Unlock()
		return taken, false, nil
	}
	taken, err = t.queue(ctx, o, name, s, timeout)
	return taken, true, err
}

// queue waits in the queue of a lock. The caller holds waits and the shard, and it gives
// both back.
func (t *lockTable) queue(ctx context.Context, o *owner, name []byte, s *lockShard, timeout time.Duration) (taken bool, err error) {
	l := s.locks[string(name)]
	w := &waiter{owner: o, granted: make(chan struct{})}
	l.queue = append(l.queue, w)
	s.mu.Unlock()
	if t.reaches(l.owner, o, nil) {
		t.leaveLocked(l, s, w)
		t.waits.Unlock()
		return false, ErrDeadlock
	}
	o.waitsFor = l
	t.waits.Unlock()

	if err = t.await(ctx, o, w.granted, timeout); err == nil {
		return w.err == nil, w.err
	}
	if t.giveUp(l, s, w) {
		return false, err
	}
	// It was granted at the same moment: the caller wants it no more.
	t.release(o, name)
	return false, err
}

// giveUp leaves the queue; false if the lock was granted before.
func (t *lockTable) giveUp(l *lock, s *lockShard, w *waiter) bool {
	t.waits.Lock()
	defer t.waits.Unlock()
	select {
	case <-w.granted:
		return false
	default:
	}
	t.leaveLocked(l, s, w)
	return true
}

// leaveLocked takes w out of the queue. The caller holds waits.
func (t *lockTable) leaveLocked(l *lock, s *lockShard, w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.queue = slices.DeleteFunc(l.queue, func(q *waiter) bool { return q == w })
	w.owner.waitsFor = nil
}

// blockers lists who is before o, which is in the queue. waits is held.
func (l *lock) blockers(o *owner) []*owner {
	out := []*owner{l.owner}
	for _, w := range l.queue {
		if w.owner == o {
			break
		}
		out = append(out, w.owner)
	}
	return out
}

// await has o wait for a lock. A timeout of 0 waits as long as ctx allows, and
// WithLockTimeout if it was used.
func (t *lockTable) await(ctx context.Context, o *owner, granted <-chan struct{}, timeout time.Duration) error {
	t.waiting.Add(1)
	defer t.waiting.Add(-1)
	defer Waiting(ctx, ForLock)()
	t.noteBlocked(o, true)
	defer t.noteBlocked(o, false)
	var expired <-chan time.Time
	if timeout == 0 {
		timeout, _ = ctx.Value(timeoutKey{}).(time.Duration)
	}
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-granted:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-expired:
		return ErrLockTimeout
	}
}

func (t *lockTable) noteBlocked(o *owner, waits bool) {
	t.waits.Lock()
	defer t.waits.Unlock()
	if waits {
		t.blocked[o] = time.Now()
	} else {
		delete(t.blocked, o)
	}
}

// release frees a lock that o holds, or hands it to the first waiter.
func (t *lockTable) release(o *owner, name []byte) {
	s := t.shard(t.hash(name))
	s.mu.Lock()
	l := s.locks[string(name)]
	if l == nil || l.owner != o {
		s.mu.Unlock()
		return
	}
	if len(l.queue) == 0 {
		t.freeLocked(s, l, name)
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()

	t.waits.Lock()
	defer t.waits.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(l.queue) == 0 { // they all gave up
		t.freeLocked(s, l, name)
		return
	}
	w := l.queue[0]
	l.queue = append(l.queue[:0], l.queue[1:]...)
	l.owner = w.owner
	w.owner.waitsFor = nil
	close(w.granted)
}

func (t *lockTable) freeLocked(s *lockShard, l *lock, name []byte) {
	delete(s.locks, string(name))
	t.entries.Add(-1)
	l.owner = nil
	if len(s.free) < 256 {
		s.free = append(s.free, l)
	}
}
