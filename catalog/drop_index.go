package catalog

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// DropIndex removes indexes. Their entries are gone when it returns; who reads by one
// meanwhile has an error.
func (c *Catalog) DropIndex(ctx context.Context, names []Name, ifExists bool) (Notices, error) {
	var notices Notices
	err := c.withLease(ctx, func(h *held) error {
		s, err := c.Refresh(ctx)
		if err != nil {
			return err
		}
		type found struct{ table, id uint32 }
		var list []found
		for _, n := range names {
			t, ix, err := s.findIndex(n, ifExists, &notices)
			if err != nil {
				return err
			}
			if ix == nil {
				continue
			}
			if err := newChange(ctx, s).mayDropIndex(t, ix); err != nil {
				return err
			}
			if ix.Constraint {
				return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop index %s because constraint %s on table %s requires it", ix.Name, ix.Name, t.Name).
					WithHint("You can drop constraint %s on table %s instead.", ix.Name, t.Name)
			}
			list = append(list, found{t.ID, ix.ID})
		}
		for _, f := range list {
			if err := c.removeIndexes(ctx, h, f.table, []uint32{f.id}); err != nil {
				return fromStorage(err, "dropping the index")
			}
		}
		return nil
	})
	return notices, err
}

// findIndex resolves an index's name; nil where ifExists has it not be there.
func (s *Snapshot) findIndex(n Name, ifExists bool, notices *Notices) (*Table, *Index, error) {
	if n.Schema != "" && s.Schema(n.Schema) == nil && !IsSystemSchema(n.Schema) {
		if ifExists {
			notices.add(skipping(sqlerr.SuccessfulCompletion, `schema "%s" does not exist, skipping`, n.Schema))
			return nil, nil, nil
		}
		return nil, nil, undefinedSchema(n.Schema).At(n.Pos)
	}
	if r := s.lookupOwn(n); r != nil {
		return nil, nil, wrongKind(r, "index").WithHint("Use DROP %s to remove %s %s.", upperWord(r.RelKind()), article(r.RelKind()), r.RelKind()).At(n.Pos)
	}
	t, ix := s.IndexNamed(n)
	if ix != nil {
		return t, ix, nil
	}
	if t := s.keyNamed(n); t != nil {
		return nil, nil, sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop index %s because constraint %s on table %s requires it", n.Name, n.Name, t.Name).
			WithHint("You can drop constraint %s on table %s instead.", n.Name, t.Name)
	}
	if ifExists {
		notices.add(skipping(sqlerr.SuccessfulCompletion, `index "%s" does not exist, skipping`, n.Name))
		return nil, nil, nil
	}
	return nil, nil, sqlerr.New(sqlerr.UndefinedObject, `index "%s" does not exist`, n.Name)
}

// mayDropIndex is mayDrop of an index, which its table's owner has.
func (ch *change) mayDropIndex(t *Table, ix *Index) error {
	if ch.mayDrop(t) != nil {
		return NotOwner("index", ix.Name)
	}
	return nil
}

// keyNamed finds the table whose primary key has that name; nil if there is none.
func (s *Snapshot) keyNamed(n Name) *Table {
	for _, t := range s.Tables() {
		if t.PrimaryKeyName == n.Name && (n.Schema == t.Schema || n.Schema == "" && slices.Contains(n.searchPath(), t.Schema)) {
			return t
		}
	}
	return nil
}

// RenameIndex is ALTER INDEX … RENAME TO; a constraint's index gives it its name.
func (c *Catalog) RenameIndex(ctx context.Context, from Name, to string, ifExists bool) (Notices, error) {
	if err := checkIdentifier("index", to, from.Pos); err != nil {
		return nil, err
	}
	_, notices, err := c.change(ctx, func(ch *change) error {
		t, ix := ch.IndexNamed(from)
		if ix == nil {
			if ifExists {
				ch.notices.add(skipping(sqlerr.SuccessfulCompletion, `relation "%s" does not exist, skipping`, from.Name))
				return errNoChange
			}
			return sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, from.written()).At(from.Pos)
		}
		if ch.mustOwn(t) != nil {
			return NotOwner("index", ix.Name)
		}
		if err := ch.mayCreateIn(t.Schema); err != nil {
			return err
		}
		if ch.nameTaken(t.Schema, to) || t.PrimaryKeyName == to {
			return duplicateIndex(to)
		}
		cp := t.clone()
		if err := cp.renameIndex(ix.ID, to); err != nil {
			return err
		}
		ch.set(cp, public)
		return nil
	})
	return notices, err
}

func (t *Table) renameIndex(id uint32, to string) error {
	if err := t.Finish(); err != nil { // which makes the list t's own
		return err
	}
	t.indexByID(id).Name = to
	return t.Finish()
}
