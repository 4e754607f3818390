package saltsql

import (
	"context"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// runPrepare is SQL's PREPARE.
func (s *Session) runPrepare(ctx context.Context, u *dialect.Prepare) error {
	hints := make([]types.T, len(u.Types))
	for i, n := range u.Types {
		t, err := typeOf(n)
		if err != nil {
			return err
		}
		hints[i] = t
	}
	if _, ok := s.stmts[u.Name]; ok {
		return sqlerr.New(sqlerr.DuplicatePreparedStatement, "prepared statement %q already exists", u.Name)
	}
	st := &Stmt{st: u.Stmt, hints: hints}
	if err := s.planStmt(ctx, st); err != nil {
		return err
	}
	s.stmts[u.Name] = st
	return nil
}

func (s *Session) prepared(name string) (*Stmt, error) {
	if st, ok := s.stmts[name]; ok {
		return st, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidSQLStatementName, "prepared statement %q does not exist", name)
}

func (s *Session) deallocate(u *dialect.Deallocate) error {
	if u.All {
		clear(s.stmts)
		return nil
	}
	if _, err := s.prepared(u.Name); err != nil {
		return err
	}
	delete(s.stmts, u.Name)
	return nil
}

// newExecute is SQL's EXECUTE: the prepared statement's own runner, with its
// arguments evaluated and cast to the parameters' types.
func (s *Session) newExecute(ctx context.Context, p *Portal, u *dialect.Execute) (runner, error) {
	st, err := s.prepared(u.Name)
	if err != nil {
		return nil, err
	}
	if err := s.refresh(ctx, st); err != nil {
		return nil, err
	}
	if len(u.Args) != len(st.params) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "wrong number of parameters for prepared statement %q", u.Name).
			WithDetail("Expected %d parameters but got %d.", len(st.params), len(u.Args))
	}
	args := make([]types.Datum, len(u.Args))
	for i := range u.Args {
		if args[i], err = s.constant(&u.Args[i], st.params[i]); err != nil {
			return nil, err
		}
	}
	inner := &Portal{s: s, stmt: st, cols: st.cols}
	return s.newRunner(ctx, inner, args)
}
