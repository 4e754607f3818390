package activity

import (
	"strings"
	"sync"
	"time"

	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage/txn"
)

// TxStatus is the transaction state as ReadyForQuery tells it.
type TxStatus byte

// The states of a session's transaction.
const (
	TxIdle   TxStatus = 'I' // no transaction block
	TxActive TxStatus = 'T' // in a block
	TxFailed TxStatus = 'E' // in a failed block: only its end is taken
)

// Activity is what a session does. It is safe for concurrent use once it is open.
type Activity struct {
	id      int64
	pid     int32
	started time.Time

	mu          sync.Mutex
	application string
	query       string
	sent        string // what the client has sent, with the statement that runs
	transaction time.Time
	queryStart  time.Time
	changed     time.Time
	status      TxStatus
	active      bool
	plans       []*plan.Plan // of the statement that runs, or of the transaction
}

// Open begins a session by its number and its process ID.
func (a *Activity) Open(id int64, pid int32, now time.Time) {
	a.id, a.pid, a.started, a.status, a.changed = id, pid, now, TxIdle, now
}

// shownQuery is how many bytes of a statement are shown.
const shownQuery = 1024

// Begin notes that a statement of what the client has sent runs since now; transaction is when
// that began, zero for none.
func (a *Activity) Begin(text, sent string, now, transaction time.Time) {
	if len(text) > shownQuery {
		text = strings.ToValidUTF8(strings.Clone(text[:shownQuery]), "")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.transaction = transaction; transaction.IsZero() {
		a.transaction = now
	}
	a.query, a.sent, a.queryStart, a.changed, a.active = text, sent, now, now, true
}

// End notes that it has ended, and the state of the transaction.
func (a *Activity) End(now time.Time, status TxStatus, transaction time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changed, a.active, a.status, a.transaction, a.sent = now, false, status, transaction, ""
	if a.status == TxIdle {
		clear(a.plans)
		a.plans = a.plans[:0]
	}
}

// Sent is what the client has sent with the statement that runs.
func (a *Activity) Sent() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sent
}

// Name notes the name of the application.
func (a *Activity) Name(application string) {
	a.mu.Lock()
	a.application = application
	a.mu.Unlock()
}

func (a *Activity) state() string {
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

// Show adds to whose session it is, and where, what pg_stat_activity shows of it; waits is what its
// statement waits for.
func (a *Activity) Show(to *pgcatalog.Activity, waits *txn.Waits) {
	a.mu.Lock()
	defer a.mu.Unlock()
	to.PID, to.Application, to.Started, to.Transaction, to.QueryStart, to.Changed = a.pid, a.application, a.started, a.transaction, a.queryStart, a.changed
	to.State, to.Query = a.state(), a.query
	wait := [2]string{"Client", "ClientRead"}
	if to.State == "active" {
		wait = waitEvents[waits.Now()]
	}
	to.WaitType, to.WaitEvent = wait[0], wait[1]
}

// Seen is what a program may know of a session of its DB.
type Seen struct {
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

// Seen gives it, of a user on a database.
func (a *Activity) Seen(user, database string) Seen {
	a.mu.Lock()
	defer a.mu.Unlock()
	return Seen{
		ID: a.id, User: user, Database: database, ApplicationName: a.application, Started: a.started,
		Tx: a.status, Running: a.active, Query: a.query, QueryStart: a.queryStart,
	}
}
