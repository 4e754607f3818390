package session

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/internal/advisory"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/txn"
)

// heldAdvisory is one time that a session or its transaction has taken a lock.
type heldAdvisory struct {
	key    expr.AdvisoryKey
	shared bool
	join   int64 // of this server's lease, by which it holds among servers
}

// AdvisoryLock takes an advisory lock for the session, or where xact is set for its
// transaction; false where it is not free and wait is not asked for.
func (f sessionFuncs) AdvisoryLock(ctx context.Context, key expr.AdvisoryKey, shared, xact, wait bool) (bool, error) {
	s := f.s
	h := heldAdvisory{key: key, shared: shared}
	o := advisory.Options{Shared: shared, Wait: wait, Timeout: s.durationSetting("lock_timeout"), Book: s.bookAdvisory}
	switch {
	case s.db.locks != nil:
		o.Beyond = func(ctx context.Context) (ok bool, err error) {
			h.join, ok, err = s.lockBeyond(ctx, key, shared, wait)
			return ok, err
		}
	case s.db.shared && !s.toldAdvisory:
		s.toldAdvisory = true
		s.notice(sqlerr.Notice(sqlerr.Warning, "advisory locks of a server that was started read-only hold among its own sessions only"))
	}
	defer txn.Waiting(ctx, txn.ForAdvisory)()
	ok, err := s.db.advisory.Take(ctx, s, key, o)
	if !ok || err != nil {
		s.unbookAdvisory(0)
		return false, err
	}
	if xact {
		s.tx.advisory = append(s.tx.advisory, h)
	} else {
		s.advisory = append(s.advisory, h)
	}
	return true, nil
}

// bookAdvisory counts a lock that s has the table hold, which all sessions share.
func (s *Session) bookAdvisory() error {
	err := s.held.Need(advisory.Bytes)
	if err == nil {
		s.advisories++
	}
	return err
}

// unbookAdvisory gives back what locks were counted for once the session holds none but n that it
// is about to give back.
func (s *Session) unbookAdvisory(n int) {
	if len(s.advisory)+len(s.tx.advisory) == n && s.advisories > 0 {
		_ = s.held.Need(-advisory.Bytes * int64(s.advisories)) // less cannot fail
		s.advisories = 0
	}
}

// AdvisoryUnlock gives a lock of the session back; false, with a warning, where it has none.
func (f sessionFuncs) AdvisoryUnlock(key expr.AdvisoryKey, shared bool) bool {
	s := f.s
	i := slices.IndexFunc(s.advisory, func(h heldAdvisory) bool { return h.key == key && h.shared == shared })
	if i >= 0 {
		s.giveAdvisory(s.advisory[i : i+1])
		s.advisory = slices.Delete(s.advisory, i, i+1)
		return true
	}
	mode := advisory.Exclusive
	if shared {
		mode = advisory.Share
	}
	s.notice(sqlerr.Warn(sqlerr.Warning, "you don't own a lock of type %s", mode))
	return false
}

// AdvisoryUnlockAll gives all locks of the session back.
func (f sessionFuncs) AdvisoryUnlockAll() { f.s.advisory = f.s.dropAdvisory(f.s.advisory, 0) }

// dropAdvisory gives back all but the first n.
func (s *Session) dropAdvisory(list []heldAdvisory, n int) []heldAdvisory {
	if len(list) <= n {
		return list
	}
	s.giveAdvisory(list[n:])
	s.unbookAdvisory(len(list) - n)
	return list[:n]
}

// giveAdvisory gives locks back, to other servers first: those of this server would go before them
// for ever.
func (s *Session) giveAdvisory(list []heldAdvisory) {
	s.unlockBeyond(list)
	for _, h := range list {
		s.db.advisory.Give(s, h.key, h.shared)
	}
}

// endAdvisory gives back the transaction's locks.
func (s *Session) endAdvisory() { s.tx.advisory = s.dropAdvisory(s.tx.advisory, 0) }
