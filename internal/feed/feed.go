package feed

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
)

// Feed is between the two goroutines. All methods but Next are the giver's.
type Feed struct {
	ctx     context.Context
	in      chan fed      // rows for the statement; closed at the end of data
	done    chan struct{} // the statement has ended: err and at are set
	started bool
	err     error
	at      fed // what the statement is at; nil rows: at none
}

// fed is a batch on its way to the statement.
type fed struct {
	rows *vec.Batch // nil: nothing, but the rows before are done with
	line int64      // of the first row; the others follow it
}

// New makes a feed that nothing takes from yet.
func New() *Feed { return &Feed{in: make(chan fed), done: make(chan struct{})} }

// Start runs the statement on a goroutine of its own, which ends with Close, or with ctx.
func (f *Feed) Start(ctx context.Context, statement func() error) {
	f.started, f.ctx = true, ctx
	go func() {
		defer close(f.done)
		defer func() {
			if p := recover(); p != nil { // nobody else would stop it here
				f.err = sqlerr.Internal(fmt.Errorf("panic: %v\n%s", p, debug.Stack()), "internal error")
			}
		}()
		f.err = statement()
	}()
}

// Refuse is Start of a statement that fails at once.
func (f *Feed) Refuse(err error) {
	f.started, f.err = true, err
	close(f.done)
}

// Started says that Start or Refuse was called.
func (f *Feed) Started() bool { return f.started }

// Next gives the statement its rows, and io.EOF behind the last.
func (f *Feed) Next() (*vec.Batch, error) {
	f.at = fed{}
	for {
		select {
		case b, ok := <-f.in:
			if !ok {
				return nil, io.EOF
			}
			if b.rows != nil {
				f.at = b
				return b.rows, nil
			}
		case <-f.ctx.Done():
			return nil, context.Cause(f.ctx)
		}
	}
}

// Give hands rows over, of which the first is of a line of the data: the statement is done with
// the rows before. false is that it has ended. nil rows wait for those before.
func (f *Feed) Give(rows *vec.Batch, line int64) bool {
	select {
	case f.in <- fed{rows, line}:
		return true
	case <-f.done:
		return false
	}
}

// Close ends the data and waits for the statement; see Err.
func (f *Feed) Close() {
	close(f.in)
	<-f.done
}

// Wait waits for the statement's end, if it was started: its context has ended, or it has.
func (f *Feed) Wait() {
	if f.started {
		<-f.done
	}
}

// Err is what the statement ended with, once it has ended.
func (f *Feed) Err() error { return f.err }

// At tells the lines of the rows that the statement was at when it ended; n is 0 where it was at
// none. failed is which of the rows failed, from 1; 0 is any of them.
func (f *Feed) At(failed int64) (first, n int64) {
	switch {
	case f.at.rows == nil:
		return 0, 0
	case failed > 0:
		return f.at.line + failed - 1, 1
	}
	return f.at.line, int64(f.at.rows.N)
}
