package session

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/ddl"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sequence"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// ROLLBACK must not lose rows. So what a block removes that others see, or removes on a store where it
// has no draft (draft.go), goes at COMMIT:
//
//	DROP       is tried on the snapshot, which the block sees from then on; COMMIT carries
//	           it out, after the rows
//	TRUNCATE   deletes the rows in the transaction; RESTART IDENTITY is the block's own until COMMIT

// deferredDrop is a DROP of the block that COMMIT carries out.
type deferredDrop struct {
	u     *tree.Drop
	actor catalog.Actor   // who dropped
	gone  map[uint32]bool // what it drops
}

// inBlock gives what carries out a statement that a block defers or does in its transaction; nil for
// any other.
func (s *Session) inBlock(u tree.Utility) func(context.Context) error {
	var run func(context.Context) error
	if d, ok := s.defers(u); ok {
		run = func(ctx context.Context) error { return s.deferDrop(ctx, d) }
	} else if t, ok := u.(*tree.Truncate); ok && s.tx.status != TxIdle {
		run = func(ctx context.Context) error { return s.truncateInBlock(ctx, t) }
	} else {
		return nil
	}
	return func(ctx context.Context) error {
		if s.tx.readOnly(s) {
			return sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", u.Tag())
		}
		if err := s.notInUse(u); err != nil {
			return err
		}
		return run(ctx)
	}
}

// defers says that a statement is carried out at COMMIT.
func (s *Session) defers(u tree.Utility) (*tree.Drop, bool) {
	d, ok := u.(*tree.Drop)
	if !ok || s.tx.status == TxIdle || d.Concurrently {
		return nil, false
	}
	switch d.Object {
	case "table", "view", "materialized view", "sequence", "schema", "type", "domain":
		temporary, err := s.naming().OfTemporary(u)
		return d, err == nil && !temporary
	}
	return nil, false
}

// deferDrop tries a DROP, and has the block see the catalog without what it drops.
func (s *Session) deferDrop(ctx context.Context, u *tree.Drop) error {
	d := deferredDrop{u: u, actor: catalog.ActorOf(s.asActor(ctx))}
	d.actor.Path = slices.Clone(d.actor.Path)
	var notices catalog.Notices
	_, gone, err := s.db.catalog.Rehearse(ctx, s.view.Database(), func(ctx context.Context) (err error) {
		notices, err = s.runDrop(ctx, &d)
		return err
	})
	for _, n := range notices {
		s.notice(n)
	}
	if err != nil || len(gone) == 0 {
		return err
	}
	d.gone = gone
	s.tx.drops = append(s.tx.drops, d)
	s.seeBlock()
	return nil
}

// runDrop runs a DROP as the one who wrote it.
func (s *Session) runDrop(ctx context.Context, d *deferredDrop) (catalog.Notices, error) {
	ctx = catalog.WithSearchPath(catalog.WithActor(ctx, d.actor.By, d.actor.DatabaseName), d.actor.Path)
	r := &ddl.Runner{Catalog: s.db.catalog, Host: dropHost{ddlHost{s}, d.actor.Path}}
	return r.Statement(d.u)(catalog.WithTemporaryViews(ctx, s.view.Views()))
}

// dropHost finds names by the search path of when the statement was written.
type dropHost struct {
	ddlHost
	path []string
}

func (h dropHost) SearchPath() []string { return h.path }

// rehearse tries all drops of the block on a snapshot, and says which of them would drop something else
// than they did; nil where none does.
func (s *Session) rehearse(ctx context.Context, on *catalog.Snapshot) (*catalog.Snapshot, error) {
	var failed error
	for i := range s.tx.drops {
		d := &s.tx.drops[i]
		left, gone, err := s.db.catalog.Rehearse(ctx, on, func(ctx context.Context) error {
			_, err := s.runDrop(ctx, d)
			return err
		})
		if err == nil && !maps.Equal(gone, d.gone) {
			err = sqlerr.New(sqlerr.SerializationFailure, "could not serialize access due to concurrent update").
				WithDetail("%s would not drop at COMMIT what it dropped in the transaction block.", d.u.Tag())
		}
		if err != nil {
			failed = err
			continue
		}
		on = left
	}
	return on, failed
}

// seeBlock has the session see the catalog as the block has changed it.
func (s *Session) seeBlock() {
	if d := s.tx.draft; d != nil {
		s.view.SeeDraft(d.catalog)
		return
	}
	if len(s.tx.drops) == 0 {
		s.view.See(nil)
		return
	}
	s.view.See(func(base *catalog.Snapshot) *catalog.Snapshot {
		left, _ := s.rehearse(context.Background(), base)
		return left
	})
}

// mayDrop says, before the rows of a block are committed, what stands against its drops.
func (s *Session) mayDrop(ctx context.Context) error {
	if len(s.tx.drops) == 0 {
		return nil
	}
	now, err := s.db.catalog.Refresh(ctx)
	if err != nil {
		return s.db.storageError(ctx, err)
	}
	_, err = s.rehearse(ctx, now)
	return err
}

// dropDeferred carries out the drops of a block whose rows are committed. What fails stays, and the
// client is told.
func (s *Session) dropDeferred(ctx context.Context, drops []deferredDrop) error {
	for i := range drops {
		_, err := s.runDrop(versions.WithWaiting(ctx, s.waiting), &drops[i])
		if err == nil {
			continue
		}
		e := sqlerr.As(s.db.storageError(ctx, err))
		if e == nil {
			return err
		}
		return e.WithDetail("The rows of the transaction are committed. %s was not carried out: %s", drops[i].u.Tag(), e.Detail)
	}
	return nil
}

// besideDropped refuses a statement that names what the block has dropped, which the catalog has
// until COMMIT: 42P01 where it changes it, 25001 where it makes another of the name.
func (s *Session) besideDropped(u tree.Utility) error {
	if len(s.tx.drops) == 0 {
		return nil
	}
	base, seen, path := s.db.catalog.Snapshot(), s.snapshot(), s.searchPath()
	for _, n := range ddl.Changed(u) {
		name := catalog.Name{Schema: n.Schema, Name: n.Name, Path: path}
		r := base.LookupOwn(name)
		if r == nil {
			if t, _ := base.IndexNamed(name); t != nil {
				r = t
			}
		}
		if r != nil && s.tx.dropped(r.RelID()) && seen.LookupOwn(name) == nil {
			return sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, n.Name).At(n.Pos)
		}
	}
	names, schema := ddl.Made(u)
	if schema != "" && base.Schema(schema) != nil && seen.Schema(schema) == nil {
		return inTheWay(u, schema)
	}
	for _, n := range names {
		name := catalog.Name{Schema: n.Schema, Name: n.Name, Path: path}
		in, err := base.CreationSchema(name)
		if err != nil {
			continue // which the statement says
		}
		if seen.Schema(in) == nil {
			_, err = seen.CreationSchema(name)
			return cmp.Or(err, inTheWay(u, in))
		}
		if id, ok := base.TakenBy(in, n.Name); ok && s.tx.dropped(id) {
			return inTheWay(u, n.Name)
		}
		if t, _ := base.TypeNamed(catalog.Name{Schema: in, Name: n.Name}); t != nil && s.tx.dropped(t.ID) {
			return inTheWay(u, n.Name)
		}
	}
	return nil
}

func inTheWay(u tree.Utility, name string) error {
	return sqlerr.New(sqlerr.ActiveSQLTransaction, `%s cannot run inside a transaction block that has dropped "%s"`, u.Tag(), name).
		WithDetail("DROP in a transaction block takes effect at COMMIT.").
		WithHint("COMMIT between the DROP and what makes its name anew.")
}

// dropped says that the block has dropped an object.
func (x *tx) dropped(id uint32) bool {
	return slices.ContainsFunc(x.drops, func(d deferredDrop) bool { return d.gone[id] })
}

// truncateInBlock is TRUNCATE in a block: it deletes the rows in the transaction.
func (s *Session) truncateInBlock(ctx context.Context, u *tree.Truncate) error {
	var names []catalog.Name
	for _, n := range u.Tables {
		names = append(names, catalog.Name{Schema: n.Schema, Name: n.Name, Path: s.searchPath(), Pos: n.Pos})
	}
	var tables []*catalog.Table
	err := ddlHost{s}.Lookup(ctx, func() (version uint64, err error) {
		snap := s.snapshot()
		tables, err = live.Truncated(s.asActor(ctx), snap, names, true) // logged row by row
		return snap.Version(), err
	})
	if err != nil {
		return err
	}
	for _, t := range tables {
		list, err := dialect.Parse("DELETE FROM " + ident.Quote(t.Schema) + "." + ident.Quote(t.Name))
		if err != nil {
			return err
		}
		rows := &Stmt{st: list[0]}
		if err := s.planStmt(ctx, rows); err != nil {
			return err
		}
		within, err := s.tx.txn(ctx, s)
		if err != nil {
			return err
		}
		if _, err := (ddlHost{s}).fill(ctx, rows.plan, within, s.entering); err != nil {
			return err
		}
	}
	if !u.RestartIdentity {
		return nil
	}
	for _, t := range tables {
		for _, q := range s.snapshot().OwnedSequences(t.ID) {
			if err := s.drawn.Restart(ctx, host{s}, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// publishWithin is how long COMMIT may take for the sequences that the block has begun anew.
const publishWithin = 10 * time.Second

// publishRestarts has others draw on from the sequences that a block has begun anew. The block is
// committed: what fails is a WARNING.
func (s *Session) publishRestarts(ctx context.Context, m sequence.Restarts) {
	ctx, cancel := context.WithTimeout(ctx, publishWithin)
	defer cancel()
	m.Publish(ctx, host{s}, func(q *catalog.Sequence, err error) {
		why := "It has been drawn from, or set, by another session meanwhile."
		if err != nil {
			why = s.db.storageError(ctx, err).Error()
		}
		s.notice(sqlerr.Warn(sqlerr.ObjectNotInPrerequisite, `sequence "%s" goes on where it was`, q.Name).
			WithDetail("%s", why).WithHint("ALTER SEQUENCE … RESTART begins it anew."))
	})
}
