package live

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// SequenceChange is what ALTER SEQUENCE names; nil leaves as it is.
type SequenceChange struct {
	Start, Increment, Min, Max, Cache *int64
	Cycle                             *bool
	// NoMin and NoMax give a bound its default; Type is AS, which does the same
	// to bounds that are the old type's.
	NoMin, NoMax bool
	Type         types.Kind // Unknown leaves it
	Owner        *catalog.SequenceOwner
	// Restart sets the next value; RestartStart is RESTART without a value.
	Restart      *int64
	RestartStart bool
}

// AlterSequence is ALTER SEQUENCE.
func (c *Catalog) AlterSequence(ctx context.Context, name catalog.Name, ifExists bool, alt SequenceChange) (catalog.Notices, error) {
	if c.Drafts() { // values change outside of transactions
		return nil, c.Beyond()
	}
	var q *catalog.Sequence
	s, notices, err := c.Change(ctx, func(ch *change.Change) error {
		q = nil
		r, err := ch.FindAs("relation", name, "sequence", ifExists, ch.MustOwn)
		if err != nil {
			return err
		}
		if r == nil {
			return change.ErrNothing
		}
		old := r.(*catalog.Sequence)
		opts := alt.options(old)
		if alt.Cycle != nil {
			opts.Cycle = *alt.Cycle
		}
		if alt.Cache != nil && *alt.Cache == 0 {
			return sqlerr.New(sqlerr.InvalidParameterValue, "CACHE (0) must be greater than zero").At(name.Pos)
		}
		next, err := catalog.NewSequence(old.Name, &opts, name.Pos)
		if err != nil {
			return err
		}
		if err := c.valueFits(ctx, old, next, alt); err != nil {
			return err
		}
		if next.Start != old.Start && alt.Restart == nil && !alt.RestartStart {
			if err := c.settle(ctx, old); err != nil {
				return err
			}
		}
		next.ID, next.Schema, next.Comment, next.Owned = old.ID, old.Schema, old.Comment, old.Owned
		next.OwnerTable, next.OwnerColumn = old.OwnerTable, old.OwnerColumn
		if alt.Owner != nil {
			if err := own(ch, next, alt.Owner, true); err != nil {
				return err
			}
		}
		q = next
		if *next == (catalog.Sequence{
			ID: old.ID, Schema: old.Schema, Name: old.Name, Comment: old.Comment, Type: old.Type, Start: old.Start,
			Increment: old.Increment, Min: old.Min, Max: old.Max, Cycle: old.Cycle, Cache: old.Cache,
			OwnerTable: old.OwnerTable, OwnerColumn: old.OwnerColumn, Owned: old.Owned,
		}) {
			return change.ErrNothing
		}
		ch.Set(next, catalog.StatePublic)
		return nil
	})
	if err != nil || q == nil {
		return notices, err
	}
	switch {
	case alt.Restart != nil:
		err = c.SetVal(ctx, q.ID, *alt.Restart, false)
	case alt.RestartStart:
		start := s.ByID(q.ID).(*catalog.Sequence).Start
		err = c.SetVal(ctx, q.ID, start, false)
	}
	return notices, err
}

// settle writes the first value of a sequence that nothing was drawn from, so that
// a new START does not move it.
func (c *Catalog) settle(ctx context.Context, q *catalog.Sequence) error {
	_, ok, err := c.ReadSeqCell(ctx, q)
	if err == nil && !ok {
		_, err = c.SwapSeq(ctx, q.ID, versions.SeqValue{}, false, versions.SeqValue{Last: q.Start})
	}
	return catalog.FromStorage(err, "settling sequence "+q.Name)
}

// options are the sequence's as the change leaves them.
func (alt *SequenceChange) options(old *catalog.Sequence) catalog.SequenceOptions {
	o := catalog.SequenceOptions{
		Type: old.Type, Start: or(alt.Start, old.Start), Increment: or(alt.Increment, old.Increment),
		Min: or(alt.Min, old.Min), Max: or(alt.Max, old.Max), Cycle: old.Cycle, Cache: *or(alt.Cache, old.Cache),
	}
	noMin, noMax := alt.NoMin, alt.NoMax
	if alt.Type != types.Unknown && alt.Type != old.Type {
		lo, hi, _ := catalog.SequenceRange(old.Type)
		o.Type = alt.Type
		noMin = noMin || alt.Min == nil && old.Min == lo
		noMax = noMax || alt.Max == nil && old.Max == hi
	}
	if noMin {
		o.Min = nil
	}
	if noMax {
		o.Max = nil
	}
	return o
}

// own makes a column the owner of q, or nothing. One that exists and belongs to
// an identity column stays there.
func own(ch *change.Change, q *catalog.Sequence, owner *catalog.SequenceOwner, exists bool) error {
	if exists {
		if o, ok := ch.Get(q.OwnerTable); ok && q.OwnerTable != 0 {
			t := o.Desc.(*catalog.Table)
			if c := t.ColumnByID(q.OwnerColumn); c != nil && c.Identity != 0 {
				return sqlerr.New(sqlerr.FeatureNotSupported, "cannot change ownership of identity sequence").
					WithDetail(`Sequence "%s" is linked to table "%s".`, q.Name, t.Name)
			}
		}
	}
	if owner.Column == "" {
		q.OwnerTable, q.OwnerColumn = 0, 0
		return nil
	}
	r, err := ch.Resolve(owner.Table.Path, owner.Table.Schema, owner.Table.Name)
	if err != nil {
		return catalog.Positioned(err, owner.Table.Pos)
	}
	t, ok := r.(*catalog.Table)
	if !ok {
		return sqlerr.New(sqlerr.WrongObjectType, `sequence cannot be owned by relation "%s"`, r.RelName()).At(owner.Table.Pos)
	}
	if t.Schema != q.Schema {
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "sequence must be in same schema as table it is linked to").At(owner.Table.Pos)
	}
	if q.Owner != 0 && q.Owner != t.Owner || q.Owner == 0 && ch.By != t.Owner {
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "sequence must have same owner as table it is linked to").At(owner.Table.Pos)
	}
	c := t.ColumnByName(owner.Column)
	if c == nil {
		return catalog.UndefinedColumn(t, owner.Column).At(owner.Table.Pos)
	}
	q.OwnerTable, q.OwnerColumn = t.ID, c.ID
	return nil
}

// valueFits holds the present value, or the one to restart with, against new
// bounds.
func (c *Catalog) valueFits(ctx context.Context, old, next *catalog.Sequence, alt SequenceChange) error {
	verb, last := "RESTART", next.Start
	switch {
	case alt.Restart != nil:
		last = *alt.Restart
	case alt.RestartStart:
	default:
		v, _, err := c.ReadSeqCell(ctx, old)
		if err != nil {
			return catalog.FromStorage(err, "reading sequence "+old.Name)
		}
		last = v.Last
	}
	switch {
	case last < next.Min:
		return sqlerr.New(sqlerr.InvalidParameterValue, "%s value (%d) cannot be less than MINVALUE (%d)", verb, last, next.Min)
	case last > next.Max:
		return sqlerr.New(sqlerr.InvalidParameterValue, "%s value (%d) cannot be greater than MAXVALUE (%d)", verb, last, next.Max)
	}
	return nil
}

func or(p *int64, v int64) *int64 {
	if p != nil {
		return p
	}
	return &v
}

// RenameRelation is ALTER VIEW or ALTER SEQUENCE … RENAME TO; tables go
// through AlterTable. A serial column's default follows its sequence.
func (c *Catalog) RenameRelation(ctx context.Context, kind string, name catalog.Name, ifExists bool, to string) (catalog.Notices, error) {
	if err := catalog.CheckIdentifier(kind, to, name.Pos); err != nil {
		return nil, err
	}
	return c.changeRelation(ctx, kind, name, ifExists, func(ch *change.Change, r catalog.Relation) error {
		if err := ch.MayCreateIn(r.RelSchema()); err != nil {
			return err
		}
		if ch.NameTaken(r.RelSchema(), to) {
			return sqlerr.New(sqlerr.DuplicateTable, `relation "%s" already exists`, to).At(name.Pos)
		}
		switch r := r.(type) {
		case *catalog.View:
			cp := *r
			cp.Name = to
			ch.Set(&cp, catalog.StatePublic)
		case *catalog.Sequence:
			cp := *r
			cp.Name = to
			ch.Set(&cp, catalog.StatePublic)
			return ch.RefuseTexts("rename", r)
		default:
			return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a view or a sequence`, r.RelName()).At(name.Pos)
		}
		return nil
	})
}

// changeRelation changes a view or a sequence, as kind calls it, that the role owns.
func (c *Catalog) changeRelation(ctx context.Context, kind string, name catalog.Name, ifExists bool, to func(ch *change.Change, r catalog.Relation) error) (catalog.Notices, error) {
	_, notices, err := c.Change(ctx, func(ch *change.Change) error {
		r, err := ch.FindAs("relation", name, kind, ifExists, ch.MustOwn)
		if err != nil {
			return err
		}
		if r == nil {
			return change.ErrNothing
		}
		return to(ch, r)
	})
	return notices, err
}
