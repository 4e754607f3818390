package advisory

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Table holds the locks of keys K that sessions S take. The zero value is empty; its methods
// are safe for concurrent use.
type Table[S, K comparable] struct {
	mu    sync.Mutex
	locks map[K]*lock[S, K]
	waits map[S]*wait[S, K] // a session waits for one lock at a time
	// beyond are the locks that sessions are granted here, while others are asked: Options.Beyond.
	beyond map[S]*wait[S, K]
}

type lock[S, K comparable] struct {
	holders map[S]*Hold
	queue   []*wait[S, K]
}

// Hold counts how often a session holds a lock.
type Hold struct{ Exclusive, Shared int }

func (h *Hold) conflicts(shared bool) bool { return h.Exclusive > 0 || !shared && h.Shared > 0 }

type wait[S, K comparable] struct {
	s       S
	key     K
	shared  bool
	since   time.Time
	granted chan struct{}
}

// free says that s could have the lock now. Who holds it already does not queue.
func (l *lock[S, K]) free(s S, shared bool, ahead []*wait[S, K]) bool {
	for other, h := range l.holders {
		if other != s && h.conflicts(shared) {
			return false
		}
	}
	if l.holders[s] != nil {
		return true
	}
	for _, w := range ahead {
		if !w.shared || !shared {
			return false
		}
	}
	return true
}

func (l *lock[S, K]) grant(s S, shared bool) {
	h := l.holders[s]
	if h == nil {
		h = &Hold{}
		l.holders[s] = h
	}
	if shared {
		h.Shared++
	} else {
		h.Exclusive++
	}
}

// Options say how a lock is taken.
type Options struct {
	Shared  bool
	Wait    bool          // where it is not free
	Timeout time.Duration // of the wait: 55P03; 0 is none
	Book    func() error  // called where the table grows by a lock; what it gives refuses it
	// Beyond, where set, asks those who are not in this table for a lock that is granted here. It
	// waits where Wait is set, until ctx ends, and gives false where it is not free.
	Beyond func(ctx context.Context) (bool, error)
}

// Take takes a lock for s; false where it is not free and Wait is not asked for. 40P01 where
// others wait for s.
func (a *Table[S, K]) Take(ctx context.Context, s S, key K, o Options) (bool, error) {
	if o.Timeout > 0 && o.Wait {
		// No deadline, which would end calls of Beyond before it, for another cause.
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		late := time.AfterFunc(o.Timeout, func() {
			cancel(sqlerr.New(sqlerr.LockNotAvailable, "canceling statement due to lock timeout"))
		})
		defer late.Stop()
	}
	ok, err := a.take(ctx, s, key, o)
	if !ok || err != nil || o.Beyond == nil {
		return ok, err
	}
	a.mu.Lock()
	a.beyond[s] = &wait[S, K]{s: s, key: key, shared: o.Shared, since: time.Now()}
	a.mu.Unlock()
	ok, err = o.Beyond(ctx)
	a.mu.Lock()
	delete(a.beyond, s)
	a.mu.Unlock()
	if !ok || err != nil {
		a.Give(s, key, o.Shared)
		return false, err
	}
	return true, nil
}

// take is Take among the sessions of this table.
func (a *Table[S, K]) take(ctx context.Context, s S, key K, o Options) (bool, error) {
	a.mu.Lock()
	if a.locks == nil {
		a.locks, a.waits, a.beyond = map[K]*lock[S, K]{}, map[S]*wait[S, K]{}, map[S]*wait[S, K]{}
	}
	l := a.locks[key]
	if l == nil {
		if err := o.Book(); err != nil {
			a.mu.Unlock()
			return false, err
		}
		l = &lock[S, K]{holders: map[S]*Hold{}}
		a.locks[key] = l
	}
	if l.free(s, o.Shared, l.queue) {
		l.grant(s, o.Shared)
		a.mu.Unlock()
		return true, nil
	}
	if !o.Wait {
		a.mu.Unlock()
		return false, nil
	}
	w := &wait[S, K]{s: s, key: key, shared: o.Shared, since: time.Now(), granted: make(chan struct{})}
	a.waits[s] = w
	l.queue = append(l.queue, w)
	if a.circle(s) {
		a.leave(w)
		a.mu.Unlock()
		return false, Deadlock()
	}
	a.mu.Unlock()
	select {
	case <-w.granted:
		return true, nil
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-w.granted:
		return true, nil // just now
	default:
	}
	a.leave(w)
	return false, context.Cause(ctx)
}

// Deadlock is 40P01, for a wait that closes a circle of waits.
func Deadlock() error {
	return sqlerr.New(sqlerr.DeadlockDetected, "deadlock detected").
		WithDetail("The session waits for an advisory lock, and another session that holds it waits for this one.")
}

// Bytes is what a lock takes.
const Bytes = 512

// leave takes a wait out of its queue; who stood behind it may go on.
func (a *Table[S, K]) leave(w *wait[S, K]) {
	l := a.locks[w.key]
	delete(a.waits, w.s)
	l.queue = slices.DeleteFunc(l.queue, func(q *wait[S, K]) bool { return q == w })
	a.wake(w.key)
}

// wake grants a lock to those at the head of its queue who can have it.
func (a *Table[S, K]) wake(key K) {
	l := a.locks[key]
	for len(l.queue) > 0 && l.free(l.queue[0].s, l.queue[0].shared, nil) {
		w := l.queue[0]
		l.queue = l.queue[1:]
		delete(a.waits, w.s)
		l.grant(w.s, w.shared)
		close(w.granted)
	}
	if len(l.holders) == 0 && len(l.queue) == 0 {
		delete(a.locks, key)
	}
}

// circle says that s waits, through others, for itself.
func (a *Table[S, K]) circle(s S) bool {
	seen := map[S]bool{}
	var reaches func(S) bool
	reaches = func(from S) bool {
		return slices.ContainsFunc(a.blockers(from), func(by S) bool {
			if by == s {
				return true
			}
			if seen[by] {
				return false
			}
			seen[by] = true
			return reaches(by)
		})
	}
	return reaches(s)
}

// Blockers lists who holds the lock that s waits for, or waits for it before s, in a mode that
// keeps s from it.
func (a *Table[S, K]) Blockers(s S) []S {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.blockers(s)
}

func (a *Table[S, K]) blockers(s S) []S {
	w := a.waits[s]
	if w == nil {
		return nil
	}
	l := a.locks[w.key]
	var by []S
	for other, h := range l.holders {
		if other != s && h.conflicts(w.shared) {
			by = append(by, other)
		}
	}
	for _, q := range l.queue {
		if q == w {
			break
		}
		if q.s != s && (!q.shared || !w.shared) {
			by = append(by, q.s)
		}
	}
	return by
}

// Give gives a lock back once; false where s does not hold it so.
func (a *Table[S, K]) Give(s S, key K, shared bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.locks[key]
	if l == nil || l.holders[s] == nil {
		return false
	}
	h := l.holders[s]
	n := &h.Exclusive
	if shared {
		n = &h.Shared
	}
	if *n == 0 {
		return false
	}
	*n--
	if h.Exclusive+h.Shared == 0 {
		delete(l.holders, s)
	}
	a.wake(key)
	return true
}

// Entry is a session that holds a lock, or that waits for it: Held is nil.
type Entry[S, K comparable] struct {
	Session S
	Key     K
	Held    *Hold
	Shared  bool      // what it waits for
	Since   time.Time // it waits
}

// The modes of locks, as pg_locks names them.
const (
	Exclusive = "ExclusiveLock"
	Share     = "ShareLock"
)

// Modes are those that the session holds, or the one that it waits for, as pg_locks names them.
func (e *Entry[S, K]) Modes() (modes []string) {
	exclusive, shared := !e.Shared, e.Shared
	if e.Held != nil {
		exclusive, shared = e.Held.Exclusive > 0, e.Held.Shared > 0
	}
	if exclusive {
		modes = append(modes, Exclusive)
	}
	if shared {
		modes = append(modes, Share)
	}
	return modes
}

// Each shows the locks that there are, each session that holds one and then each that waits
// for it, in the order of the queue. The table does not change meanwhile: f must not call its
// methods.
func (a *Table[S, K]) Each(f func(Entry[S, K])) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, l := range a.locks {
		for s, h := range l.holders {
			w := a.beyond[s]
			if w == nil || w.key != key {
				f(Entry[S, K]{Session: s, Key: key, Held: h})
				continue
			}
			had := *h
			if w.shared {
				had.Shared--
			} else {
				had.Exclusive--
			}
			if had != (Hold{}) {
				f(Entry[S, K]{Session: s, Key: key, Held: &had})
			}
			f(Entry[S, K]{Session: s, Key: key, Shared: w.shared, Since: w.since})
		}
		for _, w := range l.queue {
			f(Entry[S, K]{Session: w.s, Key: key, Shared: w.shared, Since: w.since})
		}
	}
}
