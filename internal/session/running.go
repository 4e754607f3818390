package session

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// running is one statement from its text to its last row: what may stop it, what it has taken of
// its time, and what it holds.
//
//	Split, Prepare ──> Session.coming ── Bind ──> Portal.running ── Next … ──> finish
//
// Whoever works for it arms it: until the end of that call ctx of the caller, Cancel and
// statement_timeout end its context, and pg_stat_activity shows it. Parsing and planning are
// armed where they are done and not found in the cache.
type running struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	portal *Portal        // that runs it; nil while it is parsed and planned
	began  time.Time      // the call that works for it, where no other statement works through it
	spent  time.Duration  // in such calls, against statement_timeout
	mem    memory.Account // of the text, the tree and the plan, and of what execution holds
	unsure bool           // something may still cancel ctx
}

// runningKey finds the statement that a context is of.
type runningKey struct{}

// runningOf gives the statement that ctx is of; nil where it is a client's.
func runningOf(ctx context.Context) *running {
	r, _ := ctx.Value(runningKey{}).(*running)
	return r
}

// newRunning gives a statement its life: that of one before, which nothing has canceled, or a new
// one.
func (s *Session) newRunning() *running {
	r := s.spare
	if s.spare = nil; r == nil || r.ctx.Err() != nil {
		r = new(running)
		ctx, cancel := context.WithCancelCause(s.ctx)
		r.ctx, r.cancel = context.WithValue(ctx, runningKey{}, r), cancel
	}
	r.began, r.spent, r.portal = time.Time{}, 0, nil
	r.mem.Open(s.db.memory, s.statementMemory(), 0)
	return r
}

// statementMemory is how many bytes a statement may hold; 0 is no limit.
func (s *Session) statementMemory() int64 {
	return s.cached().Exec.MostMemory(s.db.memory)
}

// textCame begins the life of a statement whose text has come.
func (s *Session) textCame() *running {
	s.forgetComing()
	return s.comes()
}

// comes gives the statement that is parsed, planned or bound now.
func (s *Session) comes() *running {
	if s.coming == nil || s.coming.ctx.Err() != nil {
		s.forgetComing()
		s.coming = s.newRunning()
	}
	return s.coming
}

// forgetComing ends the life of a statement that is not bound.
func (s *Session) forgetComing() {
	if r := s.coming; r != nil {
		s.coming = nil
		s.over(r, errClosed, true)
	}
}

// over ends a statement's life. Where nothing of it runs, the next statement may have what it
// leaves.
func (s *Session) over(r *running, cause error, idle bool) {
	r.mem.Close()
	if idle && !r.unsure && r.ctx.Err() == nil {
		r.portal = nil
		s.spare = r
		return
	}
	r.cancel(cause)
}

// armed is what may stop a statement during one call.
type armed struct {
	s     *Session
	r     *running
	outer *running // that works through r
	watch func() bool
	timer *time.Timer
	start time.Time      // of the timer
	ran   *time.Duration // takes how long it was, where it is the portal's; nil does not
}

// arm lets ctx, Cancel and statement_timeout stop a statement of a text that came within sent
// until stop is called. A statement that works for another, as a cursor does for FETCH, takes
// its place meanwhile, and has no time of its own.
func (s *Session) arm(ctx context.Context, r *running, limit time.Duration, text, sent string) armed {
	a := armed{s: s, r: r}
	s.mu.Lock()
	a.outer, s.running = s.running, r
	s.mu.Unlock()
	r.began = time.Time{}
	if a.outer == nil {
		r.began = s.beginActivity(text, sent)
	}
	if ctx.Done() != nil && ctx != r.ctx {
		a.watch = context.AfterFunc(ctx, func() { r.cancel(context.Cause(ctx)) })
	}
	if limit > 0 && a.outer == nil {
		a.start = time.Now()
		a.timer = time.AfterFunc(limit-r.spent, func() { r.cancel(errTimeout) })
	}
	return a
}

// stop ends arm. Where another statement works through this one, that has the time.
func (a *armed) stop() {
	a.s.mu.Lock()
	a.s.running = a.outer
	a.s.mu.Unlock()
	if a.outer == nil {
		took := a.s.endActivity().Sub(a.r.began)
		if a.ran != nil {
			*a.ran += took
		}
	}
	if a.watch != nil && !a.watch() {
		a.r.unsure = true
	}
	if a.timer != nil {
		if !a.timer.Stop() {
			a.r.unsure = true
		}
		a.r.spent += time.Since(a.start)
	}
}

// workCtx gives the context of the statement that runs; where none does, the session's.
func (s *Session) workCtx() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return s.running.ctx
	}
	return s.ctx
}

// armed parses or plans a statement that comes, or a part of one that runs, of a text that came
// within sent. work must book what it holds on the statement's account.
func (s *Session) armed(ctx context.Context, text, sent string, work func(ctx context.Context, r *running) error) error {
	r := runningOf(ctx)
	if r == nil {
		r = s.comes()
		a := s.arm(ctx, r, s.cached().Timeouts.Statement, text, sent)
		defer a.stop()
	}
	err := work(r.ctx, r)
	if err == nil {
		err = r.ctx.Err() // what was computed at planning is left to execution where it was stopped
	}
	return r.cause(err)
}

// cause prefers why a statement's context has ended to the error that ending it made.
func (r *running) cause(err error) error {
	if err == nil || r.ctx.Err() == nil {
		return err
	}
	if e := sqlerr.As(context.Cause(r.ctx)); e != nil {
		return e
	}
	if sqlerr.As(err) != nil {
		return err
	}
	return errCanceled
}

// guard makes of a panic in a call of the session the error of its statement: XX000, and a record
// in the log. It is deferred by each method that works for a client, so that no statement's
// fault ends the process that the session is in.
func (s *Session) guard(err *error) {
	if p := recover(); p != nil {
		stack := debug.Stack()
		s.db.opts.Logger.Error("a statement panicked", "panic", p, "stack", string(stack), "user", s.opts.User, "pid", s.opts.BackendPID)
		*err = s.failed(sqlerr.Internal(fmt.Errorf("panic: %v", p), "internal error"))
	}
}
