package session

import (
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// backend finds the session of a process ID, and says whether the session's role may cancel
// what it does or end it, which is what: 42501. A session that is not there is a WARNING and
// nil.
func (f sessionFuncs) backend(pid int32, what string) (*Session, error) {
	s := f.s
	s.db.mu.Lock()
	var found *Session
	for other := range s.db.sessions {
		if other.opts.BackendPID == pid && pid != 0 {
			found = other
		}
	}
	s.db.mu.Unlock()
	if found == nil {
		s.notice(warning(sqlerr.Warning, "PID %d is not a PostgreSQL server process", pid))
		return nil, nil
	}
	i := s.identity()
	role := found.who.login.id // never changes
	word, done := "query", "query is being canceled"
	if what == "terminate" {
		word, done = "process", "process is being terminated"
	}
	switch {
	case i.superuser:
	case i.of.IsSuperuser(role):
		return nil, sqlerr.New(sqlerr.InsufficientPrivilege, "must be a superuser to %s superuser %s", what, word)
	case !i.of.HasPrivsOf(i.current.id, role) && !i.of.HasPrivsOf(i.current.id, catalog.RoleSignalBackend):
		return nil, sqlerr.New(sqlerr.InsufficientPrivilege, "must be a member of the role whose %s or member of pg_signal_backend", done)
	}
	return found, nil
}

// CancelBackend is pg_cancel_backend.
func (f sessionFuncs) CancelBackend(pid int32) (bool, error) {
	other, err := f.backend(pid, "cancel")
	if other != nil {
		other.Cancel()
	}
	return other != nil, err
}

// TerminateBackend is pg_terminate_backend: where wait is above 0 it says whether the session has
// ended by then.
func (f sessionFuncs) TerminateBackend(pid int32, wait time.Duration) (bool, error) {
	other, err := f.backend(pid, "terminate")
	if other == nil {
		return false, err
	}
	cause := sqlerr.New(sqlerr.AdminShutdown, "terminating connection due to administrator command")
	cause.Severity = sqlerr.SeverityFatal
	if other.opts.End != nil {
		other.opts.End(cause)
	} else {
		other.Terminate(cause)
	}
	if wait <= 0 || other == f.s {
		return true, nil
	}
	for end := time.Now().Add(wait); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		f.s.db.mu.Lock()
		_, open := f.s.db.sessions[other]
		f.s.db.mu.Unlock()
		if !open {
			return true, nil
		}
	}
	f.s.notice(warning(sqlerr.Warning, "backend with PID %d did not terminate within %d milliseconds", pid, wait.Milliseconds()))
	return false, nil
}
