package session

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/saltsql/saltsql/internal/copyfmt"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/feed"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/plancache"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/plan"
)

// copyPlan is a COPY that is planned: a query to print, or an INSERT that takes
// what the client sends.
type copyPlan struct {
	inner *Stmt
	opts  copyfmt.Options
	cols  []Column // of the data
	table string   // for messages
}

func copyOptions(u *tree.Copy, cols []string) (*copyfmt.Options, error) {
	opts := make([]copyfmt.Option, len(u.Options))
	for i, o := range u.Options {
		opts[i] = copyfmt.Option(o)
	}
	return copyfmt.NewOptions(opts, u.From, cols)
}

func (s *Session) describeCopy(ctx context.Context, st *Stmt, u *tree.Copy) error {
	switch {
	case u.Program:
		return sqlerr.Unsupported("COPY to or from a program is not supported", "Use STDIN and STDOUT, and the program on the client's side of psql's \\copy.")
	case !u.Stdio:
		return sqlerr.Unsupported("COPY to or from a file on the server is not supported", "Use COPY … FROM STDIN or TO STDOUT: psql's \\copy reads and writes files on the client.")
	}
	c := &copyPlan{table: u.Table.Name}
	if u.Query != nil {
		c.inner = &Stmt{st: u.Query}
		if err := s.planStmt(ctx, c.inner); err != nil {
			return err
		}
		if c.inner.plan == nil { // the other queries with a part of their own are refused as they are read
			return sqlerr.New(sqlerr.FeatureNotSupported, "COPY (SELECT INTO) is not supported").
				WithHint("Run SELECT INTO, and then COPY of the table that it makes.")
		}
		if !c.inner.plan.ReadOnly && len(c.inner.cols) == 0 {
			return sqlerr.New(sqlerr.FeatureNotSupported, "COPY query must have a RETURNING clause")
		}
		if len(c.inner.params) > 0 {
			return sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $1")
		}
	} else {
		bind := planner.CopyTo
		if u.From {
			bind = planner.CopyFrom
		}
		if err := s.db.catalog.Live(ctx); err != nil {
			return err
		}
		var (
			p   *plan.Plan
			key plancache.Key
		)
		err := s.lookup(ctx, time.Now(), func() (version uint64, err error) {
			snap := s.snapshot()
			key = s.key(st.st, st.hints, snap)
			p, err = bind(s.plannerContext(snap, nil, false), st.st, u)
			return snap.Version(), err
		})
		if err != nil {
			return err
		}
		c.inner = &Stmt{st: st.st, plan: p, cols: columnsOf(p.Columns), key: &key, settings: s.generation}
	}
	c.cols = c.inner.cols
	if u.From {
		c.cols = columnsOf(planner.Copied(c.inner.plan))
	}
	var names []string
	for _, col := range c.cols {
		names = append(names, col.Name)
	}
	o, err := copyOptions(u, names)
	if err != nil {
		return err
	}
	c.opts = *o
	st.copy = c
	st.key, st.settings = c.inner.key, s.generation
	return nil
}

func (s *Session) newCopy(ctx context.Context, p *Portal, u *tree.Copy, params []types.Datum) (runner, error) {
	if err := s.describeCopy(ctx, p.stmt, u); err != nil {
		return nil, err
	}
	c := p.stmt.copy
	q := &query{s: s, st: c.inner, params: params}
	if u.From {
		in := &CopyIn{
			p: p, q: q, plan: c, io: *s.IOEnv(), limit: s.cached().Timeouts.Statement,
			feed: feed.New(),
		}
		q.source = in.feed
		return in, nil
	}
	p.cols = c.cols
	return &copyOut{query: q, opts: c.opts}, nil
}

// copyOut is a query whose rows go out in COPY's format.
type copyOut struct {
	*query
	opts copyfmt.Options
}

func (c *copyOut) tag(rows int64) string { return fmt.Sprintf("COPY %d", rows) }

// CopyIn takes the rows of a COPY FROM. The statement that writes them runs
// in a goroutine of its own, which ends with Finish or Abort: while it writes
// one batch, the caller reads the next. The session is the statement's meanwhile: what
// the caller needs of it is taken at the start.
type CopyIn struct {
	p     *Portal
	q     *query
	plan  *copyPlan
	io    types.IOEnv
	limit time.Duration // statement_timeout

	feed  *feed.Feed
	lines *copyfmt.Lines // of the rows that were given last
	data  memory.Share   // of the statement's memory: what is read of the data
}

// Reserve makes n bytes what the caller holds of the data: 53200 where there is no memory for them.
func (c *CopyIn) Reserve(n int64) error { return c.data.MustToOf(&c.p.mem, n) }

// Options says how the data is written.
func (c *CopyIn) Options() *copyfmt.Options { return &c.plan.opts }

// Table names the target, for messages.
func (c *CopyIn) Table() string { return c.plan.table }

// Columns are the target columns, in the order of the data.
func (c *CopyIn) Columns() []Column { return c.plan.cols }

// IOEnv is how values in the data are read: whatever the statement sets, it stays.
func (c *CopyIn) IOEnv() *types.IOEnv { return &c.io }

// Allowed refuses what Write would refuse before the first row. Who serves a client asks it
// before the client is asked for rows.
func (c *CopyIn) Allowed() error { return c.q.allowed() }

func (c *CopyIn) start(ctx context.Context) error {
	c.p.started = true
	if err := c.p.s.startStatement(c.p); err != nil {
		c.feed.Refuse(err)
		return err
	}
	s := c.p.s
	c.q.chunks = !s.tx.inTransaction() && !s.txnsOf(c.q.st.plan).Atomic()
	c.feed.Start(c.p.ctx, c.run)
	return nil
}

func (c *CopyIn) run() (err error) {
	for err == nil {
		_, err = c.q.next(c.p.ctx)
	}
	if closed := c.q.close(); err == io.EOF {
		err = closed
	}
	return err
}

// Write takes a batch of rows: one Vec per column, valid until the next call
// returns. An error is final, may be of an earlier batch, and says in Where how far the
// data was read.
func (c *CopyIn) Write(ctx context.Context, rows *vec.Batch, lines *copyfmt.Lines) (err error) {
	defer c.p.s.guard(&err)
	if !c.feed.Started() {
		if err := c.start(ctx); err != nil {
			return c.fail(err)
		}
	}
	armed := c.p.armFor(ctx, c.limit)
	defer armed.stop()
	return c.give(rows, lines)
}

// give waits until the statement is done with the rows before.
func (c *CopyIn) give(rows *vec.Batch, lines *copyfmt.Lines) error {
	if !c.feed.Give(rows, lines.First) {
		return c.fail(c.feed.Err())
	}
	c.lines = lines
	return nil
}

// Finish ends the data and commits, or leaves the rows to the transaction
// block. It gives the tag, "COPY n".
func (c *CopyIn) Finish(ctx context.Context) (tag string, err error) {
	defer c.p.s.guard(&err)
	if !c.feed.Started() {
		if err := c.start(ctx); err != nil {
			return "", c.fail(err)
		}
	}
	armed := c.p.armFor(ctx, c.limit)
	c.feed.Close()
	armed.stop()
	if err := c.feed.Err(); err != nil {
		return "", c.fail(err)
	}
	c.p.done = true
	c.p.finish(nil)
	if err := c.p.s.endStatement(c.p, nil); err != nil {
		return "", c.p.s.failed(err)
	}
	return c.tag(0), nil
}

// Abort drops the rows: a CopyFail, bad data, or a client that went away. The
// session's transaction block, if there is one, has failed. It gives the error
// to tell: where the table refuses a row before the bad data, that one.
func (c *CopyIn) Abort(cause error) (err error) {
	defer c.p.s.guard(&err)
	if c.p.err != nil || c.p.done {
		return cause
	}
	if e := sqlerr.As(cause); c.feed.Started() && e != nil && e.Code != sqlerr.QueryCanceled {
		armed := c.p.armFor(c.p.ctx, c.limit)
		err = c.give(nil, &copyfmt.Lines{})
		armed.stop()
		if err != nil {
			return err
		}
	}
	c.p.fail(c.end(cause))
	return cause
}

// fail ends the statement by an error that it has itself, and says at which line.
func (c *CopyIn) fail(err error) error {
	err = c.end(err)
	if e := sqlerr.As(err); e != nil && e.Code != sqlerr.QueryCanceled {
		if at := c.where(e.Code); at != "" {
			where := *e
			where.AddWhere(at)
			err = &where
		}
	}
	return c.p.fail(err)
}

// end ends the statement, and gives the cause: err, or what ended it before.
func (c *CopyIn) end(err error) error {
	c.p.cancel(err)
	c.feed.Wait()
	return c.p.cause(err)
}

// where says which line the statement failed at, or among which lines; "" where it was at none.
// The text of a line is told where the row itself is refused, and not where it meets others:
// by then PostgreSQL has read on.
func (c *CopyIn) where(code sqlerr.Code) string {
	failed := int64(0)
	if c.q.cx != nil {
		failed = int64(c.q.cx.FailedRow)
	}
	switch first, n := c.feed.At(failed); n {
	case 0:
		return ""
	case 1:
		if code == sqlerr.UniqueViolation {
			return copyfmt.LineContext(c.plan.table, first)
		}
		return c.lines.Line(c.plan.table, first)
	default:
		return fmt.Sprintf("COPY %s, lines %d to %d", c.plan.table, first, first+n-1)
	}
}

func (c *CopyIn) next(context.Context) (*vec.Batch, error) {
	return nil, sqlerr.Internal(nil, "a COPY FROM was run as a query")
}

func (c *CopyIn) tag(int64) string { return fmt.Sprintf("COPY %d", c.q.rows) }

// close waits for the statement: its context has ended, or it has.
func (c *CopyIn) close() error {
	if c.feed.Started() {
		c.p.cancel(errClosed)
		c.feed.Wait()
	}
	return nil
}
