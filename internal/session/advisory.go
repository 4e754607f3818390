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
	defer txn.Waiting(ctx, txn.ForAdvisory)()
	ok, err := s.db.advisory.Take(ctx, s, key, advisory.Options{
		Shared: shared, Wait: wait, Timeout: s.durationSetting("lock_timeout"), Book: s.bookAdvisory,
	})
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

// bookAdvisory counts a lock that s has the table hold, which all sessions share.
func (s *Session) bookAdvisory() error {
	err := s.held.Need(advisory.Bytes)
	if err == nil {
		s.advisories++
	}
	return err
}

// AdvisoryUnlock gives a lock of the session back; false, with a warning, where it has none.
func (f sessionFuncs) AdvisoryUnlock(key expr.AdvisoryKey, shared bool) bool {
	s := f.s
	i := slices.Index(s.advisory, heldAdvisory{key, shared})
	if i >= 0 {
		s.advisory = slices.Delete(s.advisory, i, i+1)
		return s.db.advisory.Give(s, key, shared)
	}
	mode := "ExclusiveLock"
	if shared {
		mode = "ShareLock"
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
	for _, h := range list[n:] {
		s.db.advisory.Give(s, h.key, h.shared)
	}
	if len(s.advisory)+len(s.tx.advisory) == len(list)-n && s.advisories > 0 {
		_ = s.held.Need(-advisory.Bytes * int64(s.advisories)) // less cannot fail
		s.advisories = 0
	}
	return list[:n]
}

// endAdvisory gives back the transaction's locks.
func (s *Session) endAdvisory() { s.tx.advisory = s.dropAdvisory(s.tx.advisory, 0) }
