package saltsql

import (
	"context"
	"io"
	"time"

	"github.com/saltsql/saltsql/internal/copyfmt"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// runner is one execution of a statement of any kind.
type runner interface {
	// next gives the next rows, or io.EOF when all work is done.
	next(ctx context.Context) (*vec.Batch, error)
	// tag is the command tag after io.EOF.
	tag(rows int64) string
	// close releases everything; it may be called twice.
	close() error
}

// Portal is one execution of a Stmt.
type Portal struct {
	s    *Session
	name string
	stmt *Stmt
	cols []Column
	run  runner

	ctx    context.Context
	cancel context.CancelCauseFunc
	spent  time.Duration // in Next, against statement_timeout

	started, done bool
	err           error
}

// Bind makes a portal over st with values of its ParamTypes. The name "" is
// replaced; any other must be new: 42P03.
func (s *Session) Bind(ctx context.Context, name string, st *Stmt, params []types.Datum) (*Portal, error) {
	if st.Empty() {
		return nil, s.failed(sqlerr.New(sqlerr.ProtocolViolation, "an empty statement cannot be bound"))
	}
	if s.tx.status == TxFailed && !endsTransaction(st.st.Utility) {
		return nil, errInFailedTransaction()
	}
	if len(params) != len(st.params) {
		return nil, s.failed(sqlerr.New(sqlerr.ProtocolViolation,
			"bind message supplies %d parameters, but prepared statement %q requires %d", len(params), "", len(st.params)))
	}
	if _, ok := s.portals[name]; ok {
		if name != "" {
			return nil, s.failed(sqlerr.New(sqlerr.DuplicateCursor, "cursor %q already exists", name))
		}
		s.ClosePortal("")
	}
	if err := s.refresh(ctx, st); err != nil {
		return nil, s.failed(err)
	}
	p := &Portal{s: s, name: name, stmt: st, cols: st.cols}
	run, err := s.newRunner(ctx, p, params)
	if err != nil {
		return nil, s.failed(err)
	}
	p.run = run
	p.ctx, p.cancel = context.WithCancelCause(s.ctx)
	s.portals[name] = p
	return p, nil
}

// Portal finds a portal: 34000 if there is none. SQL's cursors are portals.
func (s *Session) Portal(name string) (*Portal, error) {
	if p, ok := s.portals[name]; ok {
		return p, nil
	}
	return nil, s.failed(sqlerr.New(sqlerr.InvalidCursorName, "portal %q does not exist", name))
}

// ClosePortal ends a portal; that there is none is not an error.
func (s *Session) ClosePortal(name string) {
	if p, ok := s.portals[name]; ok {
		delete(s.portals, name)
		p.finish(errClosed)
	}
}

// Columns describes the rows; nil for a statement that returns none.
func (p *Portal) Columns() []Column { return p.cols }

// Started says that Next was called.
func (p *Portal) Started() bool { return p.started }

// Next runs the statement as far as its next rows: a batch valid until the
// next call, or io.EOF when it is done. A statement without rows does all its
// work in the first call. After an error the portal is dead.
func (p *Portal) Next(ctx context.Context) (*vec.Batch, error) {
	if p.err != nil {
		return nil, p.err
	}
	if p.done {
		return nil, io.EOF
	}
	if !p.started {
		p.started = true
		if err := p.s.startStatement(p); err != nil {
			return nil, p.fail(err)
		}
	}
	stop := p.arm(ctx)
	b, err := p.run.next(p.ctx)
	stop()
	switch {
	case err == nil:
		return b, nil
	case err != io.EOF:
		return nil, p.fail(p.cause(err))
	}
	p.done = true
	p.finish(nil)
	if err := p.s.endStatement(p, nil); err != nil {
		p.err = p.s.failed(err)
		return nil, p.err
	}
	return nil, io.EOF
}

// arm lets ctx, Cancel and statement_timeout stop the portal until the
// function it returns is called.
func (p *Portal) arm(ctx context.Context) (stop func()) {
	s := p.s
	s.mu.Lock()
	s.running = p
	s.mu.Unlock()
	var watch func() bool
	if ctx.Done() != nil {
		watch = context.AfterFunc(ctx, func() { p.cancel(context.Cause(ctx)) })
	}
	var timer *time.Timer
	start := time.Time{}
	if limit := s.durationSetting("statement_timeout"); limit > 0 {
		start = time.Now()
		timer = time.AfterFunc(limit-p.spent, func() { p.cancel(errTimeout) })
	}
	return func() {
		s.mu.Lock()
		s.running = nil
		s.mu.Unlock()
		if watch != nil {
			watch()
		}
		if timer != nil {
			timer.Stop()
			p.spent += time.Since(start)
		}
	}
}

// cause prefers why the context ended to the error that ending it made.
func (p *Portal) cause(err error) error {
	if p.ctx.Err() == nil {
		return err
	}
	if e := sqlerr.As(context.Cause(p.ctx)); e != nil {
		return e
	}
	if sqlerr.As(err) != nil {
		return err
	}
	return errCanceled
}

func (p *Portal) fail(err error) error {
	p.err = err
	p.finish(err)
	p.s.endStatement(p, err)
	return p.s.failed(err)
}

// finish releases what the portal holds.
func (p *Portal) finish(cause error) {
	if p.run != nil {
		p.run.close()
	}
	if p.cancel != nil {
		p.cancel(cause)
	}
	if !p.done && p.err == nil {
		p.err = sqlerr.New(sqlerr.InvalidCursorName, "portal %q does not exist", p.name)
		if p.started {
			p.s.endStatement(p, errClosed)
		}
	}
}

// Tag is the command tag once Next has returned io.EOF. rows is how many rows
// the caller has sent, which the tags of SELECT and FETCH show.
func (p *Portal) Tag(rows int64) string { return p.run.tag(rows) }

// CopyIn is not nil for COPY … FROM STDIN: then Next is not called.
func (p *Portal) CopyIn() *CopyIn {
	c, _ := p.run.(*CopyIn)
	return c
}

// CopyOut is not nil for COPY … TO STDOUT: the rows to print come from Next.
func (p *Portal) CopyOut() *copyfmt.Options {
	if c, ok := p.run.(*copyOut); ok {
		return &c.opts
	}
	return nil
}
