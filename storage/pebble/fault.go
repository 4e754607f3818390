package pebble

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/saltsql/saltsql/storage"
)

// fault is set when the disk has failed in a way that Pebble cannot survive: a
// log, a manifest or the folder itself could not be written or synced. What is
// on disk is then unknown until a process opens the folder anew and replays it,
// so from that moment nothing may be answered from memory:
//
//	failing call of the file system ── set ── down is closed, OnFatal is called
//	calls under way  ── get the fault, as CodeAmbiguous where they write
//	later calls      ── CodeFault
//	Pebble's own goroutines ── stop at their next change of the disk, for ever
//
// A goroutine of Pebble stops rather than returns: it may hold locks, and past
// the failure its code assumes that the process ends.
type fault struct {
	once sync.Once
	err  atomic.Pointer[storage.Error]
	down chan struct{} // closed once err is set
}

// set records the first failure and says whether this was it.
func (f *fault) set(err *storage.Error) (first bool) {
	f.once.Do(func() {
		f.err.Store(err)
		close(f.down)
		first = true
	})
	return first
}

// get gives what later calls answer, or nil.
func (f *fault) get(op, table string) error {
	e := f.err.Load()
	if e == nil {
		return nil
	}
	later := *e
	later.Op, later.Table = op, table
	return &later
}

// ambiguous gives what a write under way answers.
func (f *fault) ambiguous(op, table string) error {
	e := f.err.Load()
	return &storage.Error{Code: storage.CodeAmbiguous, Op: op, Table: table, Msg: e.Msg, Hint: e.Hint, Cause: e}
}

// late is ambiguous where there is a fault by now.
func (f *fault) late(op, table string) error {
	if f.err.Load() == nil {
		return nil
	}
	return f.ambiguous(op, table)
}

// halt ends what a goroutine of Pebble does without unwinding it.
func halt() { select {} }

// trip makes the store fail for good. It returns after Options.OnFatal has.
func (s *Store) trip(cause error) {
	e := storage.Errorf(storage.CodeFault, "", "", "the store in %s has failed and must be opened anew: %w", s.path, cause)
	e.Hint = "All commits that were acknowledged are there when the server has restarted. Look at the disk and at the server's log first."
	if !s.fault.set(e) {
		return
	}
	if s.opening.Load() {
		return // Open tells
	}
	s.opts.Logger.Error("pebble: the store has failed; nothing more is acknowledged, and the process must end", "folder", s.path, "err", cause)
	if s.opts.OnFatal != nil {
		s.opts.OnFatal(e)
	}
}

// detached runs fn, which calls into Pebble, and gives its error, or the fault
// where the store fails meanwhile: fn may then never return. A panic of Pebble
// leaves its locks as they are, so it is a fault too.
func (s *Store) detached(fn func() error) error {
	done := make(chan error, 1)
	go func() { done <- s.attempt(fn) }()
	select {
	case err := <-done:
		return err
	case <-s.fault.down:
		return s.fault.err.Load()
	}
}

func (s *Store) attempt(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			s.trip(err)
		}
	}()
	return fn()
}
