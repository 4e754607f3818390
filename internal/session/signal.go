package session

import (
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// byPID finds the session of a process ID; nil where there is none.
func (db *DB) byPID(pid int32) *Session {
	db.mu.Lock()
	defer db.mu.Unlock()
	for s := range db.sessions {
		if s.opts.BackendPID == pid && pid != 0 {
			return s
		}
	}
	return nil
}

// cancel is CANCEL: pg_cancel_backend, but that a session which is not there is 42704, and one
// that runs nothing a NOTICE.
func (f sessionFuncs) cancel(pid int32) error {
	other := f.s.db.byPID(pid)
	if other == nil {
		return sqlerr.New(sqlerr.UndefinedObject, "there is no session with PID %d", pid).WithHint("SHOW SESSIONS lists those of this server.")
	}
	if err := f.s.identity().MaySignal(other.who.Login.ID, "cancel"); err != nil {
		return err
	}
	if !other.Activity().Running {
		f.s.notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "the session with PID %d runs no statement", pid))
	}
	other.Cancel()
	return nil
}

// backend finds the session of a process ID, for what maySignal says. A session that is not
// there is a WARNING and nil.
func (f sessionFuncs) backend(pid int32, what string) (*Session, error) {
	found := f.s.db.byPID(pid)
	if found == nil {
		f.s.notice(warning(sqlerr.Warning, "PID %d is not a PostgreSQL server process", pid))
		return nil, nil
	}
	if err := f.s.identity().MaySignal(found.who.Login.ID, what); err != nil {
		return nil, err
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
