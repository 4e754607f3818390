package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// The rows of a table that gets a serial or identity column draw their numbers before the column
// is there, as they are written anew:
//
//	sequence made, of no column  ->  rows written by it  ->  one change: column and its sequence
//
// A server that dies between leaves a sequence that nothing owns, which DROP SEQUENCE drops.

// drawAhead makes the sequences of the columns that acts add to a table. It gives the acts that
// take them, and their IDs.
func (c *Catalog) drawAhead(ctx context.Context, name catalog.Name, ifExists bool, acts []AlterAction) ([]AlterAction, []uint32, error) {
	counts := func(act AlterAction) bool {
		add, ok := act.(AddColumn)
		return ok && add.Column.Identity != 0
	}
	if !slices.ContainsFunc(acts, counts) {
		return acts, nil, nil
	}
	if _, err := c.Refresh(ctx); err != nil {
		return nil, nil, err
	}
	var made []uint32
	with := slices.Clone(acts)
	_, _, err := c.Change(ctx, func(ch *change.Change) error {
		made = nil
		r, err := ch.Find(name, "table", ifExists)
		if err != nil {
			return err
		}
		if r == nil {
			return change.ErrNothing // the statement says so
		}
		t := r.(*catalog.Table)
		// What the statement comes to tells of its faults before anything is made.
		if _, err := written(change.New(ctx, c.Over(c.Snapshot())), t, acts, 0); err != nil {
			return err
		}
		for i, act := range acts {
			if !counts(act) || t.VisibleColumn(act.(AddColumn).Column.Name) != nil {
				continue
			}
			add := act.(AddColumn)
			col := catalog.Column{Name: add.Column.Name, Type: add.Column.Type}
			if err := ownSequence(ch, t, &col, &add.Column, catalog.StatePublic); err != nil {
				return err
			}
			o, _ := ch.Get(col.Sequence)
			q := *o.Desc.(*catalog.Sequence)
			q.OwnerTable, q.OwnerColumn = 0, 0
			ch.Set(&q, catalog.StatePublic)
			add.drawn = q.ID
			with[i], made = add, append(made, q.ID)
		}
		return nil
	})
	return with, made, err
}

// takeSequence gives a column a sequence that drawAhead has made.
func takeSequence(ch *change.Change, t *catalog.Table, col *catalog.Column, id uint32) error {
	o, _ := ch.Get(id)
	was, ok := o.Desc.(*catalog.Sequence)
	if !ok || was.OwnerTable != 0 {
		return sqlerr.New(sqlerr.UndefinedTable, `the sequence of column "%s" was dropped at the same time`, col.Name)
	}
	q := *was
	q.OwnerTable, q.OwnerColumn = t.ID, col.ID
	col.Sequence = id
	ch.Set(&q, catalog.StatePublic)
	return nil
}

// dropUnowned drops the sequences that drawAhead has made and no column has taken.
func (c *Catalog) dropUnowned(ctx context.Context, made []uint32) {
	if len(made) == 0 {
		return
	}
	ctx, cancel := versions.Detached(ctx, c.Options.Lease/2)
	defer cancel()
	var values []string
	_, _, err := c.Change(ctx, func(ch *change.Change) error {
		values = nil
		for _, id := range made {
			o, _ := ch.Get(id)
			if q, ok := o.Desc.(*catalog.Sequence); ok && q.OwnerTable == 0 {
				ch.Remove(id)
				values = append(values, string(versions.SeqKey(id)))
			}
		}
		if len(values) == 0 {
			return change.ErrNothing
		}
		return nil
	})
	if err != nil {
		c.Options.Logger.Warn("catalog: the sequence of a column that could not be added stays", "err", err)
		return
	}
	c.DeleteRows(ctx, values)
}
