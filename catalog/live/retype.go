package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// ALTER COLUMN … TYPE that changes stored values, and ADD COLUMN of one that has another value
// for each row: all rows are written anew, with the entries of all indexes, as ADD PRIMARY KEY
// does it (see rewriteHeld): reads go on by the old rows, writes wait.

// Rewrites says that a change of type changes what rows hold; false where it is refused
// anyway.
func (act *AlterType) Rewrites(t *catalog.Table) bool {
	c := t.VisibleColumn(act.Column)
	if c == nil {
		return false
	}
	same := act.Type == c.Type && (act.Store.Type == rowcodec.Invalid || act.Store.Type == c.Store.Type)
	if !same && act.Type.Domain() != nil { // its constraints are to be tested
		return true
	}
	return act.Using || !same && (act.Store.Type != rowcodec.Invalid || c.Type.Plain() != act.Type && !widens(c.Type, act.Type))
}

// AlterWritten gives columns other types, and adds columns that have another value for each row
// (ColumnDef.WritesRows), and does what stands beside that in the statement: acts are in the order
// in which they are done. fill writes the rows as they become.
func (c *Catalog) AlterWritten(ctx context.Context, name catalog.Name, ifExists bool, acts []AlterAction, hooks AlterHooks, fill CopyRows) (catalog.Notices, error) {
	if c.Drafts() {
		return nil, c.Beyond()
	}
	var last *alteration
	tested := func(ctx context.Context, from, to *catalog.Table) error {
		a := last
		if err := c.testRows(ctx, &alteration{ch: a.ch, old: from, t: from, needEmpty: a.needEmpty}, hooks); err != nil {
			return err
		}
		if err := fill(ctx, from, to); err != nil {
			return err
		}
		return c.testRows(ctx, &alteration{ch: a.ch, old: to, t: to, noNulls: a.noNulls, checks: a.checks}, hooks)
	}
	acts, drawn, err := c.drawAhead(ctx, name, ifExists, acts)
	if err != nil {
		return nil, err
	}
	defer c.dropUnowned(ctx, drawn)
	notices, err := c.storedAnew(ctx, name, ifExists, tested, func(ch *change.Change, t *catalog.Table, mark uint32) (*catalog.Table, error) {
		a, err := written(ch, t, acts, mark)
		last = a
		if err != nil {
			return nil, err
		}
		return a.t, nil
	})
	if err == nil && last != nil {
		c.DeleteRows(ctx, last.values)
	}
	return notices, err
}

// storedAnew is rewriteHeld of a table by its name, which become has taken once before writes
// have to wait.
func (c *Catalog) storedAnew(ctx context.Context, name catalog.Name, ifExists bool, fill CopyRows, become func(ch *change.Change, t *catalog.Table, mark uint32) (*catalog.Table, error)) (catalog.Notices, error) {
	var notices catalog.Notices
	err := c.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
		s, err := c.Refresh(ctx)
		if err != nil {
			return err
		}
		ch := change.New(ctx, s)
		r, err := ch.Find(name, "table", ifExists)
		if err != nil || r == nil {
			notices = ch.Notices
			return err
		}
		if _, err := become(ch, r.(*catalog.Table), 0); err != nil {
			return err
		}
		if notices, err = c.rewriteHeld(ctx, h, r.RelID(), become, fill); err != nil {
			return err
		}
		after, cancel := versions.Detached(ctx, c.Options.Lease)
		defer cancel()
		if err := c.finishDropping(after, h, c.Snapshot()); err != nil { // of materialized views
			c.Options.Logger.Warn("catalog: the storage of what was dropped is removed later", "err", err)
		}
		return nil
	})
	c.jobs.Retire(ctx)
	return notices, err
}

// written is t as it becomes with other types of columns and new columns, and by what stands
// beside that.
func written(ch *change.Change, t *catalog.Table, acts []AlterAction, mark uint32) (*alteration, error) {
	a := &alteration{ch: ch, old: t, t: t.Clone(), written: true}
	a.t.Columns = slices.Clone(t.Columns)
	pos := 0
	var seen []string
	for _, act := range acts {
		switch act := act.(type) {
		case AlterType:
			if err := mayStoreAnew(t, "changing the type of a column of", act.Pos); err != nil {
				return a, err
			}
			if slices.Contains(seen, act.Column) {
				return a, sqlerr.New(sqlerr.FeatureNotSupported, `cannot alter type of column "%s" twice`, act.Column).At(act.Pos)
			}
			seen, pos = append(seen, act.Column), act.Pos
			if err := a.retype(&act); err != nil {
				return a, err
			}
		case AddColumn:
			pos = act.Column.Pos
			if err := mayStoreAnew(t, act.storesAnew(), pos); err != nil {
				return a, err
			}
			if err := a.addColumn(&act); err != nil {
				return a, err
			}
		case SetOptions, ResetOptions, RenameTable, RenameColumn, SetSchema:
			return a, sqlerr.Unsupported("changing the type of a column, which writes all rows anew, is not supported beside options and new names",
				"Write an ALTER TABLE for each.")
		default:
			if err := a.apply(act); err != nil {
				return a, err
			}
		}
		if err := a.t.Finish(); err != nil {
			return a, catalog.Positioned(err, pos)
		}
	}
	storeAnew(ch, t, a.t, mark)
	return a, catalog.Positioned(a.t.Finish(), pos)
}

func (a *alteration) retype(act *AlterType) error {
	c, err := a.column(act.Column, act.Pos)
	if err != nil {
		return err
	}
	if err := a.typeIsFree(c, act.Pos); err != nil {
		return err
	}
	refuse := func(what, hint string) error {
		return sqlerr.Unsupported(`cannot change the type of column "`+c.Name+`" because `+what, hint).WithColumn(a.t.Name, c.Name).At(act.Pos)
	}
	for i := range a.t.Checks {
		if slices.Contains(a.t.Checks[i].Columns, c.ID) {
			return refuse(`constraint "`+a.t.Checks[i].Name+`" names it`, "Drop the constraint, alter the column, and add the constraint again.")
		}
	}
	own := slices.ContainsFunc(a.t.ForeignKeys, func(k catalog.ForeignKey) bool {
		return slices.Contains(k.Columns, c.ID) || k.Table == a.t.ID && slices.Contains(k.References, c.ID)
	})
	if own || len(referencingOf(a.ch, a.t, needsColumn(c.ID))) > 0 {
		return refuse("a foreign key names it", "Drop the foreign key, alter the column, and add the foreign key again.")
	}
	for i := range a.t.Indexes {
		for k := range a.t.Indexes[i].Parts {
			if p := &a.t.Indexes[i].Parts[k]; p.Column == c.ID {
				if err := p.CheckOpClass(act.Type); err != nil {
					return err
				}
			}
		}
	}
	_, _, draws := catalog.SequenceRange(act.Type.Kind)
	switch {
	case c.Identity != 0 && !draws:
		return sqlerr.New(sqlerr.InvalidParameterValue, "identity column type must be smallint, integer, or bigint").At(act.Pos)
	case c.Sequence != 0 && !draws, c.Default != "":
		return refuse("of its default", "Drop the default, alter the column, and set the default again.")
	case c.DefaultExpr != "":
		if err := c.CastDefault(a.t.Types, act.Type); err != nil {
			return catalog.Positioned(err, act.Pos)
		}
	}
	if c.Identity != 0 {
		retypeSequence(a.ch, c.Sequence, act.Type.Kind)
	}
	c.Missing = nil // every row is written
	return catalog.Positioned(c.SetType(act.Type, act.Store, c.KeyPos == len(a.t.PrimaryKey)-1), act.Pos)
}

// retypeSequence has an identity column's sequence count as far as the new type does, where
// it did so of the old one.
func retypeSequence(ch *change.Change, id uint32, to types.Kind) {
	o, ok := ch.Get(id)
	was, isSeq := o.Desc.(*catalog.Sequence)
	if !ok || !isSeq {
		return
	}
	q := *was
	lo, hi, _ := catalog.SequenceRange(was.Type)
	newLo, newHi, _ := catalog.SequenceRange(to)
	if q.Max == hi || q.Max > newHi {
		q.Max = newHi
	}
	if q.Min == lo || q.Min < newLo {
		q.Min = newLo
	}
	q.Type = to
	ch.Set(&q, o.State)
}
