package live

import (
	"context"
	"maps"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/authz"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/usertype"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// Draft is what a transaction block has made of the catalog: see change.Draft.
//
//	CREATE            storage is made at once; the descriptor is in the draft, public
//	CREATE INDEX      of a table of the draft: filled with the rows that the block holds
//	ALTER TABLE       of a table of the draft: those rows are tested; of another's: what needs no test
//	DROP              a mark in the draft; the storage of what others see goes after Publish
//	Publish           one commit of the root, with the block's rows
//	Discard           the storage goes
type Draft = change.Draft

// DraftMark is a draft at a moment.
type DraftMark = change.DraftMark

// BlockRows is what a draft asks of the block that makes it.
type BlockRows interface {
	// Rows gives the store as the block sees it, with the rows that it has written.
	Rows(ctx context.Context) (storage.Store, error)
	// FillIndex writes the entries of the rows that the block sees into an index of a table of the draft.
	FillIndex(ctx context.Context, t *catalog.Table, ix *catalog.Index) error
}

// NewDraft begins a draft, and gives the catalog that changes it.
func (c *Catalog) NewDraft(rows BlockRows) *Catalog {
	k := c.Drafting(change.NewDraft(c.Keeper))
	return &Catalog{Keeper: k, Authority: authz.New(k), Types: usertype.New(k), jobs: c.jobs, rows: rows}
}

// Publish commits the draft, which the catalog is of. Rows of the block are written with it by write;
// nil where there are none. known is false where it cannot be told whether it was done; done may come
// with an error, too: see versions.Keeper.UpdateWith.
func (c *Catalog) Publish(ctx context.Context, write func(ctx context.Context, table string, rows []storage.RowMutation) error) (done, known bool, err error) {
	var s *catalog.Snapshot
	if write == nil {
		s, err = c.Keeper.Keeper.Update(ctx, c.Draft().Edit)
	} else {
		s, err = c.UpdateWith(ctx, c.Draft().Edit, func(ctx context.Context, rows []storage.RowMutation) error {
			return write(ctx, versions.SystemTable, rows)
		})
	}
	if s == nil {
		return false, sqlerr.CodeOf(err) != sqlerr.StatementCompletionUnknown, err
	}
	_, unused := c.Draft().Storage()
	c.discard(ctx, unused)
	return true, true, err
}

// FinishRemoved removes the storage and the values of what a draft that is published has removed. What
// is read still, or cannot be removed now, goes with the next DDL statement. The caller writes no table:
// who has the DDL lease may wait for that.
func (c *Catalog) FinishRemoved(ctx context.Context) {
	removed := c.Draft().Mark().Removed()
	if len(removed) == 0 {
		return
	}
	ctx, cancel := versions.Detached(ctx, c.Options.Lease)
	defer cancel()
	err := c.Keeper.Keeper.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
		real := &Catalog{Keeper: c.Committing(), jobs: c.jobs}
		return real.finishDropping(ctx, h, real.Snapshot())
	})
	if err != nil {
		c.Options.Logger.Warn("catalog: the storage of a dropped table is removed later", "err", err)
	}
	c.ForgetSequences(ctx, slices.Collect(maps.Keys(removed))) // of what is no sequence there is no row
}

// Discard removes what was made for a draft that will not be published.
func (c *Catalog) Discard(ctx context.Context) {
	c.Draft().RollbackTo(DraftMark{})
	_, unused := c.Draft().Storage()
	c.discard(ctx, unused)
}

// discard removes storage that nothing names. What it cannot remove goes when the store is next opened.
func (c *Catalog) discard(ctx context.Context, names []string) {
	ctx, cancel := versions.Detached(ctx, c.Options.Lease/2)
	defer cancel()
	for _, name := range names {
		err := versions.RetryAdmin(ctx, func() error {
			err := c.Store.Admin().DropTable(ctx, name)
			if storage.CodeOf(err) == storage.CodeNotFound {
				return nil
			}
			return err
		})
		if err != nil {
			c.Options.Logger.Warn("catalog: the storage of a table that was not committed is removed when the store is next opened", "table", name, "err", err)
		}
	}
	if ids := c.Draft().Values(); len(ids) > 0 {
		c.ForgetSequences(ctx, ids)
	}
}

// draftStorage makes a table of the store for the draft.
func (c *Catalog) draftStorage(ctx context.Context, spec storage.TableSpec) error {
	c.Draft().Stores(spec.Name)
	return versions.RetryAdmin(ctx, func() error {
		err := c.Store.Admin().CreateTable(ctx, spec)
		if storage.CodeOf(err) == storage.CodeAlreadyExists {
			return nil
		}
		return err
	})
}

// draftIndex makes an index of a table of the draft.
func (c *Catalog) draftIndex(ctx context.Context, def *catalog.IndexDef, by *BuildOptions) (catalog.Notices, error) {
	if r := c.Snapshot().LookupOwn(def.On); r != nil && !c.Draft().Has(r.RelID()) {
		return nil, c.Beyond()
	}
	t, id, notices, err := c.planIndex(ctx, def, by)
	if err != nil || t == nil {
		return notices, err
	}
	if err := c.draftStorage(ctx, c.indexSpec(t.IndexByID(id))); err != nil {
		return nil, catalog.FromStorage(err, "creating the index's storage")
	}
	if err := c.rows.FillIndex(ctx, t, t.IndexByID(id)); err != nil {
		return nil, err
	}
	_, _, err = c.Change(ctx, func(ch *change.Change) error {
		cp := ch.TableByID(t.ID).Clone()
		if err := cp.Finish(); err != nil {
			return err
		}
		ix := cp.IndexByID(id)
		ix.State, ix.Build = catalog.IndexPublic, nil
		ch.Set(cp, catalog.StatePublic)
		return cp.Finish()
	})
	return notices, err
}

// Populate says that the rows of a materialized view of the draft are there.
func (c *Catalog) Populate(ctx context.Context, id uint32) error {
	_, _, err := c.Change(ctx, func(ch *change.Change) error {
		cp := ch.TableByID(id).Clone()
		m := *cp.Materialized
		m.Populated = true
		cp.Materialized = &m
		ch.Set(cp, catalog.StatePublic)
		return cp.Finish()
	})
	return err
}

// draftDropIndex removes indexes of tables of the draft.
func (c *Catalog) draftDropIndex(ctx context.Context, names []catalog.Name, ifExists, cascade bool) (notices catalog.Notices, err error) {
	for _, n := range names {
		s := c.Snapshot()
		if err := s.MayLookInto(catalog.ActorOf(ctx).By, n.Schema); err != nil {
			return nil, err
		}
		t, ix, err := findIndex(s, n, ifExists, &notices)
		if err != nil {
			return nil, err
		}
		if ix == nil {
			continue
		}
		if !c.Draft().Has(t.ID) || ix.Constraint {
			return nil, c.Beyond()
		}
		if err := mayDropIndex(change.New(ctx, s), t, ix); err != nil {
			return nil, err
		}
		told, err := c.dropNeeding(ctx, t, ix, cascade)
		if notices = append(notices, told...); err != nil {
			return nil, err
		}
		_, _, err = c.Change(ctx, func(ch *change.Change) error {
			cp := ch.TableByID(t.ID).Clone()
			cp.Indexes = slices.DeleteFunc(slices.Clone(cp.Indexes), func(i catalog.Index) bool { return i.ID == ix.ID })
			ch.Set(cp, catalog.StatePublic)
			return cp.Finish()
		})
		if err != nil {
			return nil, err
		}
	}
	return notices, nil
}

// alterDraft is ALTER TABLE of a table of the draft, whose rows are the block's, or of another where
// no row can be wrong after it.
func (c *Catalog) alterDraft(ctx context.Context, what altered, hooks AlterHooks) (catalog.Notices, error) {
	dry, err := alter(change.New(ctx, c.Snapshot()), what)
	if err != nil || dry.t == nil {
		return dry.ch.Notices, err
	}
	if dry.makeWhole || dry.written || dry.ch.DropsStored || !specHolds(dry.old.StorageSpec(nil), dry.t.StorageSpec(nil)) || !specHolds(dry.t.StorageSpec(nil), dry.old.StorageSpec(nil)) {
		return nil, c.Beyond()
	}
	if c.Draft().Has(dry.old.ID) {
		if err := c.testRows(ctx, dry, hooks); err != nil {
			return nil, err
		}
	} else if dry.needEmpty != nil || len(dry.noNulls) > 0 || len(dry.checks) > 0 || len(dry.gone) > 0 || len(dry.values) > 0 || tightens(what.actions) || dry.old.Rewrite != nil {
		return nil, c.Beyond()
	}
	_, notices, err := c.Change(ctx, func(ch *change.Change) error {
		a, err := alter(ch, what)
		if err != nil {
			return err
		}
		if a.t == nil || a.old.ID != dry.old.ID {
			return versions.ErrMoved
		}
		a.expire(c.Options.Now().UnixMicro())
		return ch.UnlessEmpty()
	})
	return notices, err
}
