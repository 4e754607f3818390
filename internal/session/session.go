package session

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/activity"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/hypothetical"
	"github.com/saltsql/saltsql/internal/identity"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/notify"
	"github.com/saltsql/saltsql/internal/plancache"
	"github.com/saltsql/saltsql/internal/sequence"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/settings/parsed"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/temporary"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/txn"
)

// SessionOptions describe one client.
type SessionOptions struct {
	User            string // default: the bootstrap role, "saltsql" unless it was renamed
	Database        string // default "saltsql"
	ApplicationName string
	// Settings are run-time parameters to set at start ("timezone", …).
	Settings map[string]string
	// Notice is called with each notice, during the call that causes it.
	Notice func(*sqlerr.Error)
	// Waiting is called with a notice of what the call waits for, on the call's
	// goroutine, for who can show it while it goes on waiting; nil takes Notice.
	Waiting func(*sqlerr.Error)
	// ParameterStatus is called when a parameter that clients follow changes.
	ParameterStatus func(name, value string)
	// End ends the client's connection for a reason that it is told; nil ends the session alone.
	End func(cause *sqlerr.Error)
	// Notified is called when Notifications has something for a session that had nothing, on the
	// goroutine of whoever sent it; nil lets the session not LISTEN.
	Notified func()
	// BackendPID is what pg_backend_pid() answers.
	BackendPID int32
	// Client is where the client is; not valid where it is in this process or on a socket
	// of the machine.
	Client netip.AddrPort
	// Server is where such a client has connected to.
	Server netip.AddrPort
	// Parameter tells parameters of the server that the session is of, those with a Context; nil where
	// it is of none.
	Parameter func(name string) (value string, ok bool)
}

// Column describes one column of a result.
type Column struct {
	Name     string
	Type     types.T
	TableOID uint32 // 0 if computed
	Attnum   int16
}

// Session is one client's state: settings, transaction, prepared statements,
// portals. Its methods are not safe for concurrent use, except Cancel.
type Session struct {
	db   *DB
	opts SessionOptions
	id   int64

	ctx   context.Context // ends with the session
	began time.Time       // a statement, on a shared store
	close context.CancelCauseFunc

	values  settings.Values     // run-time parameters that are not at their default
	first   settings.BeginsWith // what they were at the session's start
	io      types.IOEnv
	read    *reading // made by reading
	stmts   map[string]*Stmt
	portals portals
	begun   int64 // portals so far
	drawn   sequence.Drawn

	generation     uint64 // grows when a setting changes
	limits         parsed.Settings
	waits          txn.Waits // of the statement that runs
	path           identity.Path
	held           memory.Account      // between statements
	booked         map[*Portal]int64   // of held, by portals with a name
	message        memory.Share        // of held: the message that is being read
	sending        memory.Share        // of held: rows on their way to the client
	writes         memory.Share        // of held: a transaction's
	parameters     memory.Share        // of held: values
	notified       memory.Share        // of held: notifications
	shown          shownRows           // rows whose ctid was selected
	writing        func(n int64) error // bookWrites
	advisory       []heldAdvisory      // the session's, beside its transaction's
	advisories     int                 // locks that held counts
	lockedBeyond   atomic.Int64        // of both, among servers
	toldAdvisory   bool
	suspended      *Portal  // the last to be
	suspendedBytes int64    // what DB.suspended counts for it
	coming         *running // the statement whose text has come, until it is bound
	spare          *running // that is over
	free           *Portal  // released
	shaped         map[*plancache.Shape]*Stmt
	uses           map[*tree.Statement]countedStmt
	noticed        func(*sqlerr.Error) // notice
	entering       enterFunc           // view.Enter
	trying         tryEnterFunc        // view.TryEnter
	view           temporary.View      // the database, with its temporary tables
	supposed       hypothetical.Indexes

	tx tx

	mu      sync.Mutex
	running *running // the statement that Cancel stops

	activity activity.Activity
	heat     heat.Counter
	random   expr.Random
	making   string // the schema whose elements CREATE SCHEMA is making

	who        identity.Identity
	notify     notify.Client
	toldNotify bool // that other servers are not reached
	unlisted   bool // no role is named after the user
}

// The causes a statement's context ends with.
var (
	errCanceled = op.ErrUserCancel
	errTimeout  = op.ErrStatementTimeout
	errClosed   = errors.New("session closed")
)

// NewSession starts a session. A setting that is not one, or a bad value, is
// an error as SET would give.
func (db *DB) NewSession(opts SessionOptions) (*Session, error) {
	if opts.User == "" {
		opts.User = db.catalog.Snapshot().RoleByID(catalog.BootstrapRole).Name
	}
	if opts.Database == "" {
		opts.Database = "saltsql"
	}
	login, role, err := db.admit(&opts)
	if err != nil {
		return nil, err
	}
	s := &Session{
		db: db, opts: opts, id: db.ids.Add(1), view: temporary.View{Base: db.catalog, BaseTxns: db.txns},
		stmts: map[string]*Stmt{},
	}
	s.heat = db.heat.Counter(s.id)
	s.ctx, s.close = context.WithCancelCause(txn.WithWaits(context.Background(), &s.waits))
	s.notify.Join(&db.channels, opts.Notified, s.bookNotify)
	s.who.Login, s.unlisted = login, role == nil
	s.noticed, s.entering, s.trying = s.notice, s.view.Enter, s.view.TryEnter
	s.tx.status = TxIdle
	s.activity.Open(s.id, opts.BackendPID, time.Now())
	s.held.Open(db.memory, 0, 0)
	s.writing = s.bookWrites
	s.applySettings()
	if opts.ApplicationName != "" {
		s.values.Set("application_name", opts.ApplicationName)
	}
	s.first = db.beginWith(role, opts.Settings)
	s.opts.Settings = nil
	for name := range opts.Settings { // the server's and the role's were somebody's to set
		if err := s.maySet(name); err != nil {
			return nil, err
		}
	}
	if err := s.first.Each(func(name, value string) error { return s.assignChecked(name, value, false) }); err != nil {
		return nil, err
	}
	s.noteName()
	if err := db.register(s); err != nil {
		return nil, err
	}
	if err := s.withinLimit(role); err != nil {
		return nil, err
	}
	return s, nil
}

// IOEnv is how values are printed and read in this session. It is valid until
// the next statement.
func (s *Session) IOEnv() *types.IOEnv {
	s.io.Names = names{s}
	return &s.io
}

// searchPath gives the schemas to look in, in order. It is never nil, which would
// be the default path: an empty one finds nothing.
func (s *Session) searchPath() []string {
	if i := s.identity(); !s.path.Current(i) {
		v, _ := s.Setting("search_path")
		s.path.Set(i, v)
	}
	return s.within(s.path.Names)
}

// within puts the schema whose elements are being made before a path.
func (s *Session) within(path []string) []string {
	if s.making == "" {
		return path
	}
	return append([]string{s.making}, path...)
}

// existingPath gives the schemas of the search path that exist: what current_schemas
// shows.
func (s *Session) existingPath() []string {
	s.searchPath()
	return s.within(s.path.Existing(s.snapshot()))
}

func (s *Session) notice(n *sqlerr.Error) {
	s.tell(n, s.opts.Notice)
}

// waiting is notice for what the client should know now.
func (s *Session) waiting(n *sqlerr.Error) {
	if s.opts.Waiting == nil {
		s.notice(n)
		return
	}
	s.tell(n, s.opts.Waiting)
}

// tell gives a notice to a client that wants to hear it.
func (s *Session) tell(n *sqlerr.Error, to func(*sqlerr.Error)) {
	if to == nil {
		return
	}
	min, _ := s.Setting("client_min_messages")
	if min == "error" || min == "warning" && n.Severity != sqlerr.SeverityWarning {
		return
	}
	to(n)
}

// Cancel makes the running statement fail with 57014. It may be called from
// any goroutine and does nothing when no statement runs.
func (s *Session) Cancel() { s.stop(errCanceled) }

// Terminate ends the running statement with the given cause and makes the
// session unusable. It may be called from any goroutine.
func (s *Session) Terminate(cause error) {
	s.stop(cause)
	s.close(cause)
}

func (s *Session) stop(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		s.running.cancel(cause)
	}
}

// Close rolls back and releases everything.
func (s *Session) Close() {
	for p := range s.portals.all {
		s.ClosePortal(p.name())
	}
	s.tx.rollback(s)
	s.view.Close()
	s.notify.Stop()
	s.Notifications()
	sessionFuncs{s}.AdvisoryUnlockAll()
	s.held.Close()
	s.close(errClosed)
	s.db.unregister(s)
}
