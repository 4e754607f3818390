package session

import (
	"strings"
	"sync"
	"time"

	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage/txn"
)

// activity is what other sessions may see of one: pg_stat_activity.
type activity struct {
	mu          sync.Mutex
	application string
	query       string
	text        string    // that the client sent, with the statement that runs
	started     time.Time // the session
	transaction time.Time
	queryStart  time.Time
	changed     time.Time
	status      TxStatus
	active      bool
	plans       []*plan.Plan // of the statement that runs, or of the transaction
}

// shownQuery is how many bytes of a statement are shown.
const shownQuery = 1024

// beginActivity notes that a statement runs, and since when.
func (s *Session) beginActivity(text, whole string) time.Time {
	a, transaction := &s.activity, s.tx.start
	if len(text) > shownQuery {
		text = strings.ToValidUTF8(strings.Clone(text[:shownQuery]), "")
	}
	now := s.db.opts.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.transaction = transaction; transaction.IsZero() {
		a.transaction = now
	}
	a.query, a.text, a.queryStart, a.changed, a.active = text, whole, now, now, true
	return now
}

// endActivity notes that it has ended, and when, and the state of the transaction.
func (s *Session) endActivity() time.Time {
	a, now := &s.activity, s.db.opts.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changed, a.active, a.status, a.transaction, a.text = now, false, s.tx.status, s.tx.start, ""
	if a.status == TxIdle {
		clear(a.plans)
		a.plans = a.plans[:0]
	}
	return now
}

// CurrentQuery is current_query().
func (f sessionFuncs) CurrentQuery() string {
	a := &f.s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text
}

// noteName takes the name of the application over where it may have changed: on the
// goroutine that changes a setting, which in a COPY is not the one that begins and ends.
func (s *Session) noteName() {
	name, _ := s.Setting("application_name")
	s.activity.mu.Lock()
	s.activity.application = name
	s.activity.mu.Unlock()
}

func (a *activity) state() string {
	switch {
	case a.active:
		return "active"
	case a.status == TxActive:
		return "idle in transaction"
	case a.status == TxFailed:
		return "idle in transaction (aborted)"
	}
	return "idle"
}

// waitEvents are wait_event_type and wait_event, by PostgreSQL's names where it has them.
var waitEvents = [...][2]string{
	txn.ForNothing: {}, txn.ForLock: {"Lock", "transactionid"}, txn.ForAdvisory: {"Lock", "advisory"}, txn.ForTimestamp: {"Timeout", "RowTimestamp"},
}

// shown is the session as pg_stat_activity shows it.
func (s *Session) shown() pgcatalog.Activity {
	a := &s.activity
	a.mu.Lock()
	defer a.mu.Unlock()
	state := a.state()
	wait := [2]string{"Client", "ClientRead"}
	if state == "active" {
		wait = waitEvents[s.waits.Now()]
	}
	return pgcatalog.Activity{
		PID: s.opts.BackendPID, User: s.opts.User, Database: s.opts.Database, Application: a.application, Client: s.opts.Client, Server: s.opts.Server,
		Started: a.started, Transaction: a.transaction, QueryStart: a.queryStart, Changed: a.changed, State: state, WaitType: wait[0], WaitEvent: wait[1], Query: a.query,
	}
}
