package saltsql

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/saltsql/saltsql/internal/goapi"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
)

// DB is one store with its catalog. It is safe for concurrent use; sessions are not.
//
// Its Query, Exec and Copy methods run in a session of their own, so what they SET is
// gone afterwards; for transactions, settings and prepared statements use InTx or
// NewSession.
type DB struct{ db *session.DB }

func init() {
	session.Behind = func(db any) *session.DB { return db.(*DB).db }
}

// Open reads the catalog of store, or makes one in an empty store. The caller closes store
// after the DB. On a store with one process (pebble, mem) there may be one DB at a time.
// nil options are the defaults.
func Open(ctx context.Context, store storage.Store, opts *Options) (*DB, error) {
	db, err := session.Open(ctx, store, (*session.Options)(opts))
	if err != nil {
		return nil, outward(err)
	}
	return &DB{db}, nil
}

// Close cancels what runs and forbids new sessions. Sessions still have to be closed by who
// opened them; the store stays open.
func (db *DB) Close() error { return outward(db.db.Close()) }

// NewSession starts a session. A setting that is not one, or a bad value, is an error as
// SET would give.
func (db *DB) NewSession(opts SessionOptions) (*Session, error) {
	s, err := db.db.NewSession(opts.inward())
	if err != nil {
		return nil, outward(err)
	}
	return &Session{s}, nil
}

// Query runs one statement in a session of its own, which ends with the Rows. See
// Session.Query.
func (db *DB) Query(ctx context.Context, text string, args ...any) (*Rows, error) {
	r, err := goapi.QueryAlone(ctx, db.db, text, args...)
	if err != nil {
		return nil, outward(err)
	}
	return &Rows{r: r}, nil
}

// Exec runs a text of statements in a session of its own. See Session.Exec.
func (db *DB) Exec(ctx context.Context, text string, args ...any) (Tag, error) {
	tag, err := goapi.ExecAlone(ctx, db.db, text, args...)
	return Tag(tag), outward(err)
}

// alone runs f in a session of its own.
func (db *DB) alone(f func(*Session) (int64, error)) (int64, error) {
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	return f(s)
}

// CopyFrom is Session.CopyFrom in a session of its own.
func (db *DB) CopyFrom(ctx context.Context, text string, r io.Reader) (rows int64, err error) {
	return db.alone(func(s *Session) (int64, error) { return s.CopyFrom(ctx, text, r) })
}

// CopyRows is Session.CopyRows in a session of its own.
func (db *DB) CopyRows(ctx context.Context, text string, rows iter.Seq2[[]any, error]) (n int64, err error) {
	return db.alone(func(s *Session) (int64, error) { return s.CopyRows(ctx, text, rows) })
}

// CopyTo is Session.CopyTo in a session of its own.
func (db *DB) CopyTo(ctx context.Context, text string, w io.Writer) (rows int64, err error) {
	return db.alone(func(s *Session) (int64, error) { return s.CopyTo(ctx, text, w) })
}

// Activity tells of a session that is open.
type Activity struct {
	ID              int64 // for DB.Cancel
	User            string
	Database        string
	ApplicationName string
	Started         time.Time
	Tx              TxStatus
	Running         bool      // a statement runs now
	Query           string    // the statement that runs, or the last one
	QueryStart      time.Time // of Query; zero where there was none
}

// Sessions tells of the sessions that are open, the oldest first: those of NewSession, of
// database/sql, of servers of the protocol, and of the DB's own methods.
func (db *DB) Sessions() []Activity {
	var out []Activity
	for _, a := range db.db.Sessions() {
		out = append(out, Activity{
			ID: a.ID, User: a.User, Database: a.Database, ApplicationName: a.ApplicationName, Started: a.Started,
			Tx: TxStatus(a.Tx), Running: a.Running, Query: a.Query, QueryStart: a.QueryStart,
		})
	}
	return out
}

// Cancel makes the statement that a session runs fail with 57014; false where there is no
// session of that ID. It does nothing to one that runs no statement.
func (db *DB) Cancel(id int64) bool { return db.db.Cancel(id) }

// Stats are numbers for dashboards.
type Stats struct {
	Sessions int // open now
	Running  int // of these, with a statement that runs

	Memory      int64 // bytes that statements and sessions hold now
	MemoryLimit int64 // 0 is none

	Plans      int   // kept for reuse
	PlanBytes  int   // that plans and texts take, by estimate
	PlanHits   int64 // statements that found their plan, since Open
	PlanMisses int64 // statements that were planned

	// LockWaits is how many statements wait now for a row that another transaction has
	// written.
	LockWaits int64
	// TimestampWaits is how many writes have waited because their rows are written more
	// often than there are timestamps for: 1,000 a second for a row of an embedded store,
	// 62 for one that up to 16 servers share.
	TimestampWaits int64
	// EstimateCalls and EstimateRows are the storage calls and rows of looking at how
	// large tables are, since Open.
	EstimateCalls, EstimateRows int64
}

// Stats gives the numbers of now.
func (db *DB) Stats() Stats {
	sessions, plans, memory := db.db.Sessions(), db.db.PlanStats(), db.db.Memory()
	st := Stats{
		Sessions: len(sessions), Memory: memory.Used(), MemoryLimit: memory.Limit(),
		Plans: plans.Plans, PlanBytes: plans.Bytes, PlanHits: plans.Hits, PlanMisses: plans.Misses,
		LockWaits: db.db.LockWaits(), TimestampWaits: db.db.TimestampWaits(),
	}
	for _, s := range sessions {
		if s.Running {
			st.Running++
		}
	}
	st.EstimateCalls, st.EstimateRows = db.db.Estimates().Work()
	return st
}
