package wire

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// connState is what other goroutines may know of a connection and do to it:
// cancel its query, ask it to end, make it end.
//
//	waiting for a client --> working on a message --> waiting ...
//
// A cancel request counts only while working. Reads are woken by a deadline in
// the past, which the next wait takes away again.
type connState struct {
	mu      sync.Mutex
	nc      net.Conn
	sess    engineSession // nil until there is one
	working bool
	number  uint64 // of the piece of work
	looked  uint64 // number when looked after last
	free    bool   // waiting, with nothing open
	told    bool   // there are notifications for the client
	timed   bool   // a read deadline is set

	draining bool
	doomed   *sqlerr.Error

	// ctx is that of the work at hand. It serves message after message until it is
	// cancelled. Only the connection's own goroutine replaces it.
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (s *connState) init(nc net.Conn, timeout time.Duration) {
	s.nc = nc
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.timed = true
	nc.SetReadDeadline(time.Now().Add(timeout))
}

func errShutdown() *sqlerr.Error {
	e := sqlerr.New(sqlerr.AdminShutdown, "terminating connection due to administrator command")
	e.Severity = sqlerr.SeverityFatal
	return e
}

// wait turns from work to waiting for the client, at most for timeout unless that
// is 0. free says that nothing is open, so that a server that ends need not wait
// for this client: then, or when the connection is doomed, an error says so.
func (s *connState) wait(free bool, timeout time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.working = false
	if s.doomed != nil {
		return s.doomed
	}
	if s.draining && free {
		return errShutdown()
	}
	s.free = free
	if s.told && free {
		s.wake()
		return nil
	}
	switch {
	case timeout > 0:
		s.nc.SetReadDeadline(time.Now().Add(timeout))
		s.timed = true
	case s.timed:
		s.nc.SetReadDeadline(time.Time{})
		s.timed = false
	}
	return nil
}

// work turns from waiting to work.
func (s *connState) work() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.working, s.free = true, false
	s.number++
	if s.ctx.Err() != nil && s.doomed == nil {
		s.ctx, s.cancel = context.WithCancelCause(context.Background())
	}
}

// deadline bounds reads during work. A cancel that came before it stays in force.
func (s *connState) deadline(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return
	}
	s.nc.SetReadDeadline(t)
	s.timed = true
}

// err is why the work at hand must stop, or nil.
func (s *connState) err() error {
	if s.ctx.Err() == nil {
		return nil
	}
	return context.Cause(s.ctx)
}

// ending says that the connection is doomed, or drains while free.
func (s *connState) ending() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doomed != nil || s.draining && s.free
}

// stop cancels piece of work number, or whichever is at hand if number is 0, and
// gives its number. ok is false where there is none.
func (s *connState) stop(cause *sqlerr.Error, number uint64) (_ uint64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.working || number != 0 && s.number != number {
		return 0, false
	}
	s.cancel(cause)
	if s.sess != nil {
		s.sess.Cancel()
	}
	s.wake()
	return s.number, true
}

// drain makes the connection end as soon as it has nothing open.
func (s *connState) drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
	if s.free {
		s.wake()
	}
}

// notify has the client be told of notifications, at once where it has nothing open.
func (s *connState) notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = true
	if s.free {
		s.wake()
	}
}

// notified says, once, that there are notifications for a client with nothing open.
func (s *connState) notified() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	told := s.told && s.free
	if told {
		s.told = false
	}
	return told
}

// doom makes the connection end at once.
func (s *connState) doom(cause *sqlerr.Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doomed = cause
	s.cancel(cause)
	if s.sess != nil {
		s.sess.Terminate(cause)
	}
	s.wake()
}

// wake ends the read that the connection's goroutine is in or comes to.
func (s *connState) wake() {
	s.nc.SetReadDeadline(time.Unix(1, 0))
	s.timed = true
}

// attach tells of the session.
func (s *connState) attach(sess engineSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sess = sess
}
