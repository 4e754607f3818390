package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/changelog"
)

// Resalt gives a table another SALT_BUCKETS or SALT_COLUMNS while it is read and written. What
// fails, or is canceled, leaves the table as it was; what dies is completed by another server,
// or when the store is opened again. rate bounds the rows copied in a second; 0 does not.
func (c *Catalog) Resalt(ctx context.Context, name catalog.Name, ifExists bool, defs []catalog.OptionDef, rate int) (catalog.Notices, error) {
	var notices catalog.Notices
	var job *job
	err := c.WithLease(ctx, func(h *versions.Held) (err error) {
		var t *catalog.Table
		if t, notices, err = c.planRewrite(ctx, name, ifExists, defs, rate); err != nil || t == nil {
			return err
		}
		if job, err = c.takeJob(ctx, t.Rewrite.ID, t, 0); err == nil && job != nil {
			err = c.beginRewrite(ctx, h, t)
		}
		if err != nil {
			c.undoRewrite(ctx, h, t.ID, t.Rewrite.ID)
			job.release(ctx)
		}
		return err
	})
	if err != nil || job == nil {
		return notices, err
	}
	return notices, c.runJob(ctx, job)
}

// planRewrite notes in the descriptor what is to be; nil where there is nothing to do.
func (c *Catalog) planRewrite(ctx context.Context, name catalog.Name, ifExists bool, defs []catalog.OptionDef, rate int) (*catalog.Table, catalog.Notices, error) {
	var id uint32
	s, notices, err := c.change(ctx, func(ch *change) error {
		id = 0
		r, err := ch.findAs("relation", name, "table", ifExists, ch.mustOwn)
		if err != nil {
			return err
		}
		if r == nil {
			return errNoChange
		}
		t := r.(*catalog.Table)
		to := catalog.OptionSet{Options: t.Options}
		for _, d := range defs {
			opt, err := catalog.FindOption(d)
			if err != nil {
				return err
			}
			if err := opt.Set(&to, d); err != nil {
				return err
			}
		}
		if to.SaltBuckets == 0 {
			to.SaltColumns = nil
		}
		if sameOptions(&to.Options, &t.Options) {
			return errNoChange
		}
		if err := c.mayRewrite(t); err != nil {
			return err
		}
		cp := t.Clone()
		rw := &catalog.Rewrite{SaltBuckets: to.SaltBuckets, SaltColumns: to.SaltColumns, Rate: rate, Started: c.Options.Now()}
		var log uint32
		if rw.ID, err = ch.newID(); err != nil {
			return err
		}
		if log, err = ch.newID(); err != nil {
			return err
		}
		rw.Physical = catalog.PhysicalName(ch.Root.UID, t.Schema, t.Name, rw.ID)
		rw.Log = catalog.PhysicalName(ch.Root.UID, t.Schema, t.Name+"_log", log)
		cp.Rewrite = rw
		after, err := cp.Rewritten()
		if err != nil {
			return catalog.Positioned(err, name.Pos)
		}
		ch.notices = append(ch.notices, adviseSalt(after)...)
		id = t.ID
		ch.set(cp, catalog.StatePublic)
		return cp.Finish()
	})
	if err != nil || id == 0 {
		return nil, notices, err
	}
	return s.TableByID(id), notices, nil
}

// mayRewrite refuses what cannot be copied: 55006, 0A000.
func (c *Catalog) mayRewrite(t *catalog.Table) error {
	switch {
	case t.Rewrite != nil:
		return beingRewritten(t, "ALTER TABLE")
	case len(t.Jobs()) > 0:
		return indexBeingMade(t, "ALTER TABLE")
	case len(t.Indexes) > 0 && !c.Store.Caps().AtomicBatch:
		// What their entries say of writes under way names rows by their salted keys.
		return sqlerr.Unsupported(`changing the salt of table "`+t.Name+`", which has indexes, is not supported on a store that is not atomic over rows`,
			"Drop the indexes, change the salt, and create them again.")
	case t.Adopted || t.KeyFormat != nil:
		return sqlerr.Unsupported(`the salt of table "`+t.Name+`", which was attached, cannot be changed`,
			"Create a table with the salt you want and fill it with UPSERT INTO ... SELECT.")
	}
	return nil
}

// beingRewritten refuses a statement that would change what is being copied: 55006.
func beingRewritten(t *catalog.Table, doing string) error {
	return sqlerr.New(sqlerr.ObjectInUse, `cannot %s "%s" because its rows are being copied to change their salt`, doing, t.Name).
		WithHint("Wait until the job has ended (SELECT * FROM saltsql.jobs), or cancel it with SELECT saltsql.cancel_job(%d).", t.Rewrite.ID)
}

// indexBeingMade refuses a statement that would store the rows elsewhere while an index is
// filled from them: 55006.
func indexBeingMade(t *catalog.Table, doing string) error {
	id := t.Jobs()[0]
	return sqlerr.New(sqlerr.ObjectInUse, `cannot %s "%s" because its index "%s" is being made`, doing, t.Name, t.IndexByID(id).Name).
		WithHint("Wait until the job has ended (SELECT * FROM saltsql.jobs), or cancel it with SELECT saltsql.cancel_job(%d).", id)
}

// beginRewrite makes the storage tables and has writes fill the log.
func (c *Catalog) beginRewrite(ctx context.Context, h *versions.Held, t *catalog.Table) error {
	after, err := t.Rewritten()
	if err != nil {
		return err
	}
	splits := rowcodec.SplitKeys(after.Options.SaltBuckets, after.Options.Splits)
	for _, spec := range []storage.TableSpec{after.StorageSpec(splits), changelog.Spec(t.Rewrite.Log)} {
		err := h.Admin(ctx, func(ctx context.Context) error {
			err := c.Store.Admin().CreateTable(ctx, spec)
			if storage.CodeOf(err) == storage.CodeAlreadyExists {
				return nil // an attempt whose answer was lost: nobody else uses this name
			}
			return err
		})
		if err != nil {
			return catalog.FromStorage(err, "creating the storage of the rows' copy")
		}
	}
	c.reshaping.Lock() // a TRUNCATE that found no rewrite ends
	defer c.reshaping.Unlock()
	err = c.Quiesce(ctx, h, t.ID, func(cp *catalog.Table) error {
		return setRewrite(cp, t.Rewrite.ID, func(r *catalog.Rewrite) { r.State = catalog.RewriteCopying })
	})
	return err
}

// setRewrite changes the rewrite of that ID; 40001 where it is gone.
func setRewrite(t *catalog.Table, id uint32, edit func(*catalog.Rewrite)) error {
	if t.Rewrite == nil || t.Rewrite.ID != id {
		return errRewriteGone()
	}
	r := *t.Rewrite
	edit(&r)
	t.Rewrite = &r
	return nil
}

func errRewriteGone() error {
	return sqlerr.New(sqlerr.QueryCanceled, "the change of the table's salt was canceled, or completed by another server").
		WithHint("Look at the table's SALT_BUCKETS, and repeat the statement if it is not as it should be.")
}

// switchOver makes the copy the table's storage, once it holds every row.
func (c *Catalog) switchOver(ctx context.Context, j *job) error {
	return c.WithLease(ctx, func(h *versions.Held) error {
		stop := h.Keep(ctx)
		defer stop()
		if _, err := j.tableNow(); err != nil {
			return err
		}
		if !c.Shared() {
			release, err := c.HoldSoon(ctx, j.table)
			if err != nil {
				return err
			}
			defer release()
			_, err = c.switchHeld(ctx, j)
			return err
		}
		if err := c.Freeze(ctx, h, j.table); err != nil {
			return err
		}
		version, err := c.switchHeld(ctx, j)
		if err != nil {
			c.Thaw(ctx, j.table)
			return err
		}
		// Nobody writes the copy while a server may still read the old rows. Where this does
		// not come to its end, the next DDL statement does it.
		ctx, cancel := versions.Detached(ctx, 2*c.Options.Lease)
		defer cancel()
		if err := c.AwaitServers(ctx, h, version); err != nil {
			return err
		}
		c.Thaw(ctx, j.table)
		return nil
	})
}

// switchHeld is switchOver while nobody writes. It gives the version of the catalog from
// which on the copy is read.
func (c *Catalog) switchHeld(ctx context.Context, j *job) (uint64, error) {
	if err := j.drain(ctx, true); err != nil {
		return 0, err
	}
	s, _, err := c.change(ctx, func(ch *change) error {
		t := ch.TableByID(j.table)
		if t == nil || t.Rewrite == nil || t.Rewrite.ID != j.id {
			return errRewriteGone()
		}
		cp, err := t.Rewritten()
		if err != nil {
			return err
		}
		cp.SwitchedAt = ch.Version() + 1
		cp.Retired = append(slices.Clone(t.Retired), catalog.Retired{Physical: t.Physical, Version: cp.SwitchedAt}, catalog.Retired{Physical: t.Rewrite.Log, Version: cp.SwitchedAt})
		ch.set(cp, catalog.StatePublic)
		cp.WriteVersion = cp.Version
		return cp.Finish()
	})
	if err != nil {
		return 0, err
	}
	return s.Version(), nil
}

// undoRewrite removes a rewrite that cannot be completed, though the statement may have been
// canceled. What fails is left to the next DDL statement, or to who takes the job over.
func (c *Catalog) undoRewrite(ctx context.Context, h *versions.Held, table, id uint32) {
	ctx, cancel := versions.Detached(ctx, c.Options.Lease)
	defer cancel()
	if err := c.removeRewrite(ctx, h, table, id); err != nil {
		c.Options.Logger.Warn("catalog: what a change of a table's salt has left is removed later", "table", table, "err", err)
	}
}

func (c *Catalog) removeRewrite(ctx context.Context, h *versions.Held, table, id uint32) error {
	t := c.Snapshot().TableByID(table)
	if t == nil || t.Rewrite == nil || t.Rewrite.ID != id {
		return nil
	}
	gone := []string{t.Rewrite.Physical, t.Rewrite.Log}
	var err error
	if t.Rewrite.State == catalog.RewritePlanned { // nobody writes its log
		_, _, err = c.change(ctx, func(ch *change) error {
			t := ch.TableByID(table)
			if t == nil || t.Rewrite == nil || t.Rewrite.ID != id {
				return errNoChange
			}
			cp := t.Clone()
			cp.Rewrite = nil
			ch.set(cp, catalog.StatePublic)
			return cp.Finish()
		})
	} else {
		err = c.Quiesce(ctx, h, table, func(cp *catalog.Table) error {
			cp.Rewrite = nil
			return nil
		})
	}
	for _, name := range gone {
		if err == nil {
			err = c.dropPhysical(ctx, h, name)
		}
	}
	if err == nil {
		c.ForgetJob(ctx, id)
	}
	return err
}

// dropRetired removes the storage tables that no statement reads any more.
func (c *Catalog) dropRetired(ctx context.Context, h *versions.Held) error {
	newest := uint64(0)
	for _, t := range c.Snapshot().Reshaped() {
		for _, r := range t.Retired {
			newest = max(newest, r.Version)
		}
	}
	if c.Shared() { // which forgets those that died
		if err := c.AwaitServers(ctx, h, newest); err != nil {
			return err
		}
	}
	oldest, err := c.OldestRead(ctx)
	if err != nil {
		return err
	}
	for _, t := range c.Snapshot().Reshaped() {
		gone := map[string]bool{}
		for _, r := range t.Retired {
			if r.Version > oldest {
				continue
			}
			if err := c.dropPhysical(ctx, h, r.Physical); err != nil {
				return err
			}
			gone[r.Physical] = true
		}
		if len(gone) == 0 {
			continue
		}
		_, _, err := c.change(ctx, func(ch *change) error {
			t := ch.TableByID(t.ID)
			if t == nil {
				return errNoChange
			}
			cp := t.Clone()
			cp.Retired = slices.DeleteFunc(slices.Clone(t.Retired), func(r catalog.Retired) bool { return gone[r.Physical] })
			ch.set(cp, catalog.StatePublic)
			return cp.Finish()
		})
		if err != nil {
			return err
		}
	}
	return nil
}
