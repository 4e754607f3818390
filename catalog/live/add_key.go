package live

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// ADD PRIMARY KEY of a table without one. Its rows are stored by a hidden column, so they
// are all written anew (rewriteHeld), under storage tables of their own, while nobody writes the table:
//
//	writes stand still  ->  copy made and filled  ->  descriptor names the copy  ->  old rows retired
//
// The storage tables carry the IDs of the table and of its indexes, under other names: one
// that no descriptor names, because its server died, is removed when the catalog is opened.

// CopyRows writes the rows of a table into another that holds them differently: 23505 where
// two rows have one key, 23502 where a column of it is NULL.
type CopyRows func(ctx context.Context, from, to *catalog.Table) error

// AddKey gives a table that was made without a key one of its own.
func (c *Catalog) AddKey(ctx context.Context, name catalog.Name, act AddPrimaryKey, fill CopyRows) (catalog.Notices, error) {
	var notices catalog.Notices
	err := c.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
		s, err := c.Refresh(ctx)
		if err != nil {
			return err
		}
		ch := change.New(ctx, c.Over(s))
		r, err := ch.Find(name, "table", false)
		if err != nil {
			return err
		}
		if _, err := keyed(ch, r.(*catalog.Table), &act, 0); err != nil {
			return err
		}
		notices, err = c.rewriteHeld(ctx, h, r.RelID(), func(ch *change.Change, t *catalog.Table, mark uint32) (*catalog.Table, error) {
			return keyed(ch, t, &act, mark)
		}, fill)
		return err
	})
	c.jobs.Retire(ctx)
	return notices, err
}

// rewriteHeld writes all rows of a table anew, and the entries of its indexes, while writes
// wait. become gives the table as it is then; mark tells its storage tables from those
// of before. What become does beside is done with the switch.
func (c *Catalog) rewriteHeld(ctx context.Context, h *versions.Held, table uint32, become func(ch *change.Change, t *catalog.Table, mark uint32) (*catalog.Table, error), fill CopyRows) (catalog.Notices, error) {
	st, err := h.Still(ctx, table)
	if err != nil {
		return nil, err
	}
	version := uint64(0) // from which on the copy is read
	defer func() { st.EndSeen(ctx, version) }()
	var from, to *catalog.Table
	var mark uint32
	_, notices, err := c.Change(ctx, func(ch *change.Change) (err error) {
		if from = ch.TableByID(table); from == nil {
			return versions.ErrMoved
		}
		mark, err = ch.NewID()
		return err
	})
	if err != nil {
		return nil, err
	}
	if to, err = become(change.New(ctx, c.Snapshot()), from, mark); err != nil {
		return nil, err
	}
	undo := func() {
		ctx, cancel := versions.Detached(ctx, c.Options.Lease/2)
		defer cancel()
		made := *to
		made.Retired = nil // they are not the copy's
		if err := c.dropAllPhysical(ctx, h, &made); err != nil {
			c.Options.Logger.Warn("catalog: storage of rows that could not be written anew is removed when the catalog is next opened", "table", from.Name, "err", err)
		}
	}
	err = c.createStorage(ctx, h, to)
	if err == nil {
		err = fill(ctx, from, to)
	}
	if err != nil {
		undo()
		return nil, catalog.FromStorage(err, "writing the rows of the table anew")
	}
	s, more, err := c.Change(ctx, func(ch *change.Change) error {
		now := ch.TableByID(table)
		if now == nil || now.Version != from.Version {
			return versions.ErrMoved
		}
		cp, err := become(ch, now, mark)
		if err != nil {
			return err
		}
		cp.SwitchedAt = ch.Version() + 1
		cp.Retired = now.Retired
		for n := range now.NumIndexes() { // the rows are the first
			cp.Retire(cp.SwitchedAt, now.Index(n).Physical)
		}
		ch.Set(cp, catalog.StatePublic)
		cp.WriteVersion = cp.Version
		return cp.Finish()
	})
	if errors.Is(err, versions.ErrMoved) {
		undo() // otherwise it may have been made
	}
	if err != nil {
		return nil, err
	}
	version = s.Version() // nobody writes the copy while a server may read the old rows
	return append(notices, more...), nil
}

// keyed is t as it becomes with a primary key; mark tells its storage tables from those of
// before.
func keyed(ch *change.Change, t *catalog.Table, act *AddPrimaryKey, mark uint32) (*catalog.Table, error) {
	switch {
	case t.HiddenKey() == nil:
		return nil, versions.ErrMoved
	}
	if err := mayStoreAnew(t, "adding a primary key to", act.Pos); err != nil {
		return nil, err
	}
	if err := act.check(t); err != nil {
		return nil, err
	}
	to := t.Clone()
	to.PrimaryKeyName = act.Name
	if act.Name == "" {
		to.PrimaryKeyName = t.ChooseKeyName(func(s string) bool { return ch.NameTaken(t.Schema, s) })
	} else if err := freeConstraint(ch, t, act); err != nil {
		return nil, err
	}
	to.Columns = slices.Clone(t.Visible())
	to.PrimaryKey = make([]int, len(act.Key))
	for pos, k := range act.Key {
		i := slices.IndexFunc(to.Columns, func(c catalog.Column) bool { return c.Name == k.Name })
		c := &to.Columns[i]
		c.KeyPos, c.Desc, c.NotNull = pos, k.Desc, true
		c.Family, c.Qualifier, c.Number = "", nil, 0
		if err := catalog.KeyStorage(c, pos == len(act.Key)-1, false); err != nil {
			return nil, catalog.Positioned(err, k.Pos)
		}
		to.PrimaryKey[pos] = i
	}
	if t.SaltByDefault {
		to.Options.SaltBuckets, to.SaltByDefault = 0, false
	}
	to.Options.Splits = nil
	storeAnew(ch, t, to, mark)
	return to, catalog.Positioned(to.Finish(), act.Pos)
}

// storeAnew gives a table, which t becomes, storage tables of its own.
func storeAnew(ch *change.Change, t, to *catalog.Table, mark uint32) {
	name := func(name string, id uint32) string {
		return catalog.PhysicalName(ch.Root.UID, t.Schema, fmt.Sprintf("r%d_%s", mark, name), id, t.Distributed())
	}
	to.Dropped = nil // there are no cells of those
	to.Epochs = nil  // the newest layout is that of all rows
	to.Physical = name(t.Name, t.ID)
	to.Indexes = slices.Clone(to.Indexes)
	for i := range to.Indexes {
		to.Indexes[i].Physical = name(to.Indexes[i].Name, to.Indexes[i].ID)
	}
}

// mayStoreAnew refuses what cannot be written anew: 55006, 0A000.
func mayStoreAnew(t *catalog.Table, doing string, pos int) error {
	switch {
	case t.Rewrite != nil:
		return beingRewritten(t, "ALTER TABLE")
	case len(t.Jobs()) > 0:
		return indexBeingMade(t, "ALTER TABLE")
	case t.Adopted || t.KeyFormat != nil:
		return sqlerr.Unsupported(doing+` the attached table "`+t.Name+`" is not supported`, "Its rows are as others have made them.").At(pos)
	case t.Options.TTL > 0:
		return sqlerr.Unsupported(doing+` table "`+t.Name+`", which has a TTL, is not supported`,
			"Its rows would live longer: create another table, and fill it with INSERT INTO ... SELECT.").At(pos)
	}
	return nil
}

// check says that a table's columns can be the key as it is written.
func (act *AddPrimaryKey) check(t *catalog.Table) error {
	for i, k := range act.Key {
		if t.VisibleColumn(k.Name) == nil {
			return sqlerr.New(sqlerr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, k.Name, t.Name).At(k.Pos)
		}
		if slices.ContainsFunc(act.Key[:i], func(o catalog.KeyDef) bool { return o.Name == k.Name }) {
			return sqlerr.New(sqlerr.DuplicateColumn, `column "%s" appears twice in primary key constraint`, k.Name).At(k.Pos)
		}
	}
	return nil
}

// freeConstraint says that the key's name is free.
func freeConstraint(ch *change.Change, t *catalog.Table, act *AddPrimaryKey) error {
	if err := catalog.CheckIdentifier("constraint", act.Name, act.Pos); err != nil {
		return err
	}
	if ch.NameTaken(t.Schema, act.Name) || t.HasConstraint(act.Name) {
		return catalog.DuplicateIndex(act.Name)
	}
	return nil
}

// addPrimaryKey gives the key that rows are stored by already its name.
func (a *alteration) addPrimaryKey(act *AddPrimaryKey) error {
	t := a.t
	if err := act.check(t); err != nil {
		return err
	}
	switch {
	case t.HiddenKey() != nil:
		return sqlerr.Unsupported("ADD PRIMARY KEY beside other actions is not supported", "Write an ALTER TABLE of its own for it.").At(act.Pos)
	case !t.KeyByOption:
		return sqlerr.New(sqlerr.InvalidTableDefinition, `multiple primary keys for table "%s" are not allowed`, t.Name).At(act.Pos)
	case !t.KeyIs(act.Key):
		return sqlerr.New(sqlerr.InvalidTableDefinition, `table "%s" is stored by the key (%s)`, t.Name, t.KeyText()).
			WithHint("Declare the columns that the option PRIMARY_KEY names, in its order.").At(act.Pos)
	}
	if act.Name != "" && act.Name != t.PrimaryKeyName {
		if err := freeConstraint(a.ch, t, act); err != nil {
			return err
		}
		t.PrimaryKeyName = act.Name
	}
	t.KeyByOption = false
	return nil
}
