package wire

import (
	"context"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/types"
)

// dbEngine serves a DB. The wrappers hold one pointer each, so that making an
// interface of them costs nothing.
type dbEngine struct{ db *session.DB }

func (e dbEngine) newSession(o session.SessionOptions) (engineSession, error) {
	s, err := e.db.NewSession(o)
	if err != nil {
		return nil, err
	}
	return dbSession{s}, nil
}

type dbSession struct{ *session.Session }

func (s dbSession) Split(ctx context.Context, text string) ([]parsed, error) {
	list, err := s.Session.Split(ctx, text)
	if err != nil {
		return nil, err
	}
	out := make([]parsed, len(list))
	for i, p := range list {
		out[i] = p
	}
	return out, nil
}

func (s dbSession) PrepareParsed(ctx context.Context, p parsed, paramTypes []types.T) (stmt, error) {
	return orNil(s.Session.PrepareParsed(ctx, p.(*session.Parsed), paramTypes))
}

func (s dbSession) Prepare(ctx context.Context, text string, paramTypes []types.T) (stmt, error) {
	return orNil(s.Session.Prepare(ctx, text, paramTypes))
}

func (s dbSession) SaveStmt(name string, st stmt) error {
	return s.Session.SaveStmt(name, st.(*session.Stmt))
}

func (s dbSession) NamedStmt(name string) (stmt, error) { return orNil(s.Session.NamedStmt(name)) }

func orNil(st *session.Stmt, err error) (stmt, error) {
	if err != nil {
		return nil, err
	}
	return st, nil
}

func (s dbSession) Bind(ctx context.Context, name string, st stmt, params []types.Datum) (portal, error) {
	p, err := s.Session.Bind(ctx, name, st.(*session.Stmt), params)
	if err != nil {
		return nil, err
	}
	return dbPortal{p}, nil
}

func (s dbSession) Portal(name string) (portal, error) {
	p, err := s.Session.Portal(name)
	if err != nil {
		return nil, err
	}
	return dbPortal{p}, nil
}

type dbPortal struct{ *session.Portal }

func (p dbPortal) CopyIn() copyIn {
	if c := p.Portal.CopyIn(); c != nil {
		return c
	}
	return nil
}

func (e dbEngine) rolePassword(user string) (text string, ok bool) { return e.db.RolePassword(user) }
func (e dbEngine) roleMember(user, role string) bool               { return e.db.RoleMember(user, role) }
