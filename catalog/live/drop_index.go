package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// DropIndex removes indexes. Statements that read by one meanwhile come to their end. Foreign keys that need one are 2BP01, or go with cascade.
func (c *Catalog) DropIndex(ctx context.Context, names []catalog.Name, ifExists, cascade bool) (catalog.Notices, error) {
	if c.Drafts() {
		return c.draftDropIndex(ctx, names, ifExists, cascade)
	}
	var notices catalog.Notices
	err := c.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
		s, err := c.Refresh(ctx)
		if err != nil {
			return err
		}
		type found struct{ table, id uint32 }
		var list []found
		for _, n := range names {
			if err := c.Over(s).MayLookInto(catalog.ActorOf(ctx).By, n.Schema); err != nil {
				return err
			}
			t, ix, err := findIndex(c.Over(s), n, ifExists, &notices)
			if err != nil {
				return err
			}
			if ix == nil {
				continue
			}
			if err := mayDropIndex(change.New(ctx, c.Over(s)), t, ix); err != nil {
				return err
			}
			if ix.Constraint {
				return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop index %s because constraint %s on table %s requires it", ix.Name, ix.Name, t.Name).
					WithHint("You can drop constraint %s on table %s instead.", ix.Name, t.Name)
			}
			told, err := c.dropNeeding(ctx, t, ix, cascade)
			if notices = append(notices, told...); err != nil {
				return err
			}
			list = append(list, found{t.ID, ix.ID})
		}
		for _, f := range list {
			if err := c.jobs.RemoveIndexes(ctx, h, f.table, []uint32{f.id}); err != nil {
				return catalog.FromStorage(err, "dropping the index")
			}
		}
		return nil
	})
	return notices, err
}

// dropNeeding removes the foreign keys that need an index.
func (c *Catalog) dropNeeding(ctx context.Context, t *catalog.Table, ix *catalog.Index, cascade bool) (catalog.Notices, error) {
	if !ix.Unique {
		return nil, nil
	}
	_, notices, err := c.Change(ctx, func(ch *change.Change) error {
		was := ch.TableByID(t.ID)
		if was == nil {
			return versions.ErrMoved
		}
		need := needsIndex(was, ix)
		own := slices.ContainsFunc(was.ForeignKeys, func(k catalog.ForeignKey) bool { return need(&k) })
		if !own && len(referencingOf(ch, was, need)) == 0 {
			return change.ErrNothing
		}
		a := alteration{ch: ch, t: was.Clone()}
		if err := a.dropNeeding(ix, ch.CalledIndex(a.t, ix), cascade); err != nil {
			return err
		}
		if own {
			ch.Set(a.t, catalog.StatePublic)
		}
		return a.t.Finish()
	})
	return notices, err
}

// findIndex resolves an index's name; nil where ifExists has it not be there.
func findIndex(s *catalog.Snapshot, n catalog.Name, ifExists bool, notices *catalog.Notices) (*catalog.Table, *catalog.Index, error) {
	if n.Schema != "" && s.Schema(n.Schema) == nil && !catalog.IsSystemSchema(n.Schema) {
		if ifExists {
			notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `schema "%s" does not exist, skipping`, n.Schema))
			return nil, nil, nil
		}
		return nil, nil, catalog.UndefinedSchema(n.Schema).At(n.Pos)
	}
	if r := s.LookupOwn(n); r != nil {
		return nil, nil, catalog.WrongKind(r, "index").WithHint("Use DROP %s to remove %s %s.", catalog.UpperWord(r.RelKind()), catalog.Article(r.RelKind()), r.RelKind())
	}
	t, ix := s.IndexNamed(n)
	if ix != nil {
		return t, ix, nil
	}
	if t := s.KeyNamed(n); t != nil {
		return nil, nil, sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop index %s because constraint %s on table %s requires it", n.Name, n.Name, t.Name).
			WithHint("You can drop constraint %s on table %s instead.", n.Name, t.Name)
	}
	if ifExists {
		notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `index "%s" does not exist, skipping`, n.Name))
		return nil, nil, nil
	}
	return nil, nil, sqlerr.New(sqlerr.UndefinedObject, `index "%s" does not exist`, n.Name)
}

// mayDropIndex is MayDrop of an index, which its table's owner has.
func mayDropIndex(ch *change.Change, t *catalog.Table, ix *catalog.Index) error {
	if ch.MayDrop(t) != nil {
		return catalog.NotOwner("index", ix.Name)
	}
	return nil
}

// RenameIndex is ALTER INDEX … RENAME TO; a constraint's index gives it its name.
func (c *Catalog) RenameIndex(ctx context.Context, from catalog.Name, to string, ifExists bool) (catalog.Notices, error) {
	if err := catalog.CheckIdentifier("index", to, from.Pos); err != nil {
		return nil, err
	}
	_, notices, err := c.Change(ctx, func(ch *change.Change) error {
		if err := ch.MayUseSchema(from.Schema); err != nil {
			return err
		}
		t, ix := ch.IndexNamed(from)
		if ix == nil {
			if t = ch.KeyNamed(from); t != nil {
				return renameKey(ch, t, from.Name, to)
			}
			if ifExists {
				ch.Notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `relation "%s" does not exist, skipping`, from.Name))
				return change.ErrNothing
			}
			return sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, from.Written()).At(from.Pos)
		}
		if ch.MustOwn(t) != nil {
			return catalog.NotOwner("index", ix.Name)
		}
		if err := ch.MayCreateIn(t.Schema); err != nil {
			return err
		}
		if ch.NameTaken(t.Schema, to) || t.PrimaryKeyName == to {
			return catalog.DuplicateIndex(to)
		}
		cp := t.Clone()
		if err := renameIndex(cp, ix.ID, to); err != nil {
			return err
		}
		ch.Set(cp, catalog.StatePublic)
		return nil
	})
	return notices, err
}

// renameKey gives a primary key, and its index, another name.
func renameKey(ch *change.Change, t *catalog.Table, from, to string) error {
	if ch.MustOwn(t) != nil {
		return catalog.NotOwner("index", from)
	}
	if err := ch.MayCreateIn(t.Schema); err != nil {
		return err
	}
	if ch.NameTaken(t.Schema, to) || t.HasConstraint(to) {
		return catalog.DuplicateIndex(to)
	}
	cp := t.Clone()
	cp.PrimaryKeyName = to
	ch.Set(cp, catalog.StatePublic)
	return cp.Finish()
}

func renameIndex(t *catalog.Table, id uint32, to string) error {
	if err := t.Finish(); err != nil { // which makes the list t's own
		return err
	}
	t.IndexByID(id).Name = to
	return t.Finish()
}
