package session

import (
	"context"
	"strconv"

	"github.com/saltsql/saltsql/internal/govalue"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
)

// What goapi asks of a session beside what the protocol does.

// PrepareText is Prepare of a text whose columns nobody has seen; one with arguments is no
// other text's shape.
func (s *Session) PrepareText(ctx context.Context, text string, args bool) (st *Stmt, err error) {
	if p := s.db.shaped(text); p != nil && !args {
		st, err = s.PrepareParsed(ctx, p, nil)
	} else {
		st, err = s.Prepare(ctx, text, nil)
	}
	if err == nil {
		st.Reshape()
		st.Passing()
	}
	return st, err
}

// BindValues is Bind of Go's values to a portal that is no cursor; nil has none.
func (s *Session) BindValues(ctx context.Context, st *Stmt, args []any) (*Portal, error) {
	return s.bind(ctx, s.rowsName(), st, nil, args)
}

// datums are Go's values as parameters of the types given, in the room that there is.
func (s *Session) datums(room []types.Datum, args []any, ts []types.T) ([]types.Datum, error) {
	return govalue.Datums(room, args, ts, s.IOEnv())
}

// rowsName names a portal that BindValues makes: as no cursor, and no other of these that is
// open. The usual one is the unnamed portal.
func (s *Session) rowsName() string {
	if s.portals.get("") == nil {
		return ""
	}
	return "\x00" + strconv.FormatInt(s.begun, 10) // Bind has counted on for each before
}

// Nullable says whether column i of a result may be NULL, where the plan tells.
func (st *Stmt) Nullable(i int) (nullable, known bool) {
	if st.plan == nil {
		return false, false
	}
	return planner.Nullable(st.plan, i)
}

// Close closes the portal, where it is not closed yet.
func (p *Portal) Close() {
	if p.s.portals.get(p.name()) == p {
		p.s.ClosePortal(p.name())
	}
}

// ForgetFailure leaves out what failed before outside of a block.
func (s *Session) ForgetFailure() {
	if !s.tx.inTransaction() {
		s.tx.broken = false
	}
}

// Written is how many rows were written.
func (c *CopyIn) Written() int64 { return c.q.rows }
