package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/jobs"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/transact"
)

// BuildOptions are what is asked of the making of an index.
type BuildOptions struct {
	Command string
	Rate    int // rows filled in a second, at most; 0 is no limit
	PID     int // of the session that waits
}

// CreateIndex makes an index, while the table is read and written.
//
//	planned     the name is taken, the storage table is made; nobody touches it
//	write-only  every write keeps it up; a job fills in the rows of before
//	public      it is read
//
// Between planned and write-only no write is under way (see versions.Held.Quiesce), and those that were
// made under the descriptor of before do not begin any more: so no two writes that are in
// use together disagree on the index, and there need be no state in which it only loses
// entries. What fails, or is canceled, leaves no index; what dies while it is planned leaves
// one that the next DDL statement, or Open, removes, and what dies later another server
// completes.
func (c *Catalog) CreateIndex(ctx context.Context, def *catalog.IndexDef, by BuildOptions) (catalog.Notices, error) {
	if c.Drafts() {
		return c.draftIndex(ctx, def, &by)
	}
	var notices catalog.Notices
	var job *jobs.Job
	err := c.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
		t, id, ns, err := c.planIndex(ctx, def, &by)
		notices = ns
		if err != nil || t == nil {
			return err
		}
		if job, err = c.jobs.Take(ctx, id, t, by.PID); err == nil && job != nil {
			err = c.beginIndex(ctx, h, t, id)
		}
		if err != nil {
			c.jobs.UndoIndex(ctx, h, t.ID, id)
			job.Release(ctx)
		}
		return err
	})
	if err != nil || job == nil {
		return notices, err
	}
	return notices, c.jobs.Run(ctx, job)
}

// planIndex takes the name. t is nil where IF NOT EXISTS finds it taken.
func (c *Catalog) planIndex(ctx context.Context, def *catalog.IndexDef, by *BuildOptions) (t *catalog.Table, id uint32, _ catalog.Notices, err error) {
	s, notices, err := c.Change(ctx, func(ch *change.Change) error {
		id = 0
		r, err := findIndexed(ch, def.On)
		if err != nil {
			return err
		}
		if def.Table != 0 && r.ID != def.Table {
			return sqlerr.New(sqlerr.UndefinedTable, `table "%s" was replaced by another at the same time`, r.Name).At(def.Pos)
		}
		if err := ch.MayCreateIn(r.Schema); err != nil {
			return err
		}
		if r.Rewrite != nil {
			return beingRewritten(r, "CREATE INDEX")
		}
		cp := r.Clone()
		if r.Materialized != nil && r.KeyByOption && isKey(r, def) {
			return nameKey(ch, cp, def)
		}
		if def.Name != "" && (ch.NameTaken(cp.Schema, def.Name) || cp.PrimaryKeyName == def.Name) {
			if def.IfNotExists {
				ch.Notices.Add(sqlerr.Notice(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, def.Name))
				return change.ErrNothing
			}
			return catalog.DuplicateIndex(def.Name)
		}
		if id, err = addIndex(ch, cp, def); err != nil {
			return err
		}
		cp.IndexByID(id).Build = &catalog.IndexBuild{Command: by.Command, Rate: by.Rate, Started: c.Options.Now()}
		ch.Set(cp, catalog.StatePublic)
		return nil
	})
	if err != nil || id == 0 {
		return nil, 0, notices, err
	}
	t, _ = s.IndexByID(id)
	return t, id, notices, nil
}

// isKey says that an index is what the key of a table is already.
func isKey(t *catalog.Table, def *catalog.IndexDef) bool {
	key := make([]catalog.KeyDef, len(def.Parts))
	for i, p := range def.Parts {
		key[i] = catalog.KeyDef{Name: p.Column, Desc: p.Desc}
	}
	return def.Unique && def.Where == "" && len(def.Include) == 0 && t.KeyIs(key)
}

// nameKey gives the key that the option PRIMARY_KEY has made the name of its index.
func nameKey(ch *change.Change, t *catalog.Table, def *catalog.IndexDef) error {
	if def.Name != "" && def.Name != t.PrimaryKeyName {
		if ch.NameTaken(t.Schema, def.Name) {
			return catalog.DuplicateIndex(def.Name)
		}
		if err := catalog.CheckIdentifier("index", def.Name, def.Pos); err != nil {
			return err
		}
		t.PrimaryKeyName = def.Name
	}
	t.KeyByOption = false
	ch.Set(t, catalog.StatePublic)
	return t.Finish()
}

// UseIndex makes an index a UNIQUE constraint's: ADD CONSTRAINT … UNIQUE USING INDEX. The
// index takes the constraint's name, where that has one.
func (c *Catalog) UseIndex(ctx context.Context, on catalog.Name, index, name string, pos int) (catalog.Notices, error) {
	_, notices, err := c.Change(ctx, func(ch *change.Change) error {
		t, err := findIndexed(ch, on)
		if err != nil {
			return err
		}
		ix := t.IndexByName(index)
		switch {
		case ix == nil || ix.Primary:
			return sqlerr.New(sqlerr.UndefinedObject, `index "%s" does not exist`, index).At(pos)
		case !ix.Readable():
			return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `index "%s" is not valid`, index).At(pos)
		case ix.Constraint:
			return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `index "%s" is already associated with a constraint`, index).At(pos)
		case !ix.Unique:
			return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a unique index`, index).
				WithDetail("Cannot create a primary key or unique constraint using such an index.").At(pos)
		case ix.Where != "":
			return sqlerr.New(sqlerr.WrongObjectType, `"%s" is a partial index`, index).
				WithDetail("Cannot create a primary key or unique constraint using such an index.").At(pos)
		}
		for i := range ix.Parts {
			p := &ix.Parts[i]
			if p.Column == 0 {
				return sqlerr.New(sqlerr.WrongObjectType, `index "%s" contains expressions`, index).
					WithDetail("Cannot create a primary key or unique constraint using such an index.").At(pos)
			}
			if p.Desc || p.NullsFirst {
				return sqlerr.New(sqlerr.WrongObjectType, `index "%s" column number %d does not have default sorting behavior`, index, i+1).
					WithDetail("Cannot create a primary key or unique constraint using such an index.").At(pos)
			}
		}
		cp, id := t.Clone(), ix.ID
		if err := cp.Finish(); err != nil {
			return err
		}
		if name != "" && name != index {
			if ch.NameTaken(t.Schema, name) || t.HasConstraint(name) {
				return catalog.DuplicateIndex(name)
			}
			ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index "%s" to "%s"`, index, name))
			cp.IndexByID(id).Name = name
		}
		cp.IndexByID(id).Constraint = true
		ch.Set(cp, catalog.StatePublic)
		return cp.Finish()
	})
	return notices, err
}

// findIndexed resolves the table of an index, for its owner.
func findIndexed(ch *change.Change, n catalog.Name) (*catalog.Table, error) {
	if err := ch.MayUseSchema(n.Schema); err != nil {
		return nil, catalog.Positioned(err, n.Pos)
	}
	r, err := ch.Resolve(n.Path, n.Schema, n.Name)
	if err != nil {
		return nil, catalog.Positioned(err, n.Pos)
	}
	switch r := r.(type) {
	case *catalog.Table:
		return r, ch.MustOwn(r)
	case *catalog.Virtual:
		return nil, r.Denied().At(n.Pos)
	}
	return nil, sqlerr.New(sqlerr.WrongObjectType, `cannot create index on relation "%s"`, n.Name).
		WithDetail("This operation is not supported for %ss.", r.RelKind()).At(n.Pos)
}

// addIndex puts a planned index into t, which the caller sets.
func addIndex(ch *change.Change, t *catalog.Table, def *catalog.IndexDef) (id uint32, err error) {
	ix, err := def.Build(t)
	if err != nil {
		return 0, err
	}
	if ix.Name == "" {
		ix.Name = ix.ChooseName(t, func(s string) bool { return ch.NameTaken(t.Schema, s) })
	}
	if err := catalog.CheckIdentifier("index", ix.Name, def.Pos); err != nil {
		return 0, err
	}
	if ix.Name == t.Name || ix.Name == t.PrimaryKeyName || t.IndexByName(ix.Name) != nil || ch.NameTaken(t.Schema, ix.Name) {
		return 0, catalog.DuplicateIndex(ix.Name)
	}
	if def.Constraint && t.HasConstraint(ix.Name) {
		return 0, sqlerr.New(sqlerr.DuplicateObject, `constraint "%s" for relation "%s" already exists`, ix.Name, t.Name).At(def.Pos)
	}
	if ix.ID, err = ch.NewID(); err != nil {
		return 0, err
	}
	ix.Physical = catalog.PhysicalName(ch.Root.UID, t.Schema, ix.Name, ix.ID, t.Distributed())
	t.Indexes = append(slices.Clone(t.Indexes), ix)
	return ix.ID, catalog.Positioned(t.Finish(), def.Pos)
}

// beginIndex makes the storage table of a planned index and has writes keep it up.
func (c *Catalog) beginIndex(ctx context.Context, h *versions.Held, t *catalog.Table, id uint32) error {
	if err := h.CreateStorage(ctx, c.indexSpec(t.IndexByID(id))); err != nil {
		return catalog.FromStorage(err, "creating the index's storage")
	}
	err := h.Quiesce(ctx, t.ID, func(cp *catalog.Table) error {
		return jobs.SetIndex(cp, id, func(ix *catalog.Index) { ix.State = catalog.IndexWriteOnly })
	})
	return err
}

// indexSpec describes the storage table of an index. On a store that is not atomic over rows
// it has room for the marks of writes under way.
func (c *Catalog) indexSpec(ix *catalog.Index) storage.TableSpec {
	spec := storage.TableSpec{Name: ix.Physical, Splits: rowcodec.SplitKeys(ix.SaltBuckets, nil)}
	families := ix.Families()
	if !c.Store.Caps().AtomicBatch && !transact.Is(ix.Physical) {
		families = append(families, storage.EnterFamily, storage.LeaveFamily)
	}
	for _, f := range families {
		spec.Families = append(spec.Families, storage.FamilySpec{Name: f, MaxVersions: 1})
	}
	return spec
}
