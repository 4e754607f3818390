package session

import (
	"context"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
)

// runPrepare is SQL's PREPARE.
func (s *Session) runPrepare(ctx context.Context, u *tree.Prepare) error {
	hints, domains := make([]types.T, len(u.Types)), map[int]types.T{}
	for i, n := range u.Types {
		t, err := planner.TypeOf(s.ddlContext(), n)
		if err != nil {
			return err
		}
		hints[i] = t.Base() // a length says nothing of a parameter
		if t.Domain() != nil {
			domains[i] = t
		}
	}
	if _, ok := s.stmts[u.Name]; ok {
		return sqlerr.New(sqlerr.DuplicatePreparedStatement, "prepared statement %q already exists", u.Name)
	}
	st := &Stmt{st: u.Stmt, hints: hints, domains: domains, bySQL: true}
	if err := s.planStmt(ctx, st); err != nil {
		return err
	}
	return s.keepStmt(u.Name, st)
}

func (s *Session) prepared(name string) (*Stmt, error) {
	if st, ok := s.stmts[name]; ok {
		return st, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidSQLStatementName, "prepared statement %q does not exist", name)
}

func (s *Session) deallocate(u *tree.Deallocate) error {
	if u.All {
		s.dropStmts()
		return nil
	}
	if _, err := s.prepared(u.Name); err != nil {
		return err
	}
	s.dropStmt(u.Name)
	return nil
}

// executed finds what EXECUTE runs, and the EXECUTE that runs it: the protocol's Parse
// may have prepared an EXECUTE of another statement. 54001 where that comes back to
// itself, which only what is prepared under a name that was closed can do.
func (s *Session) executed(u *tree.Execute) (*Stmt, *tree.Execute, error) {
	for range len(s.stmts) + 1 {
		st, err := s.prepared(u.Name)
		if err != nil {
			return nil, nil, err
		}
		if st.Empty() {
			return st, u, nil
		}
		inner, ok := st.st.Utility.(*tree.Execute)
		if !ok {
			return st, u, nil
		}
		if err := argumentCount(u, st); err != nil {
			return nil, nil, err
		}
		u = inner
	}
	return nil, nil, sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
		WithHint("Prepared statement %q executes itself.", u.Name)
}

// argumentCount is 42601 for too few or too many arguments. A statement that neither has parameters nor was
// declared with some takes any, and they are not evaluated, as in PostgreSQL.
func argumentCount(u *tree.Execute, st *Stmt) error {
	n := max(len(st.params), len(st.hints))
	if len(u.Args) == n || n == 0 {
		return nil
	}
	return sqlerr.New(sqlerr.SyntaxError, "wrong number of parameters for prepared statement %q", u.Name).
		WithDetail("Expected %d parameters but got %d.", n, len(u.Args))
}

// newExecute is SQL's EXECUTE: the prepared statement's own runner, with its
// arguments evaluated and cast to the parameters' types.
func (s *Session) newExecute(ctx context.Context, p *Portal, u *tree.Execute) (runner, error) {
	st, u, err := s.executed(u)
	if err != nil {
		return nil, err
	}
	if err := s.refresh(ctx, st); err != nil {
		return nil, err
	}
	if err := argumentCount(u, st); err != nil {
		return nil, err
	}
	if st.Empty() {
		return &command{do: func(context.Context) (string, [][]string, error) { return u.Tag(), nil, nil }}, nil
	}
	args := make([]types.Datum, len(st.params))
	for i := range args {
		t := st.params[i]
		if d, ok := st.domains[i]; ok {
			t = d
		}
		if args[i], err = s.constant(&u.Args[i], t); err != nil {
			return nil, err
		}
	}
	inner := &Portal{s: s, stmt: st, cols: st.cols}
	run, err := s.newRunner(ctx, inner, args)
	if _, ok := run.(*copyOut); ok {
		p.cols = inner.cols // COPY has none of its own that a client is told of
	}
	return run, err
}
