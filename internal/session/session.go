package session

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/notify"
	"github.com/saltsql/saltsql/internal/plancache"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/temporary"
	"github.com/saltsql/saltsql/internal/types"
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
	// Unlisted lets the user in as a superuser where no role has its name: it has proved who
	// it is by what the catalog does not know of.
	Unlisted bool
	// Client is where the client is; not valid where it is in this process or on a socket
	// of the machine.
	Client netip.AddrPort
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

	values  settings.Values // run-time parameters that are not at their default
	io      types.IOEnv
	stmts   map[string]*Stmt
	portals map[string]*Portal
	begun   int64            // portals so far
	drawn   map[uint32]int64 // sequences: what this session drew last
	lastSeq uint32           // the sequence it drew from last; 0 is none

	generation uint64 // grows when a setting changes
	limits     limits
	path       struct {
		at       uint64 // the generation it was read at
		names    []string
		text     string            // names, quoted
		existing []string          // those of names that are schemas
		of       *catalog.Snapshot // that existing was read from
		seen     *catalog.Snapshot // whose rights names was read under
	}
	held         memory.Account      // between statements
	booked       map[*Portal]int64   // of held, by portals with a name
	message      memory.Share        // of held: the message that is being read
	sending      memory.Share        // of held: rows on their way to the client
	writes       memory.Share        // of held: a transaction's
	writing      func(n int64) error // bookWrites
	advisory     []heldAdvisory      // the session's, beside its transaction's
	advisories   int                 // locks that held counts
	toldAdvisory bool
	suspended    *Portal // the last to be
	spare        stopper // of a portal that is done
	shaped       map[*plancache.Shape]*Stmt
	noticed      func(*sqlerr.Error) // notice
	entering     enterFunc           // enter
	temp         *temporary.Tables   // nil where it has had no temporary table

	tx tx

	mu      sync.Mutex
	running *Portal // what Cancel stops

	activity activity

	who        identity
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
		db: db, opts: opts, id: db.ids.Add(1),
		stmts:   map[string]*Stmt{},
		portals: map[string]*Portal{},
		drawn:   map[uint32]int64{},
	}
	s.ctx, s.close = context.WithCancelCause(context.Background())
	s.notify.Join(&db.channels, opts.Notified)
	s.who.login, s.unlisted = login, role == nil
	s.noticed, s.entering = s.notice, s.enter
	s.tx.status = TxIdle
	s.activity.started, s.activity.status = time.Now(), TxIdle
	s.activity.changed = s.activity.started
	s.held.Open(db.memory, 0, 0)
	s.writing = s.bookWrites
	s.applySettings()
	if opts.ApplicationName != "" {
		s.values.Set("application_name", opts.ApplicationName)
	}
	s.opts.Settings = db.beginWith(opts.Settings)
	if role != nil {
		s.takeRoleSettings(role)
	}
	for name := range opts.Settings { // the server's and the role's were somebody's to set
		if err := s.maySet(name); err != nil {
			return nil, err
		}
	}
	for name, value := range s.opts.Settings {
		if err := s.assignChecked(name, value, false); err != nil {
			return nil, err
		}
	}
	s.noteName()
	if err := db.register(s, role); err != nil {
		return nil, err
	}
	return s, nil
}

// beginWith gives the settings that a session begins with, by their full names: the server's
// and, over them, the client's.
func (db *DB) beginWith(client map[string]string) map[string]string {
	if len(db.opts.Settings) == 0 && len(client) == 0 {
		return nil
	}
	all := make(map[string]string, len(db.opts.Settings)+len(client))
	for _, from := range []map[string]string{db.opts.Settings, client} {
		for name, value := range from {
			if def := settings.Find(name); def != nil {
				name = def.Name
			}
			all[name] = value
		}
	}
	return all
}

// Setting gives a run-time parameter's value; ok is false if there is none.
func (s *Session) Setting(name string) (value string, ok bool) {
	key := strings.ToLower(name)
	switch key {
	case "session_authorization", "role", "is_superuser":
		return s.identitySetting(key)
	}
	if v, ok := s.values.Get(key); ok {
		return v, true
	}
	switch key {
	case "transaction_isolation":
		return s.tx.isolation(s), true
	case "transaction_read_only":
		return onOff(s.tx.readOnly(s)), true
	}
	if def := settings.Find(key); def != nil {
		return def.Default, true
	}
	return "", s.values.Known(key)
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// maySet says that a parameter is one for superusers, and the session's role is none: 42501.
func (s *Session) maySet(name string) error {
	if def := settings.Find(name); def != nil && def.Superuser && !s.identity().superuser {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied to set parameter %q", def.Name)
	}
	return nil
}

// set assigns a parameter; local lasts until the transaction ends.
func (s *Session) set(name, value string, local bool) error {
	if err := s.maySet(name); err != nil {
		return err
	}
	return s.assignChecked(name, value, local)
}

// assignChecked is set for who need not be asked whether it may.
func (s *Session) assignChecked(name, value string, local bool) error {
	key := strings.ToLower(name)
	if key == "role" || key == "session_authorization" {
		return s.setRole(key, value, local)
	}
	def := settings.Find(key)
	if def == nil {
		if isCustom(key) {
			s.values.Know(key)
			s.assign(key, value, local)
			return nil
		}
		return sqlerr.New(sqlerr.UndefinedObject, "unrecognized configuration parameter %q", name)
	}
	if def.ReadOnly {
		return sqlerr.New(sqlerr.CantChangeRuntimeParam, "parameter %q cannot be changed", def.Name)
	}
	if def.Check != nil {
		v, err := def.Check(def.Name, value)
		if err != nil {
			return err
		}
		value = v
	}
	if done, err := s.tx.setMode(s, key, value); done || err != nil {
		return err
	}
	s.assign(key, value, local)
	s.changed(def)
	return nil
}

// isCustom says that a name which is not defined may be set all the same, as in PostgreSQL.
func isCustom(key string) bool {
	return strings.Contains(key, ".") && !strings.HasPrefix(key, "saltsql.")
}

// assign keeps a value. A lone statement is a transaction to it. COPY FROM calls it on a
// goroutine of its own, where a default sets a parameter.
func (s *Session) assign(key, value string, local bool) {
	s.mu.Lock()
	running := s.running != nil
	s.mu.Unlock()
	if running && !s.values.InTransaction() {
		s.values.Begin()
	}
	if local {
		s.values.SetLocal(key, value)
	} else {
		s.values.Set(key, value)
	}
}

// endSettings ends the transaction of the settings, and tells the client what it brings back.
func (s *Session) endSettings(committed bool) {
	if !s.values.InTransaction() {
		return
	}
	was := s.values.Mark()
	s.values.End(committed)
	s.reportChanges(was)
}

// reportChanges tells the client of parameters that differ from before.
func (s *Session) reportChanges(was settings.Mark) {
	now := s.values.Mark()
	if now.Same(was) {
		return
	}
	s.applySettings()
	if s.opts.ParameterStatus == nil {
		return
	}
	if valueOf(was, "role") != valueOf(now, "role") || valueOf(was, "session_authorization") != valueOf(now, "session_authorization") {
		s.opts.ParameterStatus("is_superuser", onOff(s.identity().superuser))
	}
	for _, def := range settings.Reported {
		key := strings.ToLower(def.Name)
		is, set := s.values.Get(key)
		if before, had := was.Get(key); is != before || set != had {
			v, _ := s.Setting(key)
			s.opts.ParameterStatus(def.Name, v)
		}
	}
}

// reset puts a parameter back to its default; local lasts until the transaction ends.
func (s *Session) reset(name string, local bool) error {
	if err := s.maySet(name); err != nil {
		return err
	}
	return s.putBack(name, local)
}

// putBack is reset for who need not be asked whether it may: RESET ALL resets everything.
func (s *Session) putBack(name string, local bool) error {
	key := strings.ToLower(name)
	def := settings.Find(key)
	switch {
	case key == "role":
		return s.setRole(key, "none", local)
	case key == "session_authorization":
		return s.setRole(key, s.identity().login.name, local)
	case def != nil && def.ReadOnly:
		return nil
	case def != nil:
		value := def.Default
		if v, ok := s.opts.Settings[def.Name]; ok {
			value = v
		} else if key == "application_name" {
			value = s.opts.ApplicationName
		}
		return s.assignChecked(name, value, local)
	case isCustom(key):
		s.values.Know(key)
		s.assign(key, "", local)
		return nil
	}
	return sqlerr.New(sqlerr.UndefinedObject, "unrecognized configuration parameter %q", name)
}

// resetAll is RESET ALL.
func (s *Session) resetAll() error {
	for _, key := range slices.Sorted(s.values.Names()) {
		if key == "role" || key == "session_authorization" {
			continue
		}
		if err := s.putBack(key, false); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) changed(def *settings.Parameter) {
	s.applySettings()
	if def != nil && def.Report && s.opts.ParameterStatus != nil {
		v, _ := s.Setting(def.Name)
		s.opts.ParameterStatus(def.Name, v)
	}
}

// applySettings derives what statements use from the settings' texts, which
// are valid by now.
func (s *Session) applySettings() {
	s.generation++
	tz, _ := s.Setting("timezone")
	s.io.TimeZone = settings.LoadZone(tz)
	digits, _ := s.Setting("extra_float_digits")
	n, _ := strconv.Atoi(digits)
	s.io.FewFloatDigits, s.io.ExtraFloatDigits = n <= 0, n
	esc, _ := s.Setting("bytea_output")
	s.io.ByteaEscape = esc == "escape"
	s.noteName()
}

// ReportedSettings lists the parameters that clients are told of at start,
// with their values.
func (s *Session) ReportedSettings() map[string]string {
	m := map[string]string{}
	for _, def := range settings.Reported {
		m[def.Name], _ = s.Setting(def.Name)
	}
	return m
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
	i := s.identity()
	if s.path.at == s.generation && (i.superuser || s.path.seen == i.of) {
		return s.path.names
	}
	s.path.seen = i.of
	v, _ := s.Setting("search_path")
	path := []string{}
	for _, p := range strings.Split(v, ",") {
		p = strings.TrimSpace(p)
		if len(p) >= 2 && p[0] == '"' {
			p = strings.ReplaceAll(p[1:len(p)-1], `""`, `"`)
		}
		if p == "$user" {
			if p = i.current.name; catalog.IsSystemSchema(p) {
				continue // that a user has its name does not make it the user's
			}
		}
		if p != "" {
			path = append(path, p)
		}
	}
	path = s.usable(path)
	quoted := make([]byte, 0, len(v))
	for _, p := range path {
		quoted = append(ident.Append(quoted, p), ',')
	}
	s.path.at, s.path.names, s.path.text, s.path.of = s.generation, path, string(quoted), nil
	return path
}

// existingPath gives the schemas of the search path that exist: what current_schemas
// shows.
func (s *Session) existingPath() []string {
	path, snap := s.searchPath(), s.snapshot()
	if s.path.of == snap {
		return s.path.existing
	}
	s.path.existing = nil
	for _, p := range path {
		if p = snap.SchemaNamed(p); catalog.IsSystemSchema(p) || snap.Schema(p) != nil {
			s.path.existing = append(s.path.existing, p)
		}
	}
	s.path.of = snap
	return s.path.existing
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

func (s *Session) durationSetting(name string) time.Duration {
	v, _ := s.Setting(name)
	d, _ := settings.ParseDuration(v)
	return d
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
	for name := range maps.Clone(s.portals) {
		s.ClosePortal(name)
	}
	s.tx.rollback(s)
	s.closeTemporary()
	s.notify.Stop()
	s.Notifications()
	sessionFuncs{s}.AdvisoryUnlockAll()
	s.held.Close()
	s.close(errClosed)
	s.db.unregister(s)
}
