package session

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/internal/peers"
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

// signal is what a session is asked to hear, on this server or another.
type signal struct {
	PID     int32
	Session int64         // the one that was found; 0 before
	Do      signalKind    // to it; "" looks for it
	Wait    time.Duration // for its end
}

type signalKind string

const (
	cancelBackend    signalKind = "cancel"
	terminateBackend signalKind = "terminate"
)

// signalled says what became of it.
type signalled struct {
	Session int64  // 0: there is none of that PID
	Login   uint32 // its role
	Running bool   // a statement
	Ended   bool   // within signal.Wait

	at *peers.Peer // whose it is; nil is this server
}

// signalled does what a signal asks to a session of this server.
func (db *DB) signalled(ctx context.Context, sig signal) (any, error) {
	s := db.byPID(sig.PID)
	if s == nil || sig.Session != 0 && s.id != sig.Session {
		return signalled{}, nil
	}
	a := signalled{Session: s.id, Login: s.who.Login.ID, Running: s.Activity().Running}
	switch sig.Do {
	case cancelBackend:
		s.Cancel()
	case terminateBackend:
		s.endFor(sqlerr.New(sqlerr.AdminShutdown, "terminating connection due to administrator command"))
		for end := time.Now().Add(sig.Wait); !a.Ended && time.Now().Before(end) && ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
			db.mu.Lock()
			_, open := db.sessions[s]
			db.mu.Unlock()
			a.Ended = !open
		}
	}
	return a, nil
}

// find looks for the session of a PID, on this server and then on the others.
func (f sessionFuncs) find(pid int32) (found signalled, err error) {
	own, err := f.s.db.signalled(f.s.ctx, signal{PID: pid})
	if found = own.(signalled); found.Session != 0 || err != nil {
		return found, err
	}
	err = askOthers(f.s.ctx, f.s, askSignal, signal{PID: pid}, "sessions", func(p peers.Peer, a signalled) {
		if a.Session != 0 {
			found = a
			found.at = &p
		}
	})
	return found, err
}

// signal sends one to the session of a PID, where the session may: 42501.
func (f sessionFuncs) signal(pid int32, do signalKind, wait time.Duration) (signalled, error) {
	found, err := f.find(pid)
	if err != nil || found.Session == 0 {
		return found, err
	}
	if err := f.s.identity().MaySignal(found.Login, string(do)); err != nil {
		return found, err
	}
	sig := signal{PID: pid, Session: found.Session, Do: do, Wait: wait}
	if found.at == nil {
		a, err := f.s.db.signalled(f.s.ctx, sig)
		found.Ended = a.(signalled).Ended
		return found, err
	}
	ctx, cancel := context.WithTimeout(f.s.ctx, patience+wait)
	defer cancel()
	a, err := ask[signalled](ctx, f.s.db.door, *found.at, askSignal, sig)
	found.Ended = a.Ended
	return found, err
}

// cancel is CANCEL: pg_cancel_backend, but that a session which is not there is 42704, and one
// that runs nothing a NOTICE.
func (f sessionFuncs) cancel(pid int32) error {
	found, err := f.signal(pid, cancelBackend, 0)
	switch {
	case err != nil:
		return err
	case found.Session == 0:
		return sqlerr.New(sqlerr.UndefinedObject, "there is no session with PID %d", pid).WithHint("SHOW SESSIONS lists those of all servers.")
	case !found.Running:
		f.s.notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "the session with PID %d runs no statement", pid))
	}
	return nil
}

// backend is signal for functions, which WARN of a session that is not there.
func (f sessionFuncs) backend(pid int32, do signalKind, wait time.Duration) (signalled, error) {
	found, err := f.signal(pid, do, wait)
	if err == nil && found.Session == 0 {
		f.s.notice(sqlerr.Warn(sqlerr.Warning, "PID %d is not a PostgreSQL server process", pid))
	}
	return found, err
}

// CancelBackend is pg_cancel_backend.
func (f sessionFuncs) CancelBackend(pid int32) (bool, error) {
	found, err := f.backend(pid, cancelBackend, 0)
	return found.Session != 0, err
}

// endFor ends the session, and its client's connection, for a cause that the client is told.
func (s *Session) endFor(cause *sqlerr.Error) {
	cause.Severity = sqlerr.SeverityFatal
	if s.opts.End != nil {
		s.opts.End(cause)
	} else {
		s.Terminate(cause)
	}
}

// TerminateBackend is pg_terminate_backend: where wait is above 0 it says whether the session has
// ended by then.
func (f sessionFuncs) TerminateBackend(pid int32, wait time.Duration) (bool, error) {
	if pid == f.s.opts.BackendPID {
		wait = 0
	}
	found, err := f.backend(pid, terminateBackend, max(wait, 0))
	switch {
	case err != nil || found.Session == 0:
		return false, err
	case wait <= 0 || found.Ended:
		return true, nil
	}
	f.s.notice(sqlerr.Warn(sqlerr.Warning, "backend with PID %d did not terminate within %d milliseconds", pid, wait.Milliseconds()))
	return false, nil
}
