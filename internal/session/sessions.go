package session

import (
	"cmp"
	"slices"
	"time"
)

// Activity is what a program may know of a session of its DB.
type Activity struct {
	ID              int64
	User            string
	Database        string
	ApplicationName string
	Started         time.Time
	Tx              TxStatus  // as of the last statement's end
	Running         bool      // a statement runs now
	Query           string    // the statement that runs, or ran last; its beginning where it is long
	QueryStart      time.Time // of Query; zero where there was none
}

// ID numbers the sessions of a DB from 1.
func (s *Session) ID() int64 { return s.id }

// Activity may be called from any goroutine.
func (s *Session) Activity() Activity {
	a := &s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	return Activity{
		ID: s.id, User: s.opts.User, Database: s.opts.Database, ApplicationName: a.application, Started: a.started,
		Tx: a.status, Running: a.active, Query: a.query, QueryStart: a.queryStart,
	}
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
