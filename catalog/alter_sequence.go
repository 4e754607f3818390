package catalog

import (
	"context"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// SequenceChange is what ALTER SEQUENCE names; nil leaves as it is.
type SequenceChange struct {
	Start, Increment, Min, Max, Cache *int64
	Cycle                             *bool
	// Restart sets the next value; RestartStart is RESTART without a value.
	Restart      *int64
	RestartStart bool
}

// AlterSequence is ALTER SEQUENCE.
func (c *Catalog) AlterSequence(ctx context.Context, name Name, ifExists bool, alt SequenceChange) (Notices, error) {
	var q *Sequence
	s, notices, err := c.change(ctx, func(ch *change) error {
		q = nil
		r, err := ch.find(name, "sequence", ifExists)
		if err != nil {
			return err
		}
		if r == nil {
			return errNoChange
		}
		old := r.(*Sequence)
		opts := SequenceOptions{
			Type: old.Type, Start: or(alt.Start, old.Start), Increment: or(alt.Increment, old.Increment),
			Min: or(alt.Min, old.Min), Max: or(alt.Max, old.Max), Cycle: old.Cycle, Cache: *or(alt.Cache, old.Cache),
		}
		if alt.Cycle != nil {
			opts.Cycle = *alt.Cycle
		}
		if alt.Cache != nil && *alt.Cache == 0 {
			return sqlerr.New(sqlerr.InvalidParameterValue, "CACHE (0) must be greater than zero").At(name.Pos)
		}
		next, err := newSequence(old.Name, &opts, name.Pos)
		if err != nil {
			return err
		}
		if err := c.valueFits(ctx, old, next, alt); err != nil {
			return err
		}
		next.ID, next.Schema, next.Comment = old.ID, old.Schema, old.Comment
		next.OwnerTable, next.OwnerColumn = old.OwnerTable, old.OwnerColumn
		q = next
		if *next == (Sequence{
			ID: old.ID, Schema: old.Schema, Name: old.Name, Comment: old.Comment, Type: old.Type, Start: old.Start,
			Increment: old.Increment, Min: old.Min, Max: old.Max, Cycle: old.Cycle, Cache: old.Cache,
			OwnerTable: old.OwnerTable, OwnerColumn: old.OwnerColumn,
		}) {
			return errNoChange
		}
		ch.set(next, public)
		return nil
	})
	if err != nil || q == nil {
		return notices, err
	}
	switch {
	case alt.Restart != nil:
		err = c.SetVal(ctx, q.ID, *alt.Restart, false)
	case alt.RestartStart:
		start := s.ByID(q.ID).(*Sequence).Start
		err = c.SetVal(ctx, q.ID, start, false)
	}
	return notices, err
}

// valueFits holds the present value, or the one to restart with, against new
// bounds.
func (c *Catalog) valueFits(ctx context.Context, old, next *Sequence, alt SequenceChange) error {
	verb, last := "RESTART", next.Start
	switch {
	case alt.Restart != nil:
		last = *alt.Restart
	case alt.RestartStart:
	default:
		v, _, err := c.readSeq(ctx, old)
		if err != nil {
			return fromStorage(err, "reading sequence "+old.Name)
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
func (c *Catalog) RenameRelation(ctx context.Context, kind string, name Name, ifExists bool, to string) (Notices, error) {
	if err := checkIdentifier(kind, to, name.Pos); err != nil {
		return nil, err
	}
	_, notices, err := c.change(ctx, func(ch *change) error {
		r, err := ch.find(name, kind, ifExists)
		if err != nil {
			return err
		}
		if r == nil {
			return errNoChange
		}
		if ch.nameTaken(r.RelSchema(), to) {
			return sqlerr.New(sqlerr.DuplicateTable, `relation "%s" already exists`, to).At(name.Pos)
		}
		if vs := ch.dependents(r.RelID()); len(vs) > 0 {
			return sqlerr.New(sqlerr.FeatureNotSupported, "cannot rename %s %s because view %s is defined over it", kind, r.RelName(), vs[0].Name).
				WithHint("Drop view %s, rename, and create the view again.", vs[0].Name)
		}
		switch r := r.(type) {
		case *View:
			cp := *r
			cp.Name = to
			ch.set(&cp, public)
		case *Sequence:
			cp := *r
			cp.Name = to
			ch.set(&cp, public)
			return ch.followSequence(r, &cp)
		default:
			return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a view or a sequence`, r.RelName()).At(name.Pos)
		}
		return nil
	})
	return notices, err
}

// followSequence writes a serial column's default anew when its sequence has
// another name.
func (ch *change) followSequence(was, is *Sequence) error {
	o, ok := ch.get(was.OwnerTable)
	if was.OwnerTable == 0 || !ok {
		return nil
	}
	t := o.desc.(*Table).clone()
	col := t.ColumnByID(was.OwnerColumn)
	if col == nil || col.Default != nextvalText(was) {
		return nil
	}
	col.Default = nextvalText(is)
	if err := t.Finish(); err != nil {
		return err
	}
	ch.set(t, o.state)
	return nil
}
