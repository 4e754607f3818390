package live

import (
	"context"
	"fmt"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/jobs"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// A materialized view is a table whose rows REFRESH makes anew: it fills storage tables of
// their own, and has them be read by one change of the catalog. What dies in the middle leaves
// a job that any server undoes.
//
//	planned   the storage tables of the copy are made; nobody touches them
//	copying   the statement's session fills them, under the job's lease
//	(switch)  the descriptor names them; those of before are retired until nobody reads them

// RefreshOptions are what is asked of REFRESH MATERIALIZED VIEW.
type RefreshOptions struct {
	Concurrently bool // wants a populated view with a unique index
	NoData       bool
	PID          int // of the session that waits
}

// refreshPoll is how often a REFRESH looks whether another one of the same view has ended.
const refreshPoll = 20 * time.Millisecond

// RefreshMaterialized gives a materialized view the rows of its query, which fill writes into
// the table it is given. 42809 for another relation, 55000 or 0A000 where CONCURRENTLY is not
// possible.
func (c *Catalog) RefreshMaterialized(ctx context.Context, name catalog.Name, by RefreshOptions, fill func(ctx context.Context, to *catalog.Table) error) error {
	for {
		job, wait, err := c.beginRefresh(ctx, name, by)
		switch {
		case err != nil:
			return err
		case wait:
			if err := versions.Sleep(ctx, refreshPoll); err != nil {
				return catalog.FromStorage(err, "waiting for another REFRESH")
			}
			continue
		case job == nil:
			return sqlerr.New(sqlerr.QueryCanceled, "the refresh of the materialized view was canceled").WithHint("Repeat the statement.")
		}
		return c.jobs.RunRefresh(ctx, job, func(ctx context.Context, to *catalog.Table) error {
			if by.NoData {
				return nil
			}
			return fill(ctx, to)
		})
	}
}

// beginRefresh makes the copy's storage, and takes its job. wait says that another REFRESH is at
// work.
func (c *Catalog) beginRefresh(ctx context.Context, name catalog.Name, by RefreshOptions) (job *jobs.Job, wait bool, err error) {
	err = c.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
		var id uint32
		s, _, err := c.Change(ctx, func(ch *change.Change) error {
			id, wait = 0, false
			t, err := findMaterialized(ch, name)
			if err != nil {
				return err
			}
			if err := t.mayRefresh(by, name.Pos); err != nil {
				return err
			}
			switch {
			case t.Rewrite != nil:
				wait = true
				return change.ErrNothing
			case len(t.Jobs()) > 0:
				return indexBeingMade(t.Table, "REFRESH MATERIALIZED VIEW")
			}
			mark, err := ch.NewID()
			if err != nil {
				return err
			}
			to := t.Clone()
			storeAnew(ch, t.Table, to, mark)
			rw := &catalog.Rewrite{
				ID: mark, Physical: to.Physical, Indexes: map[uint32]string{}, Empty: by.NoData, Started: c.Options.Now(),
				SaltBuckets: t.Options.SaltBuckets, SaltColumns: t.Options.SaltColumns,
			}
			for i := range to.Indexes {
				rw.Indexes[to.Indexes[i].ID] = to.Indexes[i].Physical
			}
			cp := t.Clone()
			cp.Rewrite, id = rw, t.ID
			ch.Set(cp, catalog.StatePublic)
			return cp.Finish()
		})
		if err != nil || wait {
			return err
		}
		t := s.TableByID(id)
		if t == nil || t.Rewrite == nil {
			return versions.ErrMoved
		}
		if job, err = c.jobs.Take(ctx, t.Rewrite.ID, t, by.PID); err == nil && job != nil {
			err = c.makeCopy(ctx, h, t)
		}
		if err != nil {
			c.jobs.UndoRewrite(ctx, h, t.ID, t.Rewrite.ID)
			job.Release(ctx)
			job = nil
		}
		return err
	})
	return job, wait, err
}

// makeCopy makes the storage of a planned copy, which the job fills from then on.
func (c *Catalog) makeCopy(ctx context.Context, h *versions.Held, t *catalog.Table) error {
	to, _, err := t.Refreshed()
	if err != nil {
		return err
	}
	if err := c.createStorage(ctx, h, to); err != nil {
		return catalog.FromStorage(err, "creating the storage of the materialized view's rows")
	}
	_, err = h.Revise(ctx, t.ID, func(now *catalog.Table, _ uint64) (bool, error) {
		return true, jobs.SetRewrite(now, t.Rewrite.ID, func(r *catalog.Rewrite) { r.State = catalog.RewriteCopying })
	})
	return err
}

// materialized is a table that is a materialized view.
type materialized struct{ *catalog.Table }

// findMaterialized resolves the name of a REFRESH, for the owner.
func findMaterialized(ch *change.Change, n catalog.Name) (materialized, error) {
	none := materialized{}
	if err := ch.MayUseSchema(n.Schema); err != nil {
		return none, err
	}
	r, err := ch.Resolve(n.Path, n.Schema, n.Name)
	if err != nil {
		return none, catalog.Positioned(err, n.Pos)
	}
	t, ok := r.(*catalog.Table)
	if !ok {
		return none, sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a table or materialized view`, n.Name)
	}
	if err := ch.MustOwn(t); err != nil {
		return none, err
	}
	if t.Materialized == nil {
		return none, sqlerr.New(sqlerr.FeatureNotSupported, `"%s" is not a materialized view`, n.Name)
	}
	return materialized{t}, nil
}

// mayRefresh refuses CONCURRENTLY where PostgreSQL does: it tells rows by a unique index, though
// here readers are never in the way.
func (t materialized) mayRefresh(by RefreshOptions, pos int) error {
	switch {
	case by.Concurrently && !t.Materialized.Populated:
		return sqlerr.New(sqlerr.FeatureNotSupported, "CONCURRENTLY cannot be used when the materialized view is not populated")
	case by.Concurrently && by.NoData:
		return sqlerr.New(sqlerr.SyntaxError, "CONCURRENTLY and WITH NO DATA options cannot be used together")
	case by.Concurrently && !t.hasUniqueIndex():
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `cannot refresh materialized view "%s" concurrently`, ident.Quote(t.Schema)+"."+ident.Quote(t.Name)).
			WithHint("Create a unique index with no WHERE clause on one or more columns of the materialized view.")
	}
	return nil
}

// hasUniqueIndex says that rows are told by columns: by a key, or a unique index of whole columns
// without WHERE.
func (t materialized) hasUniqueIndex() bool {
	if t.HiddenKey() == nil {
		return true
	}
	for i := range t.Indexes {
		ix := &t.Indexes[i]
		plain := ix.Unique && ix.Readable() && ix.Where == ""
		for k := range ix.Parts {
			plain = plain && ix.Parts[k].Column != 0
		}
		if plain {
			return true
		}
	}
	return false
}

// mayMaterialize says that what a materialized view in the making names is still there.
func mayMaterialize(ch *change.Change, t *catalog.Table) error {
	if t.Materialized == nil {
		return nil
	}
	for _, id := range t.Materialized.DependsOn {
		if ch.Member(id) == nil {
			return sqlerr.New(sqlerr.UndefinedTable, "a relation that materialized view %q names was dropped at the same time", t.Name)
		}
	}
	return nil
}

// DropMaterialized removes materialized views, as DropTable does tables.
func (c *Catalog) DropMaterialized(ctx context.Context, names []catalog.Name, ifExists, cascade bool) (catalog.Notices, error) {
	return c.dropStored(ctx, "materialized view", names, ifExists, cascade)
}

// AlterMaterialized applies actions to a materialized view: those that change no column.
func (c *Catalog) AlterMaterialized(ctx context.Context, name catalog.Name, ifExists bool, actions []AlterAction) (catalog.Notices, error) {
	for _, a := range actions {
		switch a.(type) {
		case RenameTable, RenameColumn, SetSchema, SetOptions, ResetOptions:
		default:
			return nil, fmt.Errorf("catalog: %T is no action of a materialized view", a)
		}
	}
	return c.alterStored(ctx, altered{name: name, kind: "materialized view", ifExists: ifExists, actions: actions}, AlterHooks{})
}
