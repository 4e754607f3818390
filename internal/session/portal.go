package session

import (
	"context"
	"io"
	"time"

	"github.com/saltsql/saltsql/internal/copyfmt"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/tracing"
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

// Portal is one execution of a Stmt. Each execution takes one: what few have is behind a
// pointer, and what the next may have again is in its running. Release lets the next have
// the Portal itself.
type Portal struct {
	s    *Session
	stmt *Stmt
	cols []Column
	args []any         // of Go, that the parameters are made of
	vals []types.Datum // of args; its room is the next portal's
	run  runner
	q    query // run, of what is planned

	*named // nil for the unnamed portal
	*running
	ran   time.Duration // in Next, for who counts statements
	given int64         // rows

	// begun numbers the portals in the order in which they looked at the data, or
	// were bound: those after a savepoint end with it.
	begun int64
	trace *tracing.Statement
	err   error

	depth         uint8 // how many portals this one takes its rows through
	released      bool  // running may be another portal's
	started, done bool
	closed        bool // before its end
}

// named is what only a portal with a name has, as SQL's cursors do.
type named struct {
	as        string
	made      time.Time
	declared  *declared // DECLARE made it
	broken    bool      // FETCH from it failed
	persisted bool      // its rows outlive their transaction
	readers   int       // statements that take rows from it now
}

// name is "" of the unnamed portal.
func (p *Portal) name() string {
	if p.named == nil {
		return ""
	}
	return p.as
}

// Bind makes a portal over st with values of its ParamTypes. The name "" is
// replaced; any other must be new: 42P03.
func (s *Session) Bind(ctx context.Context, name string, st *Stmt, params []types.Datum) (*Portal, error) {
	return s.bind(ctx, name, st, params, nil)
}

// bind is Bind with values of the parameters, or with Go's values to make them of.
func (s *Session) bind(ctx context.Context, name string, st *Stmt, params []types.Datum, args []any) (_ *Portal, err error) {
	defer s.guard(&err)
	if st.Empty() {
		return nil, s.failed(sqlerr.New(sqlerr.ProtocolViolation, "an empty statement cannot be bound"))
	}
	if s.tx.status == TxFailed && !endsTransaction(st.st.Utility) {
		return nil, errInFailedTransaction()
	}
	if st.base != nil {
		params = st.values
	}
	if args == nil && len(params) != len(st.params) {
		return nil, s.failed(sqlerr.New(sqlerr.ProtocolViolation,
			"bind message supplies %d parameters, but prepared statement %q requires %d", len(params), "", len(st.params)))
	}
	if s.portals.get(name) != nil {
		if name != "" {
			return nil, s.failed(sqlerr.New(sqlerr.DuplicateCursor, "cursor %q already exists", name))
		}
		s.ClosePortal("")
	}
	if err := s.refresh(ctx, st); err != nil {
		return nil, s.failed(err)
	}
	p := s.newPortal(st)
	if args != nil {
		if p.vals, err = s.datums(p.vals, args, st.params); err != nil {
			return nil, s.failed(err)
		}
		p.args, params = args, p.vals
	}
	if name != "" {
		p.named = &named{as: name}
	}
	run, err := s.newRunner(ctx, p, params)
	if err != nil {
		return nil, s.failed(err)
	}
	p.run = run
	if name != "" {
		if err := p.hold(); err != nil {
			return nil, s.failed(err)
		}
	}
	if p.running = s.coming; p.running == nil || runningOf(ctx) != nil {
		p.running = s.newRunning()
	} else {
		s.coming = nil
	}
	p.running.portal = p
	p.number()
	s.portals.put(p)
	return p, nil
}

// Portal finds a portal: 34000 if there is none. SQL's cursors are portals.
func (s *Session) Portal(name string) (*Portal, error) {
	if p := s.portals.get(name); p != nil {
		return p, nil
	}
	return nil, s.failed(sqlerr.New(sqlerr.InvalidCursorName, "portal %q does not exist", name))
}

// Portals is how many portals are open.
func (s *Session) Portals() int { return s.portals.len() }

// ClosePortal ends a portal; that there is none is not an error.
func (s *Session) ClosePortal(name string) {
	var err error
	defer s.guard(&err)
	if p := s.portals.get(name); p != nil {
		s.portals.remove(p)
		p.finish(errClosed)
		if c, ok := p.run.(*cursorRunner); ok && c.scroll != nil {
			c.scroll.Close()
		}
	}
}

// InSteps says that the caller will take some rows at a time, with a Suspend after them.
// It makes a difference before the first call of Next.
func (p *Portal) InSteps() { p.q.steps = true }

// Columns describes the rows; nil for a statement that returns none. Of a statement that
// may Reshape they stand once Next was called.
func (p *Portal) Columns() []Column { return p.cols }

// Started says that Next was called.
func (p *Portal) Started() bool { return p.started }

// Next runs the statement as far as its next rows: a batch valid until the
// next call, or io.EOF when it is done. A statement without rows does all its
// work in the first call. After an error the portal is dead.
func (p *Portal) Next(ctx context.Context) (_ *vec.Batch, err error) {
	defer p.s.guard(&err)
	if c, ok := p.run.(*cursorRunner); ok && c.scroll != nil && !c.scroll.Reading() {
		return c.scroll.Next(ctx)
	}
	switch {
	case p.err != nil:
		return nil, p.err
	case p.done:
		return nil, io.EOF
	case p.closed:
		return nil, sqlerr.New(sqlerr.InvalidCursorName, "portal %q does not exist", p.name())
	}
	if !p.started {
		p.started = true
		p.number()
		if p.s.db.opts.Tracer != nil {
			p.beginTrace(ctx)
		}
		if err := p.s.startStatement(p); err != nil {
			return nil, p.fail(err)
		}
	}
	p.resume()
	b, err := p.step(ctx)
	switch {
	case err == nil:
		if p.named != nil {
			if err := p.hold(); err != nil {
				return nil, p.fail(err)
			}
		}
		p.given += int64(b.Rows())
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

// step takes the next rows of the run, or all its work.
func (p *Portal) step(ctx context.Context) (b *vec.Batch, err error) {
	defer p.s.guard(&err)
	armed := p.arm(ctx)
	defer armed.stop()
	return p.run.next(p.ctx)
}

// runs says that the portal's statement is the one that runs.
func (p *Portal) runs() bool { return p.running != nil && p.running == p.s.running }

func (p *Portal) number() {
	p.s.begun++
	p.begun = p.s.begun
	if p.named != nil {
		p.made = time.Now()
	}
}

// arm lets ctx, Cancel and statement_timeout stop the portal's statement until stop is called.
func (p *Portal) arm(ctx context.Context) armed {
	return p.armFor(ctx, p.s.cached().Timeouts.Statement)
}

// armFor is arm with the statement_timeout given.
func (p *Portal) armFor(ctx context.Context, limit time.Duration) armed {
	a := p.s.arm(ctx, p.running, limit, p.stmt.Text(), p.stmt.whole())
	a.ran = &p.ran
	return a
}

func (p *Portal) fail(err error) error {
	err = p.s.identity().Hide(err)
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
	p.letGo(cause)
	p.resume()
	p.s.letGo(p)
	if !p.done && p.err == nil && !p.closed {
		p.closed = true
		if p.started {
			p.s.endStatement(p, errClosed)
		}
	}
}

// letGo ends the statement. It is closed and has nothing left that runs; COPY FROM's goroutine
// may still be told by its context.
func (p *Portal) letGo(cause error) {
	if !p.released {
		p.s.over(p.running, cause, p.run == &p.q)
	}
	p.released = true
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
