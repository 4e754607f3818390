package saltsql

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// cursors are portals that DECLARE made; FETCH takes rows from them forwards.
// The portal's runner is a *cursorRunner, which remembers its place in the
// batch last read.
type cursorRunner struct {
	inner runner
	held  held
	eof   bool
	rest  vec.Batch
	sel   []uint16
}

// held is a batch that a cursor keeps between two FETCHes, with how much of it
// was given out.
type held struct {
	batch *vec.Batch
	next  int
}

// next gives what is left of the batch that is held, and then what follows.
func (c *cursorRunner) next(ctx context.Context) (*vec.Batch, error) {
	if h := &c.held; h.batch != nil && h.next < h.batch.Rows() {
		c.rest, c.sel = h.slice(h.batch.Rows()-h.next, c.sel)
		h.batch = nil
		return &c.rest, nil
	}
	return c.inner.next(ctx)
}

func (c *cursorRunner) tag(rows int64) string { return c.inner.tag(rows) }
func (c *cursorRunner) close() error          { return c.inner.close() }

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
	c.held = held{b, next}
}

// newDeclare is DECLARE … CURSOR. The cursor outlives the caller's parameters.
func (s *Session) newDeclare(outer *Stmt, u *tree.DeclareCursor, args []types.Datum) (runner, error) {
	params := make([]types.Datum, len(args))
	for i, a := range args {
		params[i] = a.Clone(outer.params[i])
	}
	return &command{do: func(ctx context.Context) (string, [][]string, error) {
		switch {
		case u.Scroll:
			return "", nil, sqlerr.Unsupported("SCROLL cursors are not supported", "Declare the cursor without SCROLL, or query with ORDER BY … DESC.")
		case u.Hold:
			return "", nil, sqlerr.Unsupported("WITH HOLD cursors are not supported", "Fetch within the transaction, or page by key: WHERE (a, b) > ($1, $2).")
		case u.Binary:
			return "", nil, sqlerr.Unsupported("BINARY cursors are not supported", "Ask for binary results in the protocol's Bind.")
		case s.tx.status != TxActive:
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
		p.run = &cursorRunner{inner: p.run}
		return u.Tag(), nil, nil
	}}, nil
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
	p, ok := s.portals[name]
	if !ok || name == "" {
		return nil, sqlerr.New(sqlerr.InvalidCursorName, "cursor %q does not exist", name)
	}
	return p, nil
}

func (s *Session) closeCursor(u *tree.CloseCursor) error {
	if u.All {
		for name := range s.portals {
			if name != "" {
				s.ClosePortal(name)
			}
		}
		return nil
	}
	if _, err := s.cursor(u.Name); err != nil {
		return err
	}
	s.ClosePortal(u.Name)
	return nil
}

// fetch gives up to want rows of a cursor, or skips them (MOVE).
type fetch struct {
	cursor *Portal
	run    *cursorRunner
	want   int64 // rows still to give; -1 is all
	moved  int64
	move   bool
	out    vec.Batch
	sel    []uint16
}

// maxFetchDepth is how many portals may stand one on another: the protocol's Bind
// makes a portal of FETCH too, which FETCH may name.
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
	if p.cols == nil || p.CopyIn() != nil || p.CopyOut() != nil {
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "portal %q cannot be run", u.Cursor)
	}
	c, ok := p.run.(*cursorRunner)
	if !ok {
		c = &cursorRunner{inner: p.run}
		p.run = c
	}
	f := &fetch{cursor: p, run: c, want: u.Count, move: u.Move}
	switch {
	case u.Direction == tree.FetchForward && u.All:
		f.want = -1
	case u.Direction == tree.FetchForward && u.Count > 0, u.Direction == tree.FetchRelative && u.Count == 1:
	default:
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "cursor can only scan forward").
			WithHint("Declare it with ORDER BY … DESC to read backwards.")
	}
	return f, nil
}

func (f *fetch) next(ctx context.Context) (*vec.Batch, error) {
	for f.want != 0 {
		if f.run.eof {
			return nil, io.EOF
		}
		h := &f.run.held
		if h.batch == nil || h.next >= h.batch.Rows() {
			b, err := f.cursor.Next(ctx)
			if err == io.EOF {
				f.run.eof = true
			}
			if err != nil {
				return nil, err
			}
			h.batch, h.next = b, 0
		}
		n := h.batch.Rows() - h.next
		if f.want > 0 {
			n = int(min(int64(n), f.want))
			f.want -= int64(n)
		}
		f.moved += int64(n)
		if f.move || n == 0 {
			h.next += n
			continue
		}
		f.out, f.sel = h.slice(n, f.sel)
		return &f.out, nil
	}
	return nil, io.EOF
}

func (f *fetch) tag(rows int64) string {
	if f.move {
		return fmt.Sprintf("MOVE %d", f.moved)
	}
	return fmt.Sprintf("FETCH %d", rows)
}

func (f *fetch) close() error { return nil }
