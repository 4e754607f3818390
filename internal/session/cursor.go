package session

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/saltsql/saltsql/exec/spill"
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
	held   held
	scroll *scroll.Cursor // nil: rows are given once, in order
	eof    bool
	at     int64 // rows that FETCH and MOVE have passed
	rest   vec.Batch
	sel    []uint16
}

// held is a batch that a cursor keeps between two FETCHes, with how much of it
// was given out.
type held struct {
	batch  *vec.Batch
	next   int
	packed *spill.PackedRows // in place of batch, where the portal is parked
}

// pack keeps what is left of the batch in as few bytes as it takes.
func (h *held) pack() {
	if h.batch != nil && h.next < h.batch.Rows() {
		h.packed = spill.CopyRows(h.batch, h.next)
	}
	h.batch, h.next = nil, 0
}

// left gives the batch, if rows of it are left.
func (h *held) left() *vec.Batch {
	if h.packed != nil {
		h.batch, h.next, h.packed = h.packed.Unpack(), 0, nil
	}
	if h.batch == nil || h.next >= h.batch.Rows() {
		return nil
	}
	return h.batch
}

// next gives what is left of the batch that is held, and then what follows.
func (c *cursorRunner) next(ctx context.Context) (*vec.Batch, error) {
	h := &c.held
	if b := h.left(); b != nil {
		c.rest, c.sel = h.slice(b.Rows()-h.next, c.sel)
		h.batch = nil
		return &c.rest, nil
	}
	return c.inner.next(ctx)
}

func (c *cursorRunner) tag(rows int64) string { return c.inner.tag(rows) }

// close ends the query. What has been read of a cursor that scrolls stays until its portal
// is closed.
func (c *cursorRunner) close() error { return c.inner.close() }

// slice gives out the next n rows, listed in sel, which may be the batch's own.
func (h *held) slice(n int, sel []uint16) (vec.Batch, []uint16) {
	sel = slices.Grow(sel[:0], n)
	for i := range n {
		sel = append(sel, uint16(h.batch.Row(h.next+i)))
	}
	h.next += n
	return vec.Batch{Cols: h.batch.Cols, N: h.batch.N, Sel: sel}, sel
}

// Unread gives back the rows of b, which is the batch that Next gave last, from the one
// at next on: the next call of Next gives them again, or a FETCH from p.
func (p *Portal) Unread(b *vec.Batch, next int) {
	c, ok := p.run.(*cursorRunner)
	if !ok {
		c = &cursorRunner{inner: p.run}
		p.run = c
	}
	if c.scroll != nil {
		c.scroll.Unread(next)
		return
	}
	c.held = held{batch: b, next: next}
	if _, ok := c.inner.(*fetch); ok {
		c.held.pack() // the cursor's rows, which do not stay
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
		case !u.Hold && s.tx.status == TxIdle && !s.tx.text:
			return "", nil, sqlerr.New(sqlerr.NoActiveSQLTransaction, "DECLARE CURSOR can only be used in transaction blocks")
		}
		st := &Stmt{st: u.Query, hints: outer.params}
		if err := s.planStmt(ctx, st); err != nil {
			return "", nil, err
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
			if p.named != nil && p != s.running {
				s.ClosePortal(p.name())
			}
		}
		return nil
	}
	p, err := s.cursor(u.Name)
	if err != nil {
		return err
	}
	if p == s.running {
		return sqlerr.New(sqlerr.InvalidCursorState, "cannot drop active portal %q", u.Name)
	}
	s.ClosePortal(u.Name)
	return nil
}

// fetch gives rows of a cursor that goes forward only, or skips them (MOVE).
type fetch struct {
	cursor  *Portal
	run     *cursorRunner
	u       *tree.Fetch
	skip    int64 // rows still to pass over
	want    int64 // rows still to give
	moved   int64
	reading bool // rows of the cursor may be in use
	out     vec.Batch
	sel     []uint16
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
	c, ok := p.run.(*cursorRunner)
	if !ok {
		c = &cursorRunner{inner: p.run}
		p.run = c
	}
	if c.scroll != nil {
		return &scrollFetch{Fetch: scroll.NewFetch(c.scroll, u), p: p, u: u}, nil
	}
	return &fetch{cursor: p, run: c, u: u}, nil
}

// plan says how many rows are passed over and how many are given from there, for a cursor
// that goes forward only.
func (f *fetch) plan() (skip, want int64, err error) {
	n, c := f.u.Count, f.run
	if f.u.All {
		n = math.MaxInt64
	}
	switch f.u.Direction {
	case tree.FetchAbsolute:
		switch pos := c.at; {
		case n == 0 || n > 0 && n-1 <= pos/2:
			if c.at > 0 || c.eof { // back to the start
				return 0, 0, scroll.ForwardOnly()
			}
			return max(n-1, 0), min(n, 1), nil
		case n < 0:
			return 0, 0, scroll.ForwardOnly()
		default:
			if c.eof {
				pos++
			}
			if n <= pos {
				return 0, 0, scroll.ForwardOnly()
			}
			return n - pos - 1, 1, nil
		}
	case tree.FetchRelative:
		if n > 0 {
			return n - 1, 1, nil
		}
	case tree.FetchBackward:
		if f.u.All && f.u.Move && c.at == 0 && !c.eof {
			return 0, 0, nil
		}
		n = -n
	}
	switch {
	case n > 0:
		return 0, n, nil
	case n < 0:
		return 0, 0, scroll.ForwardOnly()
	case !f.u.Move && f.u.Direction == tree.FetchBackward:
		return 0, 0, scroll.ForwardOnly() // BACKWARD 0, wherever it is
	case c.at == 0 || c.eof:
		return 0, 0, nil
	case f.u.Move:
		f.moved = 1 // it is on a row
		return 0, 0, nil
	}
	return 0, 0, scroll.ForwardOnly()
}

func (f *fetch) next(ctx context.Context) (*vec.Batch, error) {
	if !f.reading {
		f.reading = true
		f.cursor.readers++
		var err error
		if f.skip, f.want, err = f.plan(); err != nil {
			f.cursor.broken = true
			return nil, err
		}
	}
	for f.skip > 0 || f.want > 0 {
		if f.run.eof {
			return nil, io.EOF
		}
		h := &f.run.held
		if h.left() == nil {
			b, err := f.cursor.Next(ctx)
			if err == io.EOF {
				f.run.eof = true
			}
			if err != nil {
				return nil, err
			}
			h.batch, h.next = b, 0
		}
		n := int64(h.batch.Rows() - h.next)
		if f.skip > 0 {
			n = min(n, f.skip)
			f.skip -= n
			f.run.at += n
			h.next += int(n)
			continue
		}
		n = min(n, f.want)
		if f.want != math.MaxInt64 {
			f.want -= n
		}
		f.moved += n
		f.run.at += n
		if f.u.Move || n == 0 {
			h.next += int(n)
			continue
		}
		f.out, f.sel = h.slice(int(n), f.sel)
		return &f.out, nil
	}
	return nil, io.EOF
}

func (f *fetch) tag(rows int64) string {
	if f.u.Move {
		return fmt.Sprintf("MOVE %d", f.moved)
	}
	return fmt.Sprintf("FETCH %d", rows)
}

func (f *fetch) close() error {
	if f.reading {
		f.reading = false
		f.cursor.readers--
		f.cursor.Suspend()
	}
	return nil
}
