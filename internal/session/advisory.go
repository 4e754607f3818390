package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Advisory locks are names that sessions of one DB agree on: they lock nothing by
// themselves. They are granted in the order in which they were asked for, and a wait that
// would close a circle of them is 40P01.

// advisory is the table of a DB's locks.
type advisory struct {
	mu    sync.Mutex
	locks map[expr.AdvisoryKey]*advisoryLock
	waits map[*Session]*advisoryWait // a session waits for one lock at a time
}

type advisoryLock struct {
	holders map[*Session]*advisoryHold
	queue   []*advisoryWait
}

// advisoryHold counts how often a session holds a lock.
type advisoryHold struct{ exclusive, shared int }

func (h *advisoryHold) conflicts(shared bool) bool { return h.exclusive > 0 || !shared && h.shared > 0 }

type advisoryWait struct {
	s       *Session
	key     expr.AdvisoryKey
	shared  bool
	granted chan struct{}
}

// heldAdvisory is one time that a transaction has taken a lock.
type heldAdvisory struct {
	key    expr.AdvisoryKey
	shared bool
}

// free says that s could have the lock now. Who holds it already does not queue.
func (l *advisoryLock) free(s *Session, shared bool, ahead []*advisoryWait) bool {
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

func (l *advisoryLock) grant(s *Session, shared bool) {
	h := l.holders[s]
	if h == nil {
		h = &advisoryHold{}
		l.holders[s] = h
	}
	if shared {
		h.shared++
	} else {
		h.exclusive++
	}
}

// take takes a lock; false where it is not free and wait is not asked for.
func (a *advisory) take(ctx context.Context, s *Session, key expr.AdvisoryKey, shared, wait bool, timeout time.Duration) (bool, error) {
	a.mu.Lock()
	if a.locks == nil {
		a.locks, a.waits = map[expr.AdvisoryKey]*advisoryLock{}, map[*Session]*advisoryWait{}
	}
	l := a.locks[key]
	if l == nil {
		// The table is shared by all: what a session may put there is booked.
		if err := s.held.Need(advisoryBytes); err != nil {
			a.mu.Unlock()
			return false, err
		}
		l = &advisoryLock{holders: map[*Session]*advisoryHold{}}
		a.locks[key] = l
		s.advisories++
	}
	if l.free(s, shared, l.queue) {
		l.grant(s, shared)
		a.mu.Unlock()
		return true, nil
	}
	if !wait {
		a.mu.Unlock()
		return false, nil
	}
	w := &advisoryWait{s: s, key: key, shared: shared, granted: make(chan struct{})}
	a.waits[s] = w
	l.queue = append(l.queue, w)
	if a.circle(s) {
		a.leave(w)
		a.mu.Unlock()
		return false, sqlerr.New(sqlerr.DeadlockDetected, "deadlock detected").
			WithDetail("The session waits for an advisory lock, and another session that holds it waits for this one.")
	}
	a.mu.Unlock()
	var late <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		late = t.C
	}
	var err error
	select {
	case <-w.granted:
		return true, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-late:
		err = sqlerr.New(sqlerr.LockNotAvailable, "canceling statement due to lock timeout")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-w.granted:
		return true, nil // just now
	default:
	}
	a.leave(w)
	return false, err
}

// advisoryBytes is what a lock takes.
const advisoryBytes = 512

// leave takes a wait out of its queue; who stood behind it may go on.
func (a *advisory) leave(w *advisoryWait) {
	l := a.locks[w.key]
	delete(a.waits, w.s)
	l.queue = slices.DeleteFunc(l.queue, func(q *advisoryWait) bool { return q == w })
	a.wake(w.key)
}

// wake grants a lock to those at the head of its queue who can have it.
func (a *advisory) wake(key expr.AdvisoryKey) {
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
func (a *advisory) circle(s *Session) bool {
	seen := map[*Session]bool{}
	var reaches func(*Session) bool
	reaches = func(from *Session) bool {
		w := a.waits[from]
		if w == nil {
			return false
		}
		l := a.locks[w.key]
		blocks := func(by *Session) bool {
			if by == s {
				return true
			}
			if seen[by] {
				return false
			}
			seen[by] = true
			return reaches(by)
		}
		for other, h := range l.holders {
			if other != from && h.conflicts(w.shared) && blocks(other) {
				return true
			}
		}
		for _, q := range l.queue {
			if q == w {
				break
			}
			if q.s != from && (!q.shared || !w.shared) && blocks(q.s) {
				return true
			}
		}
		return false
	}
	return reaches(s)
}

// give gives a lock back once; false where s does not hold it so.
func (a *advisory) give(s *Session, key expr.AdvisoryKey, shared bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.locks[key]
	if l == nil || l.holders[s] == nil {
		return false
	}
	h := l.holders[s]
	n := &h.exclusive
	if shared {
		n = &h.shared
	}
	if *n == 0 {
		return false
	}
	*n--
	if h.exclusive+h.shared == 0 {
		delete(l.holders, s)
	}
	a.wake(key)
	return true
}

// AdvisoryLock takes an advisory lock for the session, or where xact is set for its
// transaction; false where it is not free and wait is not asked for.
func (f sessionFuncs) AdvisoryLock(ctx context.Context, key expr.AdvisoryKey, shared, xact, wait bool) (bool, error) {
	s := f.s
	if s.db.shared && !s.toldAdvisory {
		s.toldAdvisory = true
		s.notice(sqlerr.Notice(sqlerr.Warning, "advisory locks hold among the sessions of this server only").
			WithHint("Between servers, INSERT a row with the lock's name as its key, which one of them can, and DELETE it."))
	}
	ok, err := s.db.advisory.take(ctx, s, key, shared, wait, s.durationSetting("lock_timeout"))
	if !ok || err != nil {
		return false, err
	}
	if h := (heldAdvisory{key, shared}); xact {
		s.tx.advisory = append(s.tx.advisory, h)
	} else {
		s.advisory = append(s.advisory, h)
	}
	return true, nil
}

// AdvisoryUnlock gives a lock of the session back; false, with a warning, where it has none.
func (f sessionFuncs) AdvisoryUnlock(key expr.AdvisoryKey, shared bool) bool {
	s := f.s
	i := slices.Index(s.advisory, heldAdvisory{key, shared})
	if i >= 0 {
		s.advisory = slices.Delete(s.advisory, i, i+1)
		return s.db.advisory.give(s, key, shared)
	}
	mode := "ExclusiveLock"
	if shared {
		mode = "ShareLock"
	}
	s.notice(warning(sqlerr.Warning, "you don't own a lock of type %s", mode))
	return false
}

// AdvisoryUnlockAll gives all locks of the session back.
func (f sessionFuncs) AdvisoryUnlockAll() { f.s.advisory = f.s.dropAdvisory(f.s.advisory, 0) }

// dropAdvisory gives back all but the first n.
func (s *Session) dropAdvisory(list []heldAdvisory, n int) []heldAdvisory {
	if len(list) <= n {
		return list
	}
	for _, h := range list[n:] {
		s.db.advisory.give(s, h.key, h.shared)
	}
	if len(s.advisory)+len(s.tx.advisory) == len(list)-n && s.advisories > 0 {
		_ = s.held.Need(-advisoryBytes * int64(s.advisories)) // less cannot fail
		s.advisories = 0
	}
	return list[:n]
}

// endAdvisory gives back the transaction's locks.
func (s *Session) endAdvisory() { s.tx.advisory = s.dropAdvisory(s.tx.advisory, 0) }
