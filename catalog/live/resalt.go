package live

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/jobs"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/changelog"
)

// Resalt gives a table another SALT_BUCKETS or SALT_COLUMNS while it is read and written, and its rows one
// layout where they have several (see catalog.Epochs), even if nothing else changes. What
// fails, or is canceled, leaves the table as it was; what dies is completed by another server,
// or when the store is opened again. rate bounds the rows copied in a second; 0 does not.
func (c *Catalog) Resalt(ctx context.Context, name catalog.Name, ifExists bool, defs []catalog.OptionDef, rate int) (catalog.Notices, error) {
	var notices catalog.Notices
	var job *jobs.Job
	err := c.WithLease(ctx, func(ctx context.Context, h *versions.Held) (err error) {
		var t *catalog.Table
		if t, notices, err = c.planRewrite(ctx, name, ifExists, defs, rate); err != nil || t == nil {
			return err
		}
		if job, err = c.jobs.Take(ctx, t.Rewrite.ID, t, 0); err == nil && job != nil {
			err = c.beginRewrite(ctx, h, t)
		}
		if err != nil {
			c.jobs.UndoRewrite(ctx, h, t.ID, t.Rewrite.ID)
			job.Release(ctx)
		}
		return err
	})
	if err != nil || job == nil {
		return notices, err
	}
	return notices, c.jobs.Run(ctx, job)
}

// planRewrite notes in the descriptor what is to be; nil where there is nothing to do.
func (c *Catalog) planRewrite(ctx context.Context, name catalog.Name, ifExists bool, defs []catalog.OptionDef, rate int) (*catalog.Table, catalog.Notices, error) {
	var id uint32
	s, notices, err := c.Change(ctx, func(ch *change.Change) error {
		id = 0
		r, err := ch.FindAs("relation", name, "table", ifExists, ch.MustOwn)
		if err != nil {
			return err
		}
		if r == nil {
			return change.ErrNothing
		}
		t := r.(*catalog.Table)
		to, err := saltOf(t, defs)
		if err != nil {
			return err
		}
		if sameOptions(&to.Options, &t.Options) && t.Epochs == nil {
			return change.ErrNothing
		}
		if err := c.mayRewrite(t); err != nil {
			return err
		}
		cp := t.Clone()
		rw := &catalog.Rewrite{SaltBuckets: to.SaltBuckets, SaltColumns: to.SaltColumns, Rate: rate, Started: c.Options.Now()}
		var log uint32
		if rw.ID, err = ch.NewID(); err != nil {
			return err
		}
		if log, err = ch.NewID(); err != nil {
			return err
		}
		rw.Physical = catalog.PhysicalName(ch.Root.UID, t.Schema, t.Name, rw.ID, t.Distributed())
		rw.Log = catalog.PhysicalName(ch.Root.UID, t.Schema, t.Name+"_log", log, t.Distributed())
		cp.Rewrite = rw
		after, err := cp.Rewritten()
		if err != nil {
			return catalog.Positioned(err, name.Pos)
		}
		ch.Notices = append(ch.Notices, adviseSalt(after)...)
		id = t.ID
		ch.Set(cp, catalog.StatePublic)
		return cp.Finish()
	})
	if err != nil || id == 0 {
		return nil, notices, err
	}
	return s.TableByID(id), notices, nil
}

// saltOf gives a table's options with other SALT_BUCKETS or SALT_COLUMNS.
func saltOf(t *catalog.Table, defs []catalog.OptionDef) (catalog.OptionSet, error) {
	to := catalog.OptionSet{Options: t.Options}
	for _, d := range defs {
		opt, err := catalog.FindOption(d)
		if err == nil {
			err = opt.Set(&to, d)
		}
		if err != nil {
			return to, err
		}
	}
	if to.SaltBuckets == 0 {
		to.SaltColumns = nil
	}
	return to, nil
}

// mayRewrite refuses what cannot be copied: 55006, 0A000.
func (c *Catalog) mayRewrite(t *catalog.Table) error {
	switch {
	case t.Rewrite != nil:
		return beingRewritten(t, "ALTER TABLE")
	case len(t.Jobs()) > 0:
		return indexBeingMade(t, "ALTER TABLE")
	case t.Adopted || t.KeyFormat != nil:
		return sqlerr.Unsupported(`the salt of table "`+t.Name+`", which was attached, cannot be changed`,
			"Create a table with the salt you want and fill it with UPSERT INTO ... SELECT.")
	}
	return nil
}

// beingRewritten refuses a statement that would change what is being copied: 55006.
func beingRewritten(t *catalog.Table, doing string) error {
	why := "its rows are being copied to change their salt"
	if t.Materialized != nil {
		why = "it is being refreshed"
	}
	return sqlerr.New(sqlerr.ObjectInUse, `cannot %s "%s" because %s`, doing, t.Name, why).
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
		if err := h.CreateStorage(ctx, spec); err != nil {
			return catalog.FromStorage(err, "creating the storage of the rows' copy")
		}
	}
	c.reshaping.Lock() // a TRUNCATE that found no rewrite ends
	defer c.reshaping.Unlock()
	err = h.Quiesce(ctx, t.ID, func(cp *catalog.Table) error {
		return jobs.SetRewrite(cp, t.Rewrite.ID, func(r *catalog.Rewrite) { r.State = catalog.RewriteCopying })
	})
	return err
}
