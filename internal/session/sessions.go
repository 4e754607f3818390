package session

import (
	"cmp"
	"slices"
	"time"

	"github.com/saltsql/saltsql/internal/activity"
)

// Activity is what a program may know of a session of its DB.
type Activity = activity.Seen

// ID numbers the sessions of a DB from 1.
func (s *Session) ID() int64 { return s.id }

// Activity may be called from any goroutine.
func (s *Session) Activity() Activity { return s.activity.Seen(s.opts.User, s.opts.Database) }

// beginActivity notes that a statement of a text that the client has sent runs, and since when.
func (s *Session) beginActivity(text, sent string) time.Time {
	now := s.db.opts.Now()
	s.activity.Begin(text, sent, now, s.tx.start)
	return now
}

// endActivity notes that it has ended, and when, and the state of the transaction.
func (s *Session) endActivity() time.Time {
	now := s.db.opts.Now()
	s.activity.End(now, s.tx.status, s.tx.start)
	return now
}

// CurrentQuery is current_query().
func (f sessionFuncs) CurrentQuery() string { return f.s.activity.Sent() }

// noteName takes the name of the application over where it may have changed: on the
// goroutine that changes a setting, which in a COPY is not the one that begins and ends.
func (s *Session) noteName() {
	name, _ := s.Setting("application_name")
	s.activity.Name(name)
}

// Sessions tells of the sessions that are open, in the order in which they began.
func (db *DB) Sessions() []Activity {
	db.mu.Lock()
	defer db.mu.Unlock()
	list := make([]Activity, 0, len(db.sessions))
	for s := range db.sessions {
		list = append(list, s.Activity())
	}
	slices.SortFunc(list, func(a, b Activity) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// Cancel cancels the statement that the session of that ID runs; false where there is no
// such session.
func (db *DB) Cancel(id int64) bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	for s := range db.sessions {
		if s.id == id {
			s.Cancel()
			return true
		}
	}
	return false
}

// Ended says that the session can run nothing any more.
func (s *Session) Ended() bool { return s.ctx.Err() != nil }
