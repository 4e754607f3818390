package session

import (
	"context"
	"fmt"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/scroll"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// cursors are portals that DECLARE made; FETCH takes rows from them forwards.
// The portal's runner is a *cursorRunner, which remembers its place in the
// batch last read.
type cursorRunner struct {
	inner  runner
	once   scroll.Once
	scroll *scroll.Cursor // nil: rows are given once, in order
}

// cursorOf gives the runner of a portal that keeps rows between two calls.
func cursorOf(p *Portal) *cursorRunner {
	c, ok := p.run.(*cursorRunner)
	if !ok {
		c = &cursorRunner{inner: p.run}
		p.run = c
	}
	return c
}

// next gives what is left of the batch that is held, and then what follows.
func (c *cursorRunner) next(ctx context.Context) (*vec.Batch, error) {
	if b := c.once.Rest(); b != nil {
		return b, nil
	}
	return c.inner.next(ctx)
}

func (c *cursorRunner) tag(rows int64) string { return c.inner.tag(rows) }

// close ends the query. What has been read of a cursor that scrolls stays until its portal
// is closed.
func (c *cursorRunner) close() error { return c.inner.close() }

// Unread gives back the rows of b, which is the batch that Next gave last, from the one
// at next on: the next call of Next gives them again, or a FETCH from p.
func (p *Portal) Unread(b *vec.Batch, next int) {
	c := cursorOf(p)
	if c.scroll != nil {
		c.scroll.Unread(next)
		return
	}
	c.once.Keep(b, next)
	if f, ok := c.inner.(*fetch); ok && f.once {
		c.once.Pack() // the cursor's rows, which do not stay
	}
	p.Suspend()
}

// newDeclare is DECLARE … CURSOR. The cursor outlives the caller's parameters.
func (s *Session) newDeclare(outer *Stmt, u *tree.DeclareCursor, args []types.Datum) (runner, error) {
	params := make([]types.Datum, len(args))
	for i, a := range args {
		params[i] = a.Clone(outer.params[i])
	}
	return &command{do: func(ctx context.Context) (string, [][]string, error) {
		switch {
		case u.Scroll && u.NoScroll:
			return "", nil, sqlerr.New(sqlerr.InvalidCursorDefinition, "cannot specify both %s and %s", "SCROLL", "NO SCROLL")
		case u.Asensitive && u.Insensitive:
			return "", nil, sqlerr.New(sqlerr.InvalidCursorDefinition, "cannot specify both %s and %s", "ASENSITIVE", "INSENSITIVE")
		case u.Binary:
			return "", nil, sqlerr.Unsupported("BINARY cursors are not supported", "Ask for binary results in the protocol's Bind.")
		}
		st := &Stmt{st: u.Query, hints: outer.params}
		if err := s.planStmt(ctx, st); err != nil {
			return "", nil, err
		}
		if err := mayDeclare(u, st); err != nil {
			return "", nil, err
		}
		if !u.Hold && s.tx.status == TxIdle && !s.tx.text {
			return "", nil, sqlerr.New(sqlerr.NoActiveSQLTransaction, "DECLARE CURSOR can only be used in transaction blocks")
		}
		p, err := s.Bind(ctx, u.Name, st, params)
		if err != nil {
			return "", nil, err
		}
		if err := p.look(ctx); err != nil {
			s.ClosePortal(u.Name)
			return "", nil, err
		}
		p.run = &cursorRunner{inner: p.run, scroll: s.newScroll(p, u)}
		p.declared = &declared{text: outer.Text(), hold: u.Hold, scroll: u.Scroll || u.Hold && !u.NoScroll}
		if u.Hold && !s.tx.inTransaction() {
			if err := s.persist(ctx); err != nil {
				s.ClosePortal(u.Name)
				return "", nil, err
			}
		}
		return u.Tag(), nil, nil
	}}, nil
}

// mayDeclare refuses a cursor whose query writes, or locks rows that the cursor reads more
// than once or after the transaction.
func mayDeclare(u *tree.DeclareCursor, st *Stmt) error {
	if q, ok := st.st.DML.(tree.Query); ok && q.Outer().With.Writes() {
		return sqlerr.New(sqlerr.FeatureNotSupported, "DECLARE CURSOR must not contain data-modifying statements in WITH")
	}
	locks := locksOf(st.st)
	if len(locks) == 0 {
		return nil
	}
	switch words := locks[0].Strength; {
	case u.Hold:
		return sqlerr.New(sqlerr.FeatureNotSupported, "DECLARE CURSOR WITH HOLD ... %s is not supported", words).
			WithDetail("Holdable cursors must be READ ONLY.")
	case u.Scroll:
		return sqlerr.New(sqlerr.FeatureNotSupported, "DECLARE SCROLL CURSOR ... %s is not supported", words).
			WithDetail("Scrollable cursors must be READ ONLY.")
	case u.Insensitive:
		return sqlerr.New(sqlerr.InvalidCursorDefinition, "DECLARE INSENSITIVE CURSOR ... %s is not valid", words).
			WithDetail("Insensitive cursors must be READ ONLY.")
	}
	return nil
}

// declared is what DECLARE said of a cursor.
type declared struct {
	text         string
	hold, scroll bool
}

// look starts a cursor's query: it sees the rows as they are now, whatever is
// written before they are fetched.
func (p *Portal) look(ctx context.Context) error {
	if !p.stmt.plan.ReadOnly {
		return nil
	}
	p.started, p.q.frozen = true, true
	if err := p.s.startStatement(p); err != nil {
		return err
	}
	armed := p.arm(ctx)
	defer armed.stop()
	return p.q.start(p.ctx)
}

func (s *Session) cursor(name string) (*Portal, error) {
	p := s.portals.get(name)
	if p == nil || name == "" {
		return nil, sqlerr.New(sqlerr.InvalidCursorName, "cursor %q does not exist", name)
	}
	return p, nil
}

func (s *Session) closeCursor(u *tree.CloseCursor) error {
	if u.All {
		for p := range s.portals.all {
			if p.named != nil && !p.runs() {
				s.ClosePortal(p.name())
			}
		}
		return nil
	}
	p, err := s.cursor(u.Name)
	if err != nil {
		return err
	}
	if p.runs() {
		return sqlerr.New(sqlerr.InvalidCursorState, "cannot drop active portal %q", u.Name)
	}
	s.ClosePortal(u.Name)
	return nil
}

// maxFetchDepth is how many portals may stand one on another: the protocol's Bind
// makes a portal of FETCH too, which FETCH may name.
//
//saltsql:limit statements: EXECUTE and FETCH that run one another (54001)
const maxFetchDepth = 100

func (s *Session) newFetch(outer *Portal, u *tree.Fetch) (runner, error) {
	p, err := s.cursor(u.Cursor)
	if err != nil {
		return nil, err
	}
	if outer.depth = p.depth + 1; outer.depth > maxFetchDepth {
		return nil, sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("Cursors that fetch from cursors may nest %d deep.", maxFetchDepth)
	}
	if p.broken || p.cols == nil || p.CopyIn() != nil || p.CopyOut() != nil {
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "portal %q cannot be run", u.Cursor)
	}
	c := cursorOf(p)
	if c.scroll != nil {
		return &fetch{fetcher: scroll.NewFetch(c.scroll, u), p: p, u: u}, nil
	}
	return &fetch{fetcher: scroll.NewFetchOnce(&c.once, queryRows{p}, u), p: p, u: u, once: true}, nil
}

// fetcher moves a cursor and gives the rows of a FETCH.
type fetcher interface {
	Next(ctx context.Context) (*vec.Batch, error)
	Moved() bool
	Passed() int64
}

// fetch is FETCH and MOVE.
type fetch struct {
	fetcher
	p       *Portal // the cursor
	u       *tree.Fetch
	once    bool // p gives its rows once: what is given are its own
	reading bool // rows of p may be in use
}

func (f *fetch) next(ctx context.Context) (*vec.Batch, error) {
	if f.once && !f.reading {
		f.reading = true
		f.p.readers++
	}
	b, err := f.Next(ctx)
	if !f.Moved() {
		f.p.broken = true
	}
	return b, err
}

func (f *fetch) tag(rows int64) string {
	if f.u.Move {
		return fmt.Sprintf("MOVE %d", f.Passed())
	}
	return fmt.Sprintf("FETCH %d", rows)
}

func (f *fetch) close() error {
	switch {
	case f.reading:
		f.reading = false
		f.p.readers--
	case f.once:
		return nil
	}
	f.p.Suspend()
	return nil
}

// newScroll makes what keeps the rows of a cursor that goes back or outlives its transaction;
// nil for any other.
func (s *Session) newScroll(p *Portal, u *tree.DeclareCursor) *scroll.Cursor {
	if !u.Scroll && !u.Hold {
		return nil
	}
	return scroll.New(queryRows{p}, &s.held, s.db.opts.TempDir, u.NoScroll)
}

// queryRows are the rows of a portal's query, whatever its cursor has kept of them.
type queryRows struct{ *Portal }

func (r queryRows) Types() []types.T {
	ts := make([]types.T, len(r.cols))
	for i := range r.cols {
		ts[i] = r.cols[i].Type
	}
	return ts
}

// persist reads what is left of the cursors WITH HOLD that were declared in a transaction,
// before it commits: from then on they need it no more.
func (s *Session) persist(ctx context.Context) error {
	for p := range s.portals.all {
		c, ok := p.run.(*cursorRunner)
		if !ok || c.scroll == nil || !p.declared.hold || p.persisted {
			continue
		}
		if err := c.scroll.ReadAll(ctx); err != nil {
			return err
		}
		p.persisted = true
	}
	return nil
}
