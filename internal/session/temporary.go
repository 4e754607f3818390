package session

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/ddl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/maintenance"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/temporary"
	"github.com/saltsql/saltsql/storage/txn"
)

// snapshot is the catalog as the session sees it: with its temporary tables, without what its
// transaction block has dropped.
func (s *Session) snapshot() *catalog.Snapshot { return s.view.Snapshot() }

// txns is what reads and writes the tables that the session sees.
func (s *Session) txns() *txn.Manager { return s.view.Txns().For(s.tx.whole) }

// temporaries gives what the session has of temporary tables, made where it had none yet.
func (s *Session) temporaries(ctx context.Context) (*temporary.Tables, error) {
	if t := s.view.Own(); t != nil {
		return t, nil
	}
	o := &s.db.opts
	t, err := s.view.Open(ctx, &temporary.Options{
		Store: s.db.store, Txns: s.db.txns, Base: s.view.Database, Account: &s.held, Now: o.Now, Lease: o.Lease, Logger: o.Logger,
	})
	if err != nil {
		return nil, err
	}
	maintenance.FillIndexes(t.Catalog, t.Txns, o.Now)
	if s.tx.t != nil {
		if err := s.txns().Move(ctx, s.tx.t); err != nil {
			return nil, s.db.storageError(ctx, err)
		}
	}
	return t, nil
}

// DDL over temporary tables goes to the session's own catalog: by TEMPORARY where a table is
// made, else by what the names of the statement mean.

// ddlOf gives what carries out a statement that changes the catalog.
func (s *Session) ddlOf(ctx context.Context, u tree.Utility) (func(context.Context) (catalog.Notices, error), error) {
	switch c := u.(type) {
	case *tree.CreateTable:
		if !s.makesTemporary(u) {
			break
		}
		return func(ctx context.Context) (catalog.Notices, error) {
			_, notices, err := s.createTemporary(ctx, c)
			return notices, err
		}, nil
	case *tree.CreateView:
		return func(ctx context.Context) (catalog.Notices, error) { return s.createView(ctx, c) }, nil
	}
	r, err := s.runnerOf(u)
	if err != nil {
		return nil, err
	}
	return r.Statement(u), nil
}

// runnerOf gives the runner over the catalog that what a statement names is in: 0A000 where it
// names temporary and other tables.
func (s *Session) runnerOf(u tree.Utility) (*ddl.Runner, error) {
	if s.view.Own() == nil {
		return s.runner(), nil
	}
	switch temporary, err := s.naming().OfTemporary(u); {
	case err != nil:
		return nil, err
	case temporary:
		return s.tempRunner(), nil
	}
	return s.runner(), nil
}

// tempRunner is the runner over the catalog of temporary tables.
func (s *Session) tempRunner() *ddl.Runner {
	own := s.view.Own()
	return &ddl.Runner{Catalog: own.Catalog, Host: ddlHost{s}, Temp: own.Schema}
}

// naming is what names of statements mean to the session.
func (s *Session) naming() ddl.Naming {
	n := ddl.Naming{Snapshot: s.snapshot(), Path: s.searchPath(), Role: s.runner().Role}
	if own := s.view.Own(); own != nil {
		n.Temp = own.Schema
	}
	return n
}

// makesTemporary says that a statement makes a temporary table or view.
func (s *Session) makesTemporary(u tree.Utility) bool { return s.naming().MakesTemporary(u) }

// willBeTemporary is makesTemporary where a view is temporary by what it reads, too. What is
// wrong with the query is found later.
func (s *Session) willBeTemporary(ctx context.Context, u tree.Utility) bool {
	if s.makesTemporary(u) {
		return true
	}
	v, ok := u.(*tree.CreateView)
	if !ok || s.view.Own() == nil {
		return false
	}
	def, err := s.runner().ViewOf(s.asActor(ctx), v)
	return err == nil && ddl.ReadsTemporary(def)
}

// madeTemporary gives what the session has of temporary tables, to make name there: 42P16 for one
// in another schema, 42501 for who has not TEMPORARY on the database.
func (s *Session) madeTemporary(ctx context.Context, name tree.Name) (*temporary.Tables, error) {
	if name.Schema != "" && !s.naming().IsTemp(name.Schema) {
		return nil, sqlerr.New(sqlerr.InvalidTableDefinition, "cannot create temporary relation in non-temporary schema").At(name.Pos)
	}
	i := s.identity()
	if have, _ := i.Of.DatabaseRights(i.Current.ID); have&acl.Temporary == 0 {
		return nil, sqlerr.New(sqlerr.InsufficientPrivilege, `permission denied to create temporary tables in database "%s"`, s.opts.Database)
	}
	return s.temporaries(ctx)
}

// createView is CREATE VIEW, which makes a temporary one where it says so or reads such.
func (s *Session) createView(ctx context.Context, u *tree.CreateView) (notices catalog.Notices, err error) {
	r := s.runner()
	def, err := r.ViewOf(ctx, u)
	if err != nil {
		return nil, err
	}
	if !u.Temp && ddl.ReadsTemporary(def) {
		notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `view "%s" will be a temporary view`, u.Name.Name))
	} else if !s.makesTemporary(u) {
		_, notices, err = r.CreateViewOf(ctx, u, def)
		return notices, err
	}
	t, err := s.madeTemporary(ctx, u.Name)
	if err != nil {
		return notices, err
	}
	there := t.Catalog.Snapshot().Relation(t.Schema, u.Name.Name)
	v, more, err := s.tempRunner().CreateViewOf(ctx, u, def)
	if err == nil && there == nil {
		t.Made(v.ID, temporary.KeepRows)
	}
	return append(notices, more...), err
}

// createTemporary is CREATE TEMPORARY TABLE. IF NOT EXISTS gives no table where there is one.
func (s *Session) createTemporary(ctx context.Context, u *tree.CreateTable) (*catalog.Table, catalog.Notices, error) {
	t, err := s.madeTemporary(ctx, u.Name)
	if err != nil {
		return nil, nil, err
	}
	there := t.Catalog.Snapshot().Relation(t.Schema, u.Name.Name)
	table, notices, err := s.tempRunner().CreateTableOf(ctx, u)
	if err != nil || there != nil {
		return nil, notices, err
	}
	on := temporary.KeepRows
	switch u.OnCommit {
	case "delete rows":
		on = temporary.DeleteRows
	case "drop":
		on = temporary.DropTable
	}
	t.Made(table.ID, on)
	return table, notices, nil
}
